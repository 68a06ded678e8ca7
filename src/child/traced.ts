/**
 * Logs the traffic of processes, line by line with the process id: standard input (`>`), standard output (`<`) and standard error (`!`).
 *
 * Guarantees: a line is logged when it is complete, or when the reply ends. Long lines are cut. Does not: change the traffic.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { shortened } from "../shortened.ts"
import { Process, type RunningProcess } from "./Process.ts"

/** Characters of a line that are logged. */
const most = 2000

type Log = (line: string) => void

/** Logs the lines of chunks. A sentinel ends a line, too. */
const lineLog = (log: Log): ((chunk: Uint8Array) => void) => {
  const utf8 = new TextDecoder()
  let rest = ""
  return (chunk) => {
    // oxlint-disable-next-line no-control-regex
    const lines = (rest + utf8.decode(chunk, { stream: true })).split(/\n|\x01\x02/)
    rest = lines.pop()!.slice(0, most + 1)
    for (const line of lines) if (line !== "") log(line)
  }
}

const traced = (process: RunningProcess, log: Log): RunningProcess => {
  const tell = (sign: string) => (line: string) => log(`${process.pid} ${sign} ${shortened(line, most)}`)
  process.onStderr(lineLog(tell("!")))
  const sent = tell(">")
  const printed = lineLog(tell("<"))
  return {
    ...process,
    get pid() {
      return process.pid
    },
    write: (text) => {
      for (const line of typeof text === "string" ? text.split("\n") : [`${text.length} bytes`]) if (line !== "") sent(line)
      process.write(text)
    },
    onStdout: (listener) =>
      process.onStdout((chunk) => {
        printed(chunk)
        listener(chunk)
      }),
  }
}

export const layer: Layer.Layer<Process, never, Process> = Layer.effect(
  Process,
  Effect.map(Process, ({ spawn }) => ({
    spawn: (spec) =>
      Effect.gen(function* () {
        // The logger is that of the launching fiber.
        const run = Effect.runSyncWith(yield* Effect.context())
        return traced(yield* spawn(spec), (line) => run(Effect.logDebug(line)))
      }),
  })),
)
