/**
 * Physical lines and statements: where a statement ends, and lines and columns of offsets.
 *
 * Guarantees: a statement is a line, or the lines from one that opens a bracket or string to the one that closes it; a `\command` and a
 * comment are lines of their own; a bracket closed by another kind ends its statement with the line. Does not: judge; a closing bracket too
 * many closes nothing.
 */

/** A bracket that is open, by the code of the char that closes it. */
interface Bracket {
  readonly closer: number
  readonly outer: Bracket | undefined
}

/** What is still open after a text: the innermost bracket, unless one was closed by another kind; and whether a string is. */
export interface Open {
  readonly bracket: Bracket | undefined
  readonly mismatched: boolean
  readonly string: boolean
}

export const CLOSED: Open = { bracket: undefined, mismatched: false, string: false }

/** Is it a `\command`? Blanks may stand before it. */
export const isCommand = (text: string): boolean => /^[ \t]*\\/.test(text)

/** What is open after another line, or more than one. A `\command` on a line of its own opens nothing. */
export const follow = (text: string, from: Open): Open => {
  if (!isGoingOn(from)) {
    if (isCommand(text)) return CLOSED
    from = CLOSED
  }
  let { bracket, mismatched, string } = from
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i)
    if (string) {
      if (c === 92) i++
      else if (c === 34) string = false
    } else if (c === 34) string = true
    else if (c === 40) bracket = { closer: 41, outer: bracket }
    else if (c === 91 || c === 123) bracket = { closer: c + 2, outer: bracket }
    else if (c === 41 || c === 93 || c === 125) {
      mismatched ||= bracket !== undefined && bracket.closer !== c
      bracket = bracket?.outer
    } else if (c === 47 && (i === 0 || text.charCodeAt(i - 1) <= 32)) while (i + 1 < text.length && text.charCodeAt(i + 1) !== 10) i++
  }
  return { bracket, mismatched, string }
}

/** Does the statement go on with the next line? */
export const isGoingOn = ({ bracket, mismatched, string }: Open): boolean => string || (bracket !== undefined && !mismatched)

/** A statement of a script, and the line (from 1) that it begins on. */
export interface Statement {
  readonly source: string
  readonly line: number
}

/**
 * The text of a script file: without the mark of UTF-8 that some editors put first, and with a first line that is for a shell
 * (`#!/usr/bin/env k3`) as a comment.
 */
export const scriptText = (file: string): string => {
  const code = file.startsWith("\xef\xbb\xbf") ? file.slice(3) : file
  return code.startsWith("#!") ? `/${code}` : code
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
      if (isCommand(line)) {
        out.push({ source: line, line: first })
        return
      }
    }
    parts.push(line)
    open = follow(line, open)
    if (isGoingOn(open)) return
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
