/**
 * Cuts code into the statements that an interpreter takes one at a time.
 *
 * Guarantees: a statement is one line, or the lines up to the one that closes its last bracket or string; a `\command` and a comment are one line
 * each; a bracket closed by another kind ends the statement with the line. Only comments, blanks and meaningless newlines are dropped; a newline that
 * means `;` is one in `wire`. Pure; the server loads it before the rest of the language. Does not: parse K; a surplus closing bracket closes nothing.
 */
import { Brackets, type Closer, isBlank, lineEnd, type Opener, parts, type Part } from "./scan.ts"

/** A remark for the author of a statement: a `}` on a line of its own makes the function return nil. */
interface Note {
  readonly kind: "brace"
  /** The brace's line in the code, from 1. */
  readonly line: number
}

/** One statement of K, or one `\command`. Lines and columns count from 1 in the whole code. */
export interface Statement {
  /** The physical lines as they were written, newlines and comments included. */
  readonly source: string
  /** The line on which the statement begins. */
  readonly line: number
  /** The source in one physical line, without comments. */
  readonly wire: string
  readonly notes: readonly Note[]
  /** Is the first character after blanks `\`? */
  readonly command: boolean
  /** The bracket or string that is still open at the end of the code. */
  readonly open?: Opened
}

interface Opened {
  readonly what: Opener | '"'
  readonly line: number
  readonly column: number
}

/** Does a `\command` begin here, perhaps after blanks? */
export const isCommand = (text: string, start = 0): boolean => {
  let i = start
  while (isBlank(text.charCodeAt(i))) i++
  return text[i] === "\\"
}

/** The code of a script file: a byte order mark is dropped, and a first line for a shell (`#!/usr/bin/env k3`) becomes a comment. */
export const scriptText = (file: string): string => {
  const code = file.startsWith("\xef\xbb\xbf") ? file.slice(3) : file
  return code.startsWith("#!") ? `/${code}` : code
}

/** The statements of code, in order, `most` at most. Blank and comment lines give none. A statement left open at the end holds the rest. */
export const statements = (code: string, most = Infinity): Statement[] => {
  const text = code.replaceAll("\r\n", "\n")
  const found: Statement[] = []
  for (let start = 0, line = 1; start < text.length && found.length < most;) {
    const read = isCommand(text, start) ? readCommand(text, start, line) : new Reading(text, start, line).read()
    if (read.statement !== undefined) found.push(read.statement)
    start = read.end + 1
    line = read.line + 1
  }
  return found
}

/** A statement, the offset of the newline (or end) after it, and its last line. */
interface Read {
  readonly statement: Statement | undefined
  readonly end: number
  readonly line: number
}

const readCommand = (text: string, start: number, line: number): Read => {
  const end = lineEnd(text, start)
  const source = text.slice(start, end)
  return { statement: { source, line, wire: source.trim(), notes: [], command: true }, end, line }
}

/** The reading of one statement, part by part. */
class Reading {
  /** With their offsets. */
  private readonly brackets = new Brackets<number>()
  /** The offsets of the open parameter lists. */
  private readonly parameterLists: number[] = []
  private readonly notes: Note[] = []
  private unclosed: Opened | undefined
  private mismatched = false
  private wire = ""
  /** The beginning of the text that is not yet in `wire`. */
  private from: number
  private line: number
  /** The last character that is no blank: it decides whether a newline means `;`. */
  private last = ""
  private afterParameters = false
  /** Is a newline the last thing read? */
  private newline = false

  constructor(
    private readonly text: string,
    private readonly start: number,
    private readonly firstLine: number,
  ) {
    this.from = start
    this.line = firstLine
  }

  read(): Read {
    let end = this.text.length
    for (const part of parts(this.text, this.start)) {
      if (part.kind === "newline" && (this.brackets.depth === 0 || this.mismatched)) {
        end = part.start
        break
      }
      this.take(part)
    }
    this.flush(end)
    const { text, start, line, firstLine, wire, notes, last } = this
    if (last === "") return { statement: undefined, end, line }
    const { innermost } = this.brackets
    const bracket = this.mismatched || innermost === undefined ? undefined : this.place(innermost.opener, innermost.about)
    const open = this.unclosed ?? bracket
    return { statement: { source: text.slice(start, end), line: firstLine, wire, notes, command: false, ...(open && { open }) }, end, line }
  }

  /** Moves the text before an offset into `wire`, without trailing blanks, and goes on at another offset. */
  private flush(end: number, from = end): void {
    this.wire += this.unclosed === undefined ? this.text.slice(this.from, end).trimEnd() : this.text.slice(this.from, end)
    this.from = from
  }

  private take(part: Part): void {
    const { text } = this
    switch (part.kind) {
      case "newline":
        this.newline = true
        this.line++
        return this.flush(part.start, part.end)
      case "comment":
        return this.flush(part.start, part.end)
      case "code":
        return this.code(part)
      case "open":
        return this.open(text[part.start] as Opener, part.start)
      case "close":
        return this.close(text[part.start] as Closer, part.start)
      case "string":
      case "unclosed":
        return this.string(part)
    }
  }

  private code({ start, end }: Part): void {
    const { text } = this
    let first = start
    while (first < end && isBlank(text.charCodeAt(first))) first++
    if (first === end) return
    let last = end - 1
    while (isBlank(text.charCodeAt(last))) last--
    this.begin(text[first]!, first)
    this.last = text[last]!
  }

  private open(what: Opener, at: number): void {
    const parameters = what === "[" && this.last === "{"
    this.begin(what, at)
    this.brackets.open(what, at)
    if (parameters) this.parameterLists.push(at)
  }

  private close(closer: Closer, at: number): void {
    this.begin(closer, at)
    const closed = this.brackets.close(closer)
    this.mismatched ||= closed?.pairs === false
    this.afterParameters = closed !== undefined && closed.about === this.parameterLists.at(-1)
    if (this.afterParameters) this.parameterLists.pop()
  }

  /** Keeps the newlines of a string, as `\n` in `wire`. */
  private string({ kind, start, end }: Part): void {
    this.begin('"', start)
    if (kind === "unclosed") this.unclosed = this.place('"', start)
    const string = this.text.slice(start, end)
    const lines = string.split("\n").length - 1
    if (lines === 0) return
    this.wire += this.text.slice(this.from, start) + string.replaceAll(/(\\[^\n])|\\?\n/g, (_, escape?: string) => escape ?? "\\n")
    this.line += lines
    this.from = end
  }

  /** The place of an offset. It reads the text from the statement's start on. */
  private place(what: Opened["what"], at: number): Opened {
    let line = this.firstLine
    let lineStart = this.start
    for (let end = lineEnd(this.text, lineStart); end < at; end = lineEnd(this.text, lineStart)) {
      line++
      lineStart = end + 1
    }
    return { what, line, column: at - lineStart + 1 }
  }

  /** Takes the first character after blanks. Writes the newline before it as `;` or a blank where it means one. */
  private begin(c: string, at: number): void {
    const { last, afterParameters } = this
    this.last = c
    this.afterParameters = false
    if (!this.newline) return
    this.newline = false
    this.from = at
    if (afterParameters) this.wire += " "
    else if (!";([{".includes(last) && c !== ")" && c !== "]") {
      this.wire += ";"
      if (c === "}") this.notes.push({ kind: "brace", line: this.line })
    }
  }
}

/** Tells, line by line, whether a bracket or string is open. */
export class OpenLines {
  private brackets = new Brackets<undefined>()
  private mismatched = false
  private string = false

  /** Does the statement go on in the next line? */
  get isOpen(): boolean {
    return this.string || (this.brackets.depth > 0 && !this.mismatched)
  }

  /** Takes another line. A `\command` on a line of its own opens nothing. */
  take(line: string): void {
    if (!this.isOpen) {
      this.brackets = new Brackets()
      this.mismatched = false
      if (isCommand(line)) return
    }
    for (const { kind, start } of parts(line, 0, this.string)) {
      if (kind === "open") this.brackets.open(line[start] as Opener, undefined)
      else if (kind === "close") this.mismatched ||= this.brackets.close(line[start] as Closer)?.pairs === false
      this.string = kind === "unclosed"
    }
  }
}
