/**
 * Finds strings, comments and brackets, and pairs brackets; no other file does.
 *
 * Guarantees: pure, and imports nothing, since the server reads it before the language is loaded. Every character of a text is in exactly one part;
 * work is linear. Does not: judge. A string without a closing quote ends with the text, and a bracket may close another kind or nothing.
 */

const TAB = 9
export const NEWLINE = 10
export const RETURN = 13
const BLANK = 32
export const QUOTE = 34
const SLASH = 47
const BACKSLASH = 92

export const isBlank = (c: number): boolean => c === BLANK || c === TAB || c === RETURN

/** The offset after the quote that closes a string; -1 without one. `from` is inside the string. */
export const stringEnd = (text: string, from: number): number => {
  for (let i = from; i < text.length; i++) {
    const c = text.charCodeAt(i)
    if (c === BACKSLASH) i++
    else if (c === QUOTE) return i + 1
  }
  return -1
}

/** Does the slash at this offset begin a comment? Otherwise it is an adverb. */
export const beginsComment = (text: string, at: number): boolean => {
  if (at === 0) return true
  const before = text.charCodeAt(at - 1)
  return before === NEWLINE || isBlank(before)
}

/** The offset of the next newline, or the end of the text. */
export const lineEnd = (text: string, from: number): number => {
  const end = text.indexOf("\n", from)
  return end < 0 ? text.length : end
}

export type Opener = "(" | "[" | "{"
export type Closer = ")" | "]" | "}"

const closers: { readonly [O in Opener]: Closer } = { "(": ")", "[": "]", "{": "}" }

export const isOpener = (glyph: string): glyph is Opener => glyph === "(" || glyph === "[" || glyph === "{"
export const isCloser = (glyph: string): glyph is Closer => glyph === ")" || glyph === "]" || glyph === "}"

interface Bracket<About> {
  readonly opener: Opener
  readonly about: About
}

/** The stack of open brackets, each with data of the reader. Two lists, since a text may open millions, and an object for each fills the heap. */
export class Brackets<About> {
  private readonly openers: Opener[] = []
  private readonly abouts: About[] = []

  open(opener: Opener, about: About): void {
    this.openers.push(opener)
    this.abouts.push(about)
  }

  /** Closes the innermost bracket; `pairs` is false when it is of another kind. Undefined when no bracket is open. */
  close(closer: Closer): (Bracket<About> & { readonly pairs: boolean }) | undefined {
    const { innermost } = this
    if (innermost === undefined) return undefined
    this.openers.pop()
    this.abouts.pop()
    return { ...innermost, pairs: closers[innermost.opener] === closer }
  }

  get innermost(): Bracket<About> | undefined {
    const opener = this.openers.at(-1)
    return opener && { opener, about: this.abouts.at(-1)! }
  }

  get depth(): number {
    return this.openers.length
  }
}

export interface Part {
  /** `unclosed` is a string without a closing quote; `code` is all other text, blanks included. */
  readonly kind: "code" | "string" | "unclosed" | "comment" | "open" | "close" | "newline"
  readonly start: number
  /** The offset after the part. */
  readonly end: number
}

const stringPart = (text: string, start: number, from: number): Part => {
  const end = stringEnd(text, from)
  return end < 0 ? { kind: "unclosed", start, end: text.length } : { kind: "string", start, end }
}

/** The part that begins at an offset; undefined when code begins there. */
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

/** The parts of a text from an offset on. `inString`: a string is open at that offset. */
export function* parts(text: string, from = 0, inString = false): Generator<Part, void> {
  /** The beginning of the code that is not yielded yet. */
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

/** The text with comments and the insides of strings blanked. All other characters keep their offsets and lines. */
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

/** The offset of the last statement of a line: after its last `;` outside brackets. */
export const lastStatement = (line: string): number => {
  let depth = 0
  let last = 0
  for (const { kind, start, end } of parts(line)) {
    if (kind === "open") depth++
    else if (kind === "close") depth--
    else if (kind === "code" && depth === 0 && line.slice(start, end).includes(";")) last = line.lastIndexOf(";", end - 1) + 1
  }
  return last
}
