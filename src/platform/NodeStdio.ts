/**
 * This process's standard streams, for `mcp/StdioTransport`. Nothing else in the server may write to standard output. Guarantees: a host that was
 * killed, and so ended the input without a signal, counts as gone within `LOOK_AGAIN`. Does not: notice that on Windows, or where another program
 * stands between, such as `npx`.
 */
import type { Streams } from "../mcp/StdioTransport.ts"

/** After the end of the input, the server looks for its host this often, ms. The host's next server needs the state folder of this one. */
const LOOK_AGAIN = 1000
const host = process.ppid

export const streams: Streams = {
  read: (onChunk, onEnd) => {
    let ended = false
    const end = (): void => {
      if (!ended) onEnd()
      ended = true
    }
    process.stdin.on("data", onChunk).once("end", end).once("close", end).once("error", end)
  },
  pause: () => void process.stdin.pause(),
  resume: () => void process.stdin.resume(),
  write: (text) => process.stdout.write(text),
  watch: (onDrain, onGone) => {
    process.stdout.on("drain", onDrain).once("close", onGone)
    // Never removed: without a listener, a write after the reader has gone would end the process.
    process.stdout.on("error", onGone)
    const look = (): void => {
      // A process whose parent has ended gets another parent.
      if (process.ppid !== host) onGone()
    }
    process.stdin.once("close", () => setInterval(look, LOOK_AGAIN).unref())
  },
}
