/**
 * Physical lines and statements: where a statement ends, and lines and columns of offsets.
 *
 * Guarantees: a statement is a line, or the lines from one that opens a bracket or string to the one that closes it; a `\command` and a
 * comment are lines of their own. Does not: judge; a closing bracket too many closes nothing.
 */

/** What is still open after a text: the number of brackets, and whether a string is. */
interface Open {
  readonly brackets: number
  readonly string: boolean
}

const scan = (text: string, from: Open): Open => {
  let { brackets, string } = from
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i)
    if (string) {
      if (c === 92) i++
      else if (c === 34) string = false
    } else if (c === 34) string = true
    else if (c === 40 || c === 91 || c === 123) brackets++
    else if (c === 41 || c === 93 || c === 125) brackets = Math.max(0, brackets - 1)
    else if (c === 47 && (i === 0 || text.charCodeAt(i - 1) <= 32)) while (i + 1 < text.length && text.charCodeAt(i + 1) !== 10) i++
  }
  return { brackets, string }
}

const CLOSED: Open = { brackets: 0, string: false }

export const isOpen = (text: string): boolean => {
  if (text.startsWith("\\")) return false
  const { brackets, string } = scan(text, CLOSED)
  return brackets > 0 || string
}

/** A statement of a script, and the line (from 1) that it begins on. */
export interface Statement {
  readonly source: string
  readonly line: number
}

/** Empty lines and comment lines between statements are left out. */
export const statements = (script: string): readonly Statement[] => {
  const out: Statement[] = []
  let open = CLOSED
  let parts: string[] = []
  let first = 0
  script.split("\n").forEach((text, i) => {
    const line = text.endsWith("\r") ? text.slice(0, -1) : text
    if (parts.length === 0) {
      if (line.trim() === "" || line.trimStart().startsWith("/")) return
      first = i + 1
      if (line.startsWith("\\")) {
        out.push({ source: line, line: first })
        return
      }
    }
    parts.push(line)
    open = scan(line, open)
    if (open.brackets > 0 || open.string) return
    out.push({ source: parts.join("\n"), line: first })
    parts = []
    open = CLOSED
  })
  if (parts.length > 0) out.push({ source: parts.join("\n"), line: first })
  return out
}

export interface Place {
  /** From 1. */
  readonly line: number
  /** From 1. */
  readonly column: number
  /** The text of that line. */
  readonly text: string
}

export const placeOf = (source: string, offset: number): Place => {
  const start = source.lastIndexOf("\n", offset - 1) + 1
  const end = source.indexOf("\n", offset)
  const line = source.slice(0, start).split("\n").length
  return { line, column: offset - start + 1, text: source.slice(start, end < 0 ? source.length : end) }
}
