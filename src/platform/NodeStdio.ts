/** This process's standard streams, for `mcp/StdioTransport`. Nothing else in the server may write to standard output. */
import type { Streams } from "../mcp/StdioTransport.ts"

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
  },
}
