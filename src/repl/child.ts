/**
 * `k3 --mcp`: the interpreter as the child of a server, with the framing of `frame.ts`.
 *
 * Guarantees: one sentinel when ready, then one for every line, blank ones included; byte 03 and SIGINT interrupt the running evaluation and
 * keep the variables. The end of the input interrupts the evaluation too; if it runs for another second, the process kills itself, so that no child
 * outlives its server. `\\`, the end of input and SIGINT while idle exit with code 0. Does not: evaluate an incomplete line at the end of the input.
 */
import type { ConsoleOptions } from "./commandLine.ts"
import { EvaluatorThread } from "./EvaluatorThread.ts"
import { INTERRUPT, ownExit } from "./frame.ts"
import { withFallback } from "./withFallback.ts"

/** Milliseconds that one evaluation may run after the end of input. */
const PATIENCE = 1000

const killAll = (options: ConsoleOptions): void => {
  // Processes that K's shell commands left running are in this process's group, if it leads one, as a server's child does.
  // One that leads no group kills only itself.
  if (options.shell === "allow") withFallback(() => process.kill(-process.pid, "SIGKILL"), false)
  process.kill(process.pid, "SIGKILL")
}

export const runChild = (options: ConsoleOptions, program: string): void => {
  const evaluator = new EvaluatorThread(program, options, "framed")
  evaluator.onEnd((code, failure) => {
    if (failure !== undefined) process.stderr.write(`k3: ${failure.stack ?? failure.message}\n`)
    // The fence's program reports a signal by such a code too.
    else if (code > 128) process.stderr.write(`${ownExit(code)}\n`)
    process.exit(code)
  })

  let begun: string[] = []
  const take = (text: string): void => {
    const lines = text.split("\n")
    begun.push(lines[0]!)
    if (lines.length === 1) return
    lines[0] = begun.join("")
    begun = [lines.pop()!]
    for (const line of lines) evaluator.ask(line.endsWith("\r") ? line.slice(0, -1) : line)
  }

  const end = (): void => {
    evaluator.interrupt()
    let answered = evaluator.answered
    let since = performance.now()
    setInterval(() => {
      if (evaluator.idle) process.exit(0)
      const now = performance.now()
      if (evaluator.answered !== answered) [answered, since] = [evaluator.answered, now]
      else if (answered >= 0 && now - since > PATIENCE) killAll(options)
    }, 5)
  }

  process.stdin
    .setEncoding("latin1")
    .on("data", (text: string) =>
      text.split(INTERRUPT).forEach((piece, i) => {
        if (i > 0) evaluator.interrupt()
        take(piece)
      }),
    )
    .on("end", end)
    .on("error", end)
  process.on("SIGINT", () => (evaluator.evaluating ? evaluator.interrupt() : end()))
}
