/**
 * Runs scripts, `-e` and standard input: every statement in order, up to the first error, with the output of the console.
 *
 * Guarantees: the error goes to standard error and begins with file, line and column; output before the error is written before it.
 * Does not: wait for the end of standard input: a statement runs when its last line has arrived.
 */
import { type Failure, fromBytes, type Interpreter } from "../k3/k3.ts"
import type { CodeSource } from "./commandLine.ts"
import { OpenLines, scriptText, statements, type Statement } from "../k3/text/statements.ts"
import { systemText } from "./fencedFiles.ts"
import { readText } from "./readText.ts"
import { readInput, type BufferedOutput } from "./standardStreams.ts"

export interface Runner {
  readonly interpreter: Interpreter
  readonly output: BufferedOutput
  /** Evaluates the last statement of the last source, in place of printing its value. */
  readonly last?: ((statement: string) => Failure | undefined) | undefined
  readonly complain: (text: string) => void
}

/** `before`: the number of lines before the first statement's text. */
const runAll = ({ interpreter, output, complain, last }: Runner, name: string, all: readonly Statement[], before = 0): boolean =>
  all.every(({ source, line }, i) => {
    const failure = last !== undefined && i === all.length - 1 ? last(source) : interpreter.evaluate(source)
    if (failure === undefined) return true
    output.flush()
    complain(`${name}:${before + line + failure.line - 1}:${failure.column}: ${fromBytes(failure.rendered)}`)
    return false
  })

/** True if no statement ended in an error. */
export const runSource = (runner: Runner, source: CodeSource): boolean => {
  if (source.kind === "code") return runAll(runner, "-e", statements(Buffer.from(source.code).toString("latin1")))
  if (source.path === "-") return runInput(runner)
  let code: string
  try {
    code = readText(source.path, "latin1")
  } catch (error) {
    runner.output.flush()
    runner.complain(`k3: ${source.path}: ${systemText(error)}\n`)
    return false
  }
  return runAll(runner, source.path, statements(scriptText(code)))
}

/** Runs standard input as a script. Each line is scanned once when it arrives, and a statement's text again when it seems complete. */
export const runInput = (runner: Runner): boolean => {
  /** `held`: lines that have not run. `rest`: the beginning of the next line. */
  let held: string[] = []
  let rest = ""
  const open = new OpenLines()
  /** The number of lines before `held`. */
  let before = 0
  let well = true
  const take = (code: string): void => {
    well &&= runAll(runner, "stdin", statements(before === 0 ? scriptText(code) : code), before)
    before += code.split("\n").length - 1
  }
  readInput((text) => {
    const end = text.lastIndexOf("\n") + 1
    if (end === 0) {
      rest += text
      return true
    }
    const lines = rest + text.slice(0, end)
    rest = text.slice(end)
    held.push(lines)
    for (const line of lines.slice(0, -1).split("\n")) open.take(line)
    if (open.isOpen) return true
    const code = held.join("")
    held = [code]
    if (statements(code).at(-1)?.open !== undefined) return true
    held = []
    take(code)
    runner.output.flush()
    return well
  })
  take(held.join("") + rest)
  return well
}
