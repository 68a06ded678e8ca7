/**
 * Strings, comments and brackets: the one file that tells where they begin and end, and which bracket closes which.
 *
 * Guarantees: pure, and imports nothing, since the server reads it before the language is loaded. Every character of a text is in exactly one
 * part; work is linear. Does not: judge; a string that is not closed ends with the text, and a bracket may close another kind or nothing.
 */

const TAB = 9
const NEWLINE = 10
const RETURN = 13
const BLANK = 32
const QUOTE = 34
const SLASH = 47
const BACKSLASH = 92

export const isBlank = (c: number): boolean => c === BLANK || c === TAB || c === RETURN

/** Behind the quote that closes a string, searched from `from`, which is inside of it; -1 when none does. */
export const stringEnd = (text: string, from: number): number => {
  for (let i = from; i < text.length; i++) {
    const c = text.charCodeAt(i)
    if (c === BACKSLASH) i++
    else if (c === QUOTE) return i + 1
  }
  return -1
}

/** Does a comment begin at a slash at this place? Elsewhere it is an adverb. */
export const beginsComment = (text: string, at: number): boolean => {
  if (at === 0) return true
  const before = text.charCodeAt(at - 1)
  return before === NEWLINE || isBlank(before)
}

/** The place of the next newline, or the end of the text. */
export const lineEnd = (text: string, from: number): number => {
  const end = text.indexOf("\n", from)
  return end < 0 ? text.length : end
}

export type Opener = "(" | "[" | "{"
export type Closer = ")" | "]" | "}"

const closers: { readonly [O in Opener]: Closer } = { "(": ")", "[": "]", "{": "}" }

export const isOpener = (glyph: string): glyph is Opener => glyph === "(" || glyph === "[" || glyph === "{"
export const isCloser = (glyph: string): glyph is Closer => glyph === ")" || glyph === "]" || glyph === "}"

/** The brackets that are open, each with a note of its reader. */
export class Brackets<About> {
  private readonly stack: { readonly opener: Opener; readonly about: About }[] = []

  open(opener: Opener, about: About): void {
    this.stack.push({ opener, about })
  }

  /** The bracket that this one closes, and whether it is of its kind; undefined when nothing is open. */
  close(closer: Closer): { readonly opener: Opener; readonly about: About; readonly pairs: boolean } | undefined {
    const innermost = this.stack.pop()
    return innermost && { ...innermost, pairs: closers[innermost.opener] === closer }
  }

  get innermost(): { readonly opener: Opener; readonly about: About } | undefined {
    return this.stack.at(-1)
  }

  get depth(): number {
    return this.stack.length
  }
}

export interface Part {
  /** `unclosed` is a string that no quote closes; `code` is the rest, blanks too. */
  readonly kind: "code" | "string" | "unclosed" | "comment" | "open" | "close" | "newline"
  readonly start: number
  /** Behind it. */
  readonly end: number
}

const stringPart = (text: string, start: number, from: number): Part => {
  const end = stringEnd(text, from)
  return end < 0 ? { kind: "unclosed", start, end: text.length } : { kind: "string", start, end }
}

/** The part that begins at a place; undefined when that is code. */
const partAt = (text: string, at: number): Part | undefined => {
  switch (text.charCodeAt(at)) {
    case QUOTE:
      return stringPart(text, at, at + 1)
    case SLASH:
      return beginsComment(text, at) ? { kind: "comment", start: at, end: lineEnd(text, at) } : undefined
    case NEWLINE:
      return { kind: "newline", start: at, end: at + 1 }
    case 40:
    case 91:
    case 123:
      return { kind: "open", start: at, end: at + 1 }
    case 41:
    case 93:
    case 125:
      return { kind: "close", start: at, end: at + 1 }
    default:
      return undefined
  }
}

/** The parts of a text from a place on; `inString` says that a string is open there. */
export function* parts(text: string, from = 0, inString = false): Generator<Part, void> {
  /** Where code began that has not been given yet. */
  let code = from
  for (let at = from; at < text.length;) {
    const part = inString && at === from ? stringPart(text, from, from) : partAt(text, at)
    if (part === undefined) {
      at++
      continue
    }
    if (code < at) yield { kind: "code", start: code, end: at }
    yield part
    at = code = part.end
  }
  if (code < text.length) yield { kind: "code", start: code, end: text.length }
}

const blanked = (part: string): string => part.replaceAll(/[^\n]/g, " ")

/** The text with blanks for comments and for the insides of strings. Every other character, and every line, stays at its place. */
export const codeAlone = (text: string): string => {
  let out = ""
  for (const { kind, start, end } of parts(text)) {
    if (kind === "comment") out += blanked(text.slice(start, end))
    else if (kind === "unclosed") out += `"${blanked(text.slice(start + 1))}`
    else if (kind === "string") out += `"${blanked(text.slice(start + 1, end - 1))}"`
    else out += text.slice(start, end)
  }
  return out
}
