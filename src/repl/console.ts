/**
 * The console: a person at a terminal.
 *
 * Guarantees: a statement may span lines while a bracket or string is open, and is recalled as one; Ctrl-C stops the evaluation, or drops what was typed, and
 * never the console; variables outlive both; what is typed while an evaluation runs is kept, shown at the next prompt and done in its
 * turn; if the memory of the interpreter ends, a fresh one takes its place and that is said. Does not: run where standard input or output
 * is no terminal.
 */
import { resolve } from "node:path"
import type { Interface } from "node:readline"
import type { Writable } from "node:stream"
import { systemNames, type Failure, type Interpreter } from "../k3/k3.ts"
import type { Options } from "./commandLine.ts"
import { Evaluator } from "./Evaluator.ts"
import { fence } from "./fence.ts"
import { SIDE_REQUEST } from "./frame.ts"
import { statements } from "../k3/text/statements.ts"
import { History, historyFile, KEPT } from "./history.ts"
import { fromBytes, toBytes } from "./host.ts"
import { scriptFiles } from "./scriptFiles.ts"
import { inColour } from "./standardStreams.ts"

const PROMPT = "  "
const CONTINUED = "> "

/** `\help` and what about. */
const HELP = /^\s*\\help\s+(\S.*?)\s*$/

type Names = ReturnType<Interpreter["names"]>

/** The beginning of a system name before the cursor: `_s`, and not the verb in `a_s`. */
const systemNameBefore = (line: string): string | undefined => /(?<![A-Za-z0-9.)\]}"`])_[a-zA-Z]*$/.exec(line)?.[0]

/** The beginning of a variable's name before the cursor, and the directory it is in. */
const nameBefore = (line: string): { readonly word: string; readonly path: string; readonly last: string } => {
  const word = /[A-Za-z.][A-Za-z0-9_.]*$/.exec(line)?.[0] ?? ""
  const dot = word.lastIndexOf(".")
  return { word, path: dot === 0 ? "." : word.slice(0, Math.max(0, dot)), last: word.slice(dot + 1) }
}

class Console {
  private evaluator: Evaluator
  private readonly answered: ((answer: unknown) => void)[] = []
  private readonly lines: string[] = []
  private held = ""
  /** The line editor's list of what the up arrow recalls. */
  private recalled: string[] = []
  private running = false
  private closed = false
  private readonly history = new History(historyFile(process.env, process.platform))
  private readonly reader: Interface
  private readonly options: Options
  private readonly program: string
  private readonly colour = inColour(process.env)

  constructor(options: Options, program: string) {
    this.options = options
    this.program = program
    this.evaluator = this.launch()
    this.reader = process.getBuiltinModule("node:readline").createInterface({
      input: process.stdin,
      output: this.screen(),
      terminal: true,
      prompt: PROMPT,
      history: [...this.history.entries],
      historySize: KEPT,
      completer: (line: string, give: (error: null, result: [string[], string]) => void) =>
        void this.complete(line).then((result) => give(null, result)),
    })
    this.pasteInPlace()
    this.recallEntries()
    this.reader.on("line", (line) => {
      this.lines.push(line)
      void this.work()
    })
    this.reader.on("SIGINT", () => this.stop())
    // After the end of input the terminal is not raw, and Ctrl-C is a signal.
    process.on("SIGINT", () => this.stop())
    this.reader.on("close", () => {
      this.closed = true
      if (this.running) return
      process.stdout.write("\n")
      process.exit(0)
    })
  }

  /** The terminal as the line editor writes to it: nothing while an evaluation runs, so that what is typed ahead waits for its prompt. */
  private screen(): Writable {
    const { stdout } = process
    const { Writable } = process.getBuiltinModule("node:stream")
    const screen = new Writable({
      write: (chunk, _encoding, done) => {
        if (!this.running) stdout.write(chunk as Buffer)
        done()
      },
    })
    Object.defineProperty(screen, "columns", { get: () => stdout.columns })
    stdout.on("resize", () => screen.emit("resize"))
    return screen
  }

  /**
   * Node's line editor sets a flag while it takes what came in one piece, as what is pasted does: no completion then, and it appends to
   * the line wherever the cursor is. Within a line the flag is not to say so.
   */
  private pasteInPlace(): void {
    const { reader } = this
    let enabled = true
    Object.defineProperty(reader, "isCompletionEnabled", {
      get: () => enabled || reader.cursor < reader.line.length,
      set: (value: boolean) => {
        enabled = value
      },
    })
  }

  /** Node's line editor keeps lines: it tells of its list with one just entered in front, and goes on with what is left in it. */
  private recallEntries(): void {
    this.reader.on("history", (lines: string[]) => {
      this.recalled = lines
      this.remember("")
    })
  }

  private remember(entry: string): void {
    this.history.add(entry)
    this.recalled.splice(0, this.recalled.length, ...this.history.entries)
  }

  private stop(): void {
    process.stdout.write("\n")
    if (!this.closed) this.clearLine()
    this.lines.length = 0
    if (this.running) return this.evaluator.interrupt()
    this.remember(this.held.slice(0, -1))
    this.held = ""
    this.prompt()
  }

  private get nextPrompt(): string {
    return this.held === "" ? PROMPT : CONTINUED
  }

  /** With what was typed ahead of it, the cursor where it was left. */
  prompt(): void {
    this.reader.setPrompt(this.nextPrompt)
    this.reader.prompt(true)
  }

  private clearLine(): void {
    this.reader.write(null, { ctrl: true, name: "e" })
    this.reader.write(null, { ctrl: true, name: "u" })
  }

  private launch(): Evaluator {
    const evaluator = new Evaluator(this.program, this.options, "posted")
    evaluator.onAnswer((answer) => this.answered.shift()?.(answer))
    evaluator.onEnd((code, failure) => {
      if (failure === undefined) process.exit(code)
      this.say("31", `${failure.message}\nThe interpreter ended; a fresh one takes its place, and its variables are gone.\n`)
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

  /** In a colour or style of ANSI: 31 is red, 2 is faint. */
  private say(style: string, text: string): void {
    process.stdout.write(this.colour ? `\x1b[${style}m${text}\x1b[0m` : text)
  }

  /** Evaluates the lines that were typed, one statement after the other; those typed ahead appear when their turn comes. */
  private async work(): Promise<void> {
    if (this.running) return
    this.running = true
    for (let first = true; this.lines.length > 0; first = false) {
      const line = this.lines.shift()!
      if (!first) process.stdout.write(`${this.nextPrompt}${line}\n`)
      this.held += `${line}\n`
      const read = statements(this.held)
      if (read.at(-1)?.open !== undefined) continue
      this.remember(this.held.slice(0, -1))
      this.held = ""
      for (const { source, notes } of read) {
        const topic = HELP.exec(source)?.[1]
        if (topic !== undefined) {
          await this.help(topic)
          continue
        }
        const failure = (await this.ask(toBytes(source))) as Failure | undefined
        if (notes.length > 0) this.say("2", "a } on a line of its own ends in an empty statement: the function returns nil\n")
        if (failure !== undefined) this.say("31", fromBytes(failure.rendered))
      }
    }
    this.running = false
    if (this.closed) process.exit(0)
    this.prompt()
  }

  /** Entries and ranked search; the overview alone is the interpreter's. */
  private async help(topic: string): Promise<void> {
    const { lookUp, answerText } = await import("../help/help.ts")
    const answer = lookUp(topic)
    const nothing = answer.kind === "matches" && answer.matches.length === 0
    process.stdout.write(`${answerText(answer, nothing ? `nothing is like ${topic}` : "\\help and the name on the left opens one")}\n`)
  }

  /** What `\l` can load. */
  private scripts(): readonly string[] {
    const { roots, closed } = this.options
    const places = [...new Set([process.cwd(), ...roots.map((root) => resolve(root))])]
    const steps = scriptFiles(places, fence(roots, closed))
    for (;;) {
      const { done, value } = steps.next()
      if (done === true) return value.files.map(({ name }) => name)
    }
  }

  private async complete(line: string): Promise<[string[], string]> {
    if (this.running) return [[], line]
    const script = /^\s*\\l\s+(.*)$/.exec(line)?.[1]
    if (script !== undefined) return [this.scripts().filter((name) => name.startsWith(script)), script]
    const system = systemNameBefore(line)
    if (system !== undefined) return [systemNames.filter((name) => name.startsWith(system)), system]
    const { word, path, last } = nameBefore(line)
    const request = JSON.stringify({ op: "names", path })
    const names = (await this.ask(SIDE_REQUEST + request)) as Names | { readonly error: string } | undefined
    // There is nothing below a number, nor in an interpreter that has just ended.
    if (names === undefined || "error" in names) return [[], line]
    const front = word.slice(0, word.length - last.length)
    return [names.map(({ name }) => front + name).filter((name) => name.startsWith(word)), word]
  }
}

export const runConsole = (options: Options, program: string, version: string): void => {
  process.stdout.write(`k3 ${version}   \\ for help, \\\\ to leave\n`)
  new Console(options, program).prompt()
}
