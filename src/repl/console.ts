/**
 * The console: a terminal with an interpreter of its own.
 *
 * Guarantees: variables survive Ctrl-C; an interpreter that runs out of memory is replaced by a fresh one, with a message.
 */
import { resolve } from "node:path"
import { type Failure, fromBytes, type Interpreter, systemWords, toBytes } from "../k3/k3.ts"
import type { Statement } from "../k3/text/statements.ts"
import type { UnfinishedName } from "./beforeCursor.ts"
import type { ConsoleOptions } from "./commandLine.ts"
import { EvaluatorThread } from "./EvaluatorThread.ts"
import { fence } from "./fence.ts"
import { SIDE_REQUEST } from "./frame.ts"
import { allScriptFiles } from "./scriptFiles.ts"
import { belowMatches, type Talk, Terminal } from "./Terminal.ts"

type Names = ReturnType<Interpreter["names"]>

class Console implements Talk {
  readonly terminal: Terminal
  readonly systemNames = systemWords
  private evaluator: EvaluatorThread
  private readonly answered: ((answer: unknown) => void)[] = []

  constructor(
    private readonly options: ConsoleOptions,
    private readonly program: string,
  ) {
    this.evaluator = this.launch()
    this.terminal = new Terminal(this)
  }

  async evaluate({ source, notes }: Statement): Promise<void> {
    const failure = (await this.ask(toBytes(source))) as Failure | undefined
    if (notes.length > 0) this.terminal.say("2", "a } on a line of its own ends in an empty statement: the function returns nil\n")
    if (failure !== undefined) this.terminal.say("31", fromBytes(failure.rendered))
  }

  interrupt(): void {
    this.evaluator.interrupt()
  }

  async variables({ word, path, last }: UnfinishedName): Promise<readonly string[]> {
    const request = JSON.stringify({ op: "names", path })
    const names = (await this.ask(SIDE_REQUEST + request)) as Names | { readonly error: string } | undefined
    // A number has no names below it, and an interpreter that has just ended gives no answer.
    if (names === undefined || "error" in names) return []
    const front = word.slice(0, word.length - last.length)
    return names.map(({ name }) => front + name)
  }

  async scripts(): Promise<readonly string[]> {
    const { roots, closed } = this.options
    const places = [...new Set([process.cwd(), ...roots.map((root) => resolve(root))])]
    return allScriptFiles(places, fence(roots, closed)).map(({ name }) => name)
  }

  /** Asks the help. The interpreter itself answers `\help` alone. */
  async help(topic: string): Promise<void> {
    const help = await import("../help/help.ts").catch(() => undefined)
    if (help === undefined) {
      process.stdout.write("The help's file was replaced or removed while k3 ran: start k3 again to read the help.\n")
      return
    }
    const { lookUp, answerText } = help
    const answer = lookUp(topic)
    const below = answer.kind === "matches" ? belowMatches(topic, answer.matches) : ""
    process.stdout.write(`${answerText(answer, below)}\n`)
  }

  private launch(): EvaluatorThread {
    const evaluator = new EvaluatorThread(this.program, this.options, "posted")
    evaluator.onAnswer((answer) => this.answered.shift()?.(answer))
    evaluator.onEnd((code, failure) => {
      if (failure === undefined) process.exit(code)
      this.terminal.say("31", `${failure.message}\nThe interpreter ended; a fresh one takes its place, and its variables are gone.\n`)
      this.evaluator = this.launch()
      for (const give of this.answered.splice(0)) give(undefined)
    })
    return evaluator
  }

  private ask(request: string): Promise<unknown> {
    return new Promise((give) => {
      this.answered.push(give)
      this.evaluator.ask(request)
    })
  }
}

export const runConsole = (options: ConsoleOptions, program: string, version: string): void => {
  process.stdout.write(`k3 ${version}   \\ for help, \\\\ to leave\n`)
  new Console(options, program).terminal.prompt()
}
