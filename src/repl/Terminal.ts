/**
 * A terminal for K: line editor, history and prompt, for a local interpreter or a server's session.
 *
 * Guarantees: a statement may span lines while a bracket or string is open, and is recalled as one entry; Ctrl-C stops the evaluation, or drops
 * the typed text, and never ends the console; the end of input in an open statement is an error of K, and ends the program with code 1; text
 * typed during an evaluation is kept, shown at the next prompt and evaluated in order; `beside` leaves the text that is being typed as it was.
 * Does not: evaluate; run when standard input or output is no terminal.
 */
import type { Interface } from "node:readline"
import type { Writable } from "node:stream"
import { statements, type Statement } from "../k3/text/statements.ts"
import { helpTopic, nameBefore, scriptBefore, systemNameBefore, type UnfinishedName } from "./beforeCursor.ts"
import { LineHistory, historyFile, KEPT } from "./history.ts"
import { inColour } from "./standardStreams.ts"

const PROMPT = "  "
const CONTINUED = "> "

/** The line below the matches of `\help TOPIC`. */
export const belowMatches = (topic: string, matches: readonly unknown[]): string =>
  matches.length === 0 ? `nothing is like ${topic}` : "\\help and the name on the left opens one"

/** The interpreter or session that the terminal talks to. */
export interface Talk {
  /** Resolves when the statement has ended and its output is shown. */
  readonly evaluate: (statement: Statement) => Promise<void>
  /** Answers `\help TOPIC`. */
  readonly help: (topic: string) => Promise<void>
  readonly interrupt: () => void
  /** K's system names, which begin with `_`. */
  readonly systemNames: readonly string[]
  /** The names of the scripts that `\l` loads. */
  readonly scripts: () => Promise<readonly string[]>
  /** Names of variables, among them all that begin like this one. */
  readonly variables: (name: UnfinishedName) => Promise<readonly string[]>
}

/** A terminal that only writes on: it understands no escape sequences. */
const isDumb = process.env["TERM"] === "dumb"

export class Terminal {
  private readonly lines: string[] = []
  private held = ""
  /** The line editor's own list of entries for the up arrow. */
  private recalled: string[] = []
  /**
   * The entered text, if it goes into the history. From Node 24 on the `line` event has other ends of line in it, and may have its lines reversed.
   */
  private entered: string | undefined
  private running = false
  private closed = false
  private readonly history = new LineHistory(historyFile(process.env, process.platform))
  private readonly reader: Interface
  private readonly colour = inColour()

  constructor(private readonly talk: Talk) {
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
      this.lines.push(this.entered ?? line)
      this.entered = undefined
      void this.work()
    })
    this.reader.on("SIGINT", () => this.stop())
    this.reader.on("SIGTSTP", () => this.suspend())
    // After the end of input the terminal is not in raw mode, and Ctrl-C sends a signal.
    process.on("SIGINT", () => this.stop())
    this.reader.on("close", () => {
      this.closed = true
      if (this.running) return
      process.stdout.write("\n")
      void this.leave()
    })
  }

  /** Shows the prompt with the text that is being typed, from the screen's present row on; the cursor in the text stays in place. */
  prompt(): void {
    this.noteRows(0)
    this.reader.setPrompt(this.nextPrompt)
    this.reader.prompt(true)
    // Of such a terminal Node shows the prompt alone.
    if (isDumb) process.stdout.write(this.reader.line)
  }

  /** Writes text, in an ANSI style if one is given: 31 is red, 2 is faint. */
  say(style: string | undefined, text: string): void {
    process.stdout.write(this.colour && style !== undefined ? `\x1b[${style}m${text}\x1b[0m` : text)
  }

  /** Runs `show`, whose output appears above the line that is being typed. For events that this terminal did not cause. */
  beside(show: () => void): void {
    if (this.running || this.closed) return show()
    const { stdout } = process
    if (isDumb) stdout.write("\n")
    else {
      const { cursorTo, moveCursor, clearScreenDown } = process.getBuiltinModule("node:readline")
      moveCursor(stdout, 0, -this.reader.getCursorPos().rows)
      cursorTo(stdout, 0)
      clearScreenDown(stdout)
    }
    show()
    // The editor may be paused for a completion; `prompt` would resume it.
    const { paused } = this.reader as unknown as { readonly paused: boolean }
    this.prompt()
    if (paused) this.reader.pause()
  }

  /** The line editor's output. It is discarded while an evaluation runs, so that text typed ahead appears only at its prompt. */
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
   * While Node's line editor takes pasted text, it sets a flag that turns completion off and makes it append to the line, wherever the
   * cursor is. Inside a line the flag is hidden from it, so that pasted text goes in at the cursor. Its first look at the flag after a tab asks
   * whether to complete, and sees the flag. The editor does not count the rows that pasted text fills; they are counted when it resets the flag.
   */
  private pasteInPlace(): void {
    const { reader } = this
    let enabled = true
    let isTab = false
    process.stdin.prependListener("keypress", (_text: string, { name }: { readonly name?: string }) => {
      isTab = name === "tab"
    })
    Object.defineProperty(reader, "isCompletionEnabled", {
      get: () => {
        const asksToComplete = isTab
        isTab = false
        return enabled || (!asksToComplete && reader.cursor < reader.line.length)
      },
      set: (value: boolean) => {
        enabled = value
        if (value) this.noteRows(reader.getCursorPos().rows)
      },
    })
  }

  /** Tells Node's line editor how many rows it has to move up before it writes the line again. */
  private noteRows(rows: number): void {
    Object.assign(this.reader, { prevRows: rows })
  }

  /** Node's line editor recalls single lines. Its `history` event gives its list, which is replaced here by whole statements. */
  private recallEntries(): void {
    this.reader.on("history", (lines: string[]) => {
      this.entered = this.reader.line
      this.recalled = lines
      this.remember("")
    })
  }

  private remember(entry: string): void {
    this.history.add(entry)
    this.recalled.splice(0, this.recalled.length, ...this.history.entries)
  }

  private stop(): void {
    if (!this.closed) this.press("e")
    process.stdout.write("\n")
    this.noteRows(0)
    if (!this.closed) this.press("u")
    this.lines.length = 0
    if (this.running) return this.talk.interrupt()
    this.remember(this.held.slice(0, -1))
    this.held = ""
    this.prompt()
  }

  private get nextPrompt(): string {
    return this.held === "" ? PROMPT : CONTINUED
  }

  /** A key with Ctrl, for the line editor: `e` moves to the end of the text, `u` removes the text before the cursor. */
  private press(name: "e" | "u"): void {
    this.reader.write(null, { ctrl: true, name })
  }

  /**
   * Stops the process until the shell continues it. Node's line editor waits for SIGCONT, which never comes where no shell controls jobs, and then
   * stays paused.
   */
  private suspend(): void {
    const { stdin } = process
    this.beside(() => {
      stdin.setRawMode(false)
      process.kill(process.pid, "SIGTSTP")
      stdin.setRawMode(true)
    })
  }

  /** The completions of the word at the end of the line, and that word; none while an evaluation runs. */
  private async complete(line: string): Promise<[string[], string]> {
    if (this.running) return [[], line]
    const script = scriptBefore(line)
    const system = systemNameBefore(line)
    const name = nameBefore(line)
    const { talk } = this
    const all = script !== undefined ? await talk.scripts() : system !== undefined ? talk.systemNames : await talk.variables(name)
    const word = script ?? system ?? name.word
    return [all.filter((each) => each.startsWith(word)).toSorted(), word]
  }

  /** Evaluates the typed lines, statement by statement; a line typed ahead is shown when its statement begins. */
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
      for (const statement of read) {
        const topic = helpTopic(statement.source)
        await (topic === undefined ? this.talk.evaluate(statement) : this.talk.help(topic))
      }
    }
    this.running = false
    if (this.closed) return this.leave()
    this.prompt()
  }

  /** Ends the program after the end of input. As in a script, an unfinished statement is an error. */
  private async leave(): Promise<never> {
    this.running = true
    this.remember(this.held.slice(0, -1))
    const unfinished = statements(this.held)
    for (const statement of unfinished) await this.talk.evaluate(statement)
    process.exit(unfinished.length === 0 ? 0 : 1)
  }
}
