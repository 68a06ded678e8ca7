/**
 * A terminal at which a person talks K with an interpreter, wherever that is: the line editor, what it recalls, and whose turn it is.
 *
 * Guarantees: a statement may span lines while a bracket or string is open, and is recalled as one; Ctrl-C stops the evaluation, or drops
 * what was typed, and never the console; what is typed while an evaluation runs is kept, shown at the next prompt and done in its turn;
 * what is told beside an evaluation leaves what is being typed as it was. Does not: evaluate; run where standard input or output is no
 * terminal.
 */
import type { Interface } from "node:readline"
import type { Writable } from "node:stream"
import { statements, type Statement } from "../k3/text/statements.ts"
import { History, historyFile, KEPT } from "./history.ts"
import { inColour } from "./standardStreams.ts"

const PROMPT = "  "
const CONTINUED = "> "

/** Who answers. */
export interface Talk {
  /** Shows what came of it before it is over. */
  readonly evaluate: (statement: Statement) => Promise<void>
  readonly interrupt: () => void
  /** What the end of the line may go on as, and that end. */
  readonly complete: (line: string) => Promise<[string[], string]>
}

export class Terminal {
  private readonly lines: string[] = []
  private held = ""
  /** The line editor's list of what the up arrow recalls. */
  private recalled: string[] = []
  private running = false
  private closed = false
  private readonly history = new History(historyFile(process.env, process.platform))
  private readonly reader: Interface
  private readonly colour = inColour(process.env)

  constructor(private readonly talk: Talk) {
    this.reader = process.getBuiltinModule("node:readline").createInterface({
      input: process.stdin,
      output: this.screen(),
      terminal: true,
      prompt: PROMPT,
      history: [...this.history.entries],
      historySize: KEPT,
      completer: (line: string, give: (error: null, result: [string[], string]) => void) =>
        void (this.running ? Promise.resolve<[string[], string]>([[], line]) : talk.complete(line)).then((result) => give(null, result)),
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

  /** With what was typed ahead of it, the cursor where it was left. */
  prompt(): void {
    this.reader.setPrompt(this.nextPrompt)
    this.reader.prompt(true)
  }

  /** In a colour or style of ANSI: 31 is red, 2 is faint. */
  say(style: string, text: string): void {
    process.stdout.write(this.colour ? `\x1b[${style}m${text}\x1b[0m` : text)
  }

  /** Shows what nobody at this terminal asked for: above what is being typed. */
  beside(show: () => void): void {
    if (this.running || this.closed) return show()
    const { stdout } = process
    const { cursorTo, moveCursor, clearScreenDown } = process.getBuiltinModule("node:readline")
    moveCursor(stdout, 0, -this.reader.getCursorPos().rows)
    cursorTo(stdout, 0)
    clearScreenDown(stdout)
    show()
    // Node's line editor goes up so many rows before it writes the line again.
    Object.assign(this.reader, { prevRows: 0 })
    // It waits for a completion, and what is typed behind that waits too.
    const { paused } = this.reader as unknown as { readonly paused: boolean }
    this.prompt()
    if (paused) this.reader.pause()
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
    if (this.running) return this.talk.interrupt()
    this.remember(this.held.slice(0, -1))
    this.held = ""
    this.prompt()
  }

  private get nextPrompt(): string {
    return this.held === "" ? PROMPT : CONTINUED
  }

  private clearLine(): void {
    this.reader.write(null, { ctrl: true, name: "e" })
    this.reader.write(null, { ctrl: true, name: "u" })
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
      for (const statement of read) await this.talk.evaluate(statement)
    }
    this.running = false
    if (this.closed) process.exit(0)
    this.prompt()
  }
}
