/**
 * Code of many lines cut into the statements of K that an interpreter takes one at a time. Pure, and shared by server and child.
 *
 * Guarantees: no character is lost but comments, blanks, and line ends that mean nothing; what a line end means within a statement is
 * written into its `wire`. Does not: parse K, or tell whether a statement that is not left open is good.
 */

/** Something the author of a statement should know: a `}` on a line of its own makes the function return nil. */
export interface Note {
  readonly kind: "brace"
  /** The brace's line in the code, from 1. */
  readonly line: number
}

/** One statement of K, or one `\command`. Lines and columns count from 1 in the whole code. */
export interface Statement {
  /** The physical lines as they were written, newlines and comments included. */
  readonly source: string
  /** The line it begins on. */
  readonly line: number
  /** The same in one physical line, without comments. */
  readonly wire: string
  readonly notes: readonly Note[]
  /** Is `\` its first character that is no blank? */
  readonly command: boolean
  /** The bracket or string that is still open where the code ends. */
  readonly open?: { readonly what: "(" | "[" | "{" | '"'; readonly line: number; readonly column: number }
}

interface Opener {
  readonly what: "(" | "[" | "{"
  readonly line: number
  readonly column: number
  readonly parameters: boolean
}

const closers = { "(": ")", "[": "]", "{": "}" } as const

/**
 * Code of many lines as statements, in order. Blank and comment lines give none. A statement left open at the end holds the rest
 * of the code; a bracket closed by another kind of bracket ends its statement with the line.
 */
export const statements = (code: string): Statement[] => {
  const text = code.replaceAll("\r\n", "\n")
  const found: Statement[] = []
  for (let start = 0, line = 1; start < text.length;) {
    const read = isCommandAt(text, start) ? readCommand(text, start, line) : readStatement(text, start, line)
    if (read.statement !== undefined) found.push(read.statement)
    start = read.end + 1
    line = read.line + 1
  }
  return found
}

/** A statement, the offset of the newline (or end) after it, and the line it ends on. */
interface Read {
  readonly statement: Statement | undefined
  readonly end: number
  readonly line: number
}

const lineEnd = (text: string, from: number): number => {
  const end = text.indexOf("\n", from)
  return end < 0 ? text.length : end
}

const isCommandAt = (text: string, start: number): boolean => {
  let i = start
  while (isBlank(text[i])) i++
  return text[i] === "\\"
}

const readCommand = (text: string, start: number, line: number): Read => {
  const end = lineEnd(text, start)
  const source = text.slice(start, end)
  return { statement: { source, line, wire: source.trim(), notes: [], command: true }, end, line }
}

const isBlank = (c: string | undefined): boolean => c === " " || c === "\t"

const readStatement = (text: string, start: number, firstLine: number): Read => {
  const opened: Opener[] = []
  const notes: Note[] = []
  let open: Statement["open"]
  let mismatched = false
  let line = firstLine
  let lineStart = start
  let wire = ""
  /** Where the text not yet copied to `wire` begins. */
  let from = start
  /** The last character that was no blank; what a newline means depends on it. */
  let last = ""
  let afterParameters = false
  let newline = false
  let i = start
  const nextLine = (at: number): void => {
    line++
    lineStart = from = at
  }

  for (;;) {
    const c = text[i]
    if (c === undefined || c === "\n") {
      wire += text.slice(from, i).trimEnd()
      if (c === undefined || opened.length === 0 || mismatched) break
      newline = true
      nextLine(++i)
      continue
    }
    if (isBlank(c)) {
      i++
      continue
    }
    if (c === "/" && (i === lineStart || isBlank(text[i - 1]))) {
      wire += text.slice(from, i).trimEnd()
      from = i = lineEnd(text, i)
      continue
    }
    if (newline) {
      newline = false
      from = i
      if (afterParameters) wire += " "
      else if (last !== ";" && !(last in closers) && c !== ")" && c !== "]") {
        wire += ";"
        if (c === "}") notes.push({ kind: "brace", line })
      }
    }
    const before = last
    last = c
    afterParameters = false
    if (c === '"') {
      const opener = { what: c, line, column: i - lineStart + 1 } as const
      for (i++; i < text.length && text[i] !== '"'; i++) {
        const escaped = text[i] === "\\"
        if (text[escaped ? i + 1 : i] === "\n") {
          wire += `${text.slice(from, i)}\\n`
          if (escaped) i++
          nextLine(i + 1)
        } else if (escaped) i++
      }
      if (i >= text.length) {
        wire += text.slice(from)
        open = opener
        i = text.length
        break
      }
    } else if (c === "(" || c === "[" || c === "{") {
      opened.push({ what: c, line, column: i - lineStart + 1, parameters: c === "[" && before === "{" })
    } else if (c === ")" || c === "]" || c === "}") {
      const opener = opened.pop()
      if (opener !== undefined && closers[opener.what] !== c) mismatched = true
      afterParameters = opener?.parameters === true
    }
    i++
  }

  const innermost = opened.at(-1)
  if (open === undefined && innermost !== undefined && !mismatched)
    open = { what: innermost.what, line: innermost.line, column: innermost.column }
  const source = text.slice(start, i)
  const statement = { source, line: firstLine, wire, notes, command: false, ...(open === undefined ? {} : { open }) }
  return { statement: last === "" ? undefined : statement, end: i, line }
}
