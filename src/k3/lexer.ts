/**
 * Text to tokens.
 *
 * Guarantees: tokens carry the offsets they came from; numbers, symbols and strings that stand together are one literal; comments are gone;
 * a line end inside brackets is a `;` where K counts it as one, and nothing where it does not; brackets pair, and one left open is an
 * error at the bracket.
 * Does not: know which names are verbs beyond glyphs and the system names it is given.
 */
import { KError, type Span } from "./KError.ts"
import { char, chars, collapse, Float, Floats, NULL_INT, INF_INT, sym, type Value } from "./value.ts"

export type TokenKind =
  | "literal"
  | "name"
  | "system"
  /** A glyph, perhaps with the colon that forces its monad, or `0:` … `9:`. */
  | "verb"
  /** `:` alone. */
  | "colon"
  | "adverb"
  | "("
  | ")"
  | "["
  /** The bracket of a conditional whose colon touches a verb: `1+:[c;t;f]`. */
  | ":["
  | "]"
  | "{"
  | "}"
  | ";"
  | "end"

export interface Token extends Span {
  readonly kind: TokenKind
  readonly text: string
  /** A blank stands before it. */
  readonly spaced: boolean
  /** For a literal. */
  readonly value?: Value
}

/** An error of the text itself, with its place. */
export class SyntaxKError extends KError {
  constructor(
    kname: string,
    readonly span: Span,
    hint?: string,
    /** The bracket that closes another kind, the one at `span`. */
    readonly closer?: Span,
  ) {
    super(kname, hint)
  }
}

/** An exponent has a plus only as it is printed, with two digits or more: `1e+15`; `1e+3` is none. */
const NUMBER = /-?(?:0[NI](?![A-Za-z0-9])|0[ni](?![A-Za-z0-9])|(?:\d+\.?\d*|\.\d+)(?:[eE](?:-?\d+|\+\d\d+))?)/y
/** All bytes of one, in UTF-8. */
const CHARACTER = /[\xc2-\xf4][\x80-\xbf]+|[^]/y
/** A dot at the end, where nothing follows that it could be applied to, stands for the attributes of the name. */
const NAME = /\.?[A-Za-z][A-Za-z0-9_]*(?:\.{1,2}[A-Za-z][A-Za-z0-9_]*)*(?:\.(?=[ \t\r]*(?:$|[)\]};\n])))?/y
const SYMBOL = /(?:\.{0,2}[A-Za-z_][A-Za-z0-9_]*)+(?:\.(?![\d(.]))?/y
const SYSTEM = /_[A-Za-z][A-Za-z0-9]*/y
const GLYPHS = "+-*%|&^!<>=~@?_,#$."

const match = (re: RegExp, text: string, at: number): string | undefined => {
  re.lastIndex = at
  return re.exec(text)?.[0]
}

const isDigit = (c: number): boolean => c >= 48 && c <= 57
const isLetter = (c: number): boolean => (c >= 65 && c <= 90) || (c >= 97 && c <= 122)
const isBlank = (c: number): boolean => c === 32 || c === 9 || c === 13

/** Does a noun end with this token, so that a verb after it is dyadic? */
const endsNoun = (t: Token | undefined): boolean =>
  t !== undefined &&
  (t.kind === "literal" || t.kind === "name" || t.kind === "system" || t.kind === ")" || t.kind === "]" || t.kind === "}")

const startsNumber = (text: string, at: number): boolean => {
  if (text.charCodeAt(at) === 45) at++
  const c = text.charCodeAt(at)
  return isDigit(c) || (c === 46 && isDigit(text.charCodeAt(at + 1)))
}

/** `0:` to `9:`: a lone digit and a colon. */
const startsDigitVerb = (text: string, at: number): boolean => isDigit(text.charCodeAt(at)) && text.charCodeAt(at + 1) === 58

/** One number as written: its value alone, and among floats. */
interface NumberWord {
  readonly v: number
  readonly isFloat: boolean
  readonly amongFloats: number
}

const numberValue = (word: string): NumberWord => {
  const negative = word.charCodeAt(0) === 45
  const digits = negative ? word.slice(1) : word
  const infinity = negative ? -Infinity : Infinity
  switch (digits) {
    case "0N":
      return { v: NULL_INT, isFloat: false, amongFloats: NaN }
    case "0I":
      return { v: negative ? -INF_INT : INF_INT, isFloat: false, amongFloats: infinity }
    case "0n":
      return { v: NaN, isFloat: true, amongFloats: NaN }
    case "0i":
      return { v: infinity, isFloat: true, amongFloats: infinity }
  }
  const v = Number(word)
  if (/[.eE]/.test(word)) return { v, isFloat: true, amongFloats: v }
  // An int too large for 32 bits is the largest there is, as in k.exe.
  return { v: Math.max(-INF_INT, Math.min(INF_INT, v)) | 0, isFloat: false, amongFloats: v }
}

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", b: "\b" }

const unescape = (body: string): string =>
  body.includes("\\")
    ? body.replace(/\\([0-7]{1,3}|[^])/g, (_, c: string) =>
        c >= "0" && c < "8" ? String.fromCharCode(parseInt(c, 8) & 255) : (ESCAPES[c] ?? c),
      )
    : body

/** The offset after the closing quote, or -1. */
const endOfString = (text: string, at: number): number => {
  for (let i = at + 1; i < text.length; i++) {
    const c = text.charCodeAt(i)
    if (c === 92) i++
    else if (c === 34) return i + 1
  }
  return -1
}

const CLOSER: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}" }

/** What reading a text costs: so many steps, before they are taken. */
export type Pay = (steps: number) => void
export const free: Pay = () => {}

/** All tokens, the last being `end`. `isSystemName` tells the names that begin with `_`. */
export const tokens = (text: string, isSystemName: (name: string) => boolean, pay: Pay = free): Token[] => {
  const out: Token[] = []
  /** Positions in `out` of the brackets not yet closed. */
  const open: number[] = []
  /** Those of which a `;` has been met. */
  const parted = new Set<number>()
  let at = 0
  let spaced = true
  /** The token before was the end of a parameter list. */
  let afterParameters = false

  const push = (kind: TokenKind, start: number, end: number, value?: Value): void => {
    pay(1 + ((end - start) >> 5))
    out.push(
      value === undefined
        ? { kind, text: text.slice(start, end), start, end, spaced }
        : { kind, text: text.slice(start, end), start, end, spaced, value },
    )
    if (kind === ";" && open.length > 0) parted.add(open[open.length - 1]!)
    at = end
    spaced = false
    afterParameters = false
  }

  const numbers = (start: number): void => {
    const found: NumberWord[] = []
    let end = start
    for (;;) {
      pay(1)
      const word = match(NUMBER, text, end)!
      found.push(numberValue(word))
      end += word.length
      const c = text.charCodeAt(end)
      if (isLetter(c)) {
        const span = { start: end, end: end + 1 }
        if (c === 106) throw new SyntaxKError("nonce", span, "64-bit ints (123j) are not K3")
        throw new SyntaxKError("parse", span, "a letter follows a number")
      }
      if (c === 46 && isDigit(text.charCodeAt(end + 1)))
        throw new SyntaxKError("parse", { start: end, end: end + 1 }, "a number has one point")
      let next = end
      while (isBlank(text.charCodeAt(next))) next++
      if (next === end || !startsNumber(text, next) || startsDigitVerb(text, next)) break
      end = next
    }
    if (found.length === 1) push("literal", start, end, found[0]!.isFloat ? new Float(found[0]!.v) : found[0]!.v)
    else if (found.some((n) => n.isFloat)) push("literal", start, end, new Floats(Float64Array.from(found, (n) => n.amongFloats)))
    else push("literal", start, end, collapse(found.map((n) => n.v)))
  }

  const quotedEnd = (start: number): number => {
    const end = endOfString(text, start)
    if (end < 0) throw new SyntaxKError("open", { start, end: start + 1 }, "the string is not closed")
    return end
  }

  const symbols = (start: number): void => {
    const found: Value[] = []
    let end = start
    for (;;) {
      pay(1)
      if (text.charCodeAt(end + 1) === 34) {
        const close = quotedEnd(end + 1)
        found.push(sym(unescape(text.slice(end + 2, close - 1))))
        end = close
      } else {
        const name = match(SYMBOL, text, end + 1) ?? ""
        found.push(sym(name))
        end += 1 + name.length
      }
      let next = end
      while (isBlank(text.charCodeAt(next))) next++
      if (text.charCodeAt(next) !== 96) break
      end = next
    }
    push("literal", start, end, found.length === 1 ? found[0]! : collapse(found))
  }

  const newline = (): void => {
    const last = out[out.length - 1]
    const counts =
      last !== undefined && last.kind !== ";" && last.kind !== "(" && last.kind !== "[" && last.kind !== "{" && !afterParameters
    const params = afterParameters
    if (counts) push(";", at, at + 1)
    else at++
    afterParameters = params
    spaced = true
  }

  while (at < text.length) {
    const c = text.charCodeAt(at)
    const glyph = text[at]!
    const last = out[out.length - 1]
    if (c === 10) newline()
    else if (isBlank(c)) {
      at++
      spaced = true
    } else if (c === 47 && spaced && (at === 0 || text.charCodeAt(at - 1) <= 32)) {
      while (at < text.length && text.charCodeAt(at) !== 10) at++
    } else if (c === 34) {
      const end = quotedEnd(at)
      const body = unescape(text.slice(at + 1, end - 1))
      push("literal", at, end, body.length === 1 ? char(body.charCodeAt(0)) : chars(body))
    } else if (c === 96) symbols(at)
    else if (startsDigitVerb(text, at)) push("verb", at, at + 2)
    else if (startsNumber(text, at) && (c === 45 || c === 46 ? spaced || !endsNoun(last) : true)) numbers(at)
    else if (isLetter(c) || (c === 46 && isLetter(text.charCodeAt(at + 1)) && (spaced || !endsNoun(last)))) name(at)
    else if (c === 95 && isLetter(text.charCodeAt(at + 1))) systemName(at)
    else if (c === 58) push("colon", at, at + 1)
    else if (c === 39 || c === 47 || c === 92) push("adverb", at, text.charCodeAt(at + 1) === 58 ? at + 2 : at + 1)
    else if (GLYPHS.includes(glyph)) push("verb", at, text.charCodeAt(at + 1) === 58 && text.charCodeAt(at + 2) !== 58 ? at + 2 : at + 1)
    else if (glyph === ";") push(";", at, at + 1)
    else if (glyph === "(" || glyph === "[" || glyph === "{") {
      push(glyph, at, at + 1)
      open.push(out.length - 1)
    } else if (glyph === ")" || glyph === "]" || glyph === "}") close(glyph)
    else {
      const character = match(CHARACTER, text, at)!
      const span = { start: at, end: at + character.length }
      throw new SyntaxKError("character", span, `no K text has the character ${JSON.stringify(character)}`)
    }
  }
  if (open.length > 0) {
    const opener = out[open[open.length - 1]!]!
    throw new SyntaxKError("open", opener, `${opener.text} is not closed`)
  }
  while (out.length > 0 && out[out.length - 1]!.kind === ";" && out[out.length - 1]!.text === "\n") out.pop()
  out.push({ kind: "end", text: "", start: text.length, end: text.length, spaced: true })
  return out

  function name(start: number): void {
    const word = match(NAME, text, start)!
    push("name", start, start + word.length)
  }

  function systemName(start: number): void {
    const word = match(SYSTEM, text, start)!
    if (isSystemName(word)) push("system", start, start + word.length)
    else if (!spaced && endsNoun(out[out.length - 1])) push("verb", start, start + 1)
    else throw new SyntaxKError("reserved", { start, end: start + word.length }, `${word} is no system name`)
  }

  function close(glyph: ")" | "]" | "}"): void {
    const position = open.pop()
    if (position === undefined) throw new SyntaxKError("unmatched", { start: at, end: at + 1 }, `nothing is open for ${glyph} to close`)
    const opener = out[position]!
    if (CLOSER[opener.text] !== glyph)
      throw new SyntaxKError("unmatched", opener, `${opener.text} is closed by ${glyph}`, { start: at, end: at + 1 })
    if (glyph !== "}") while (out[out.length - 1]!.kind === ";" && out[out.length - 1]!.text === "\n") out.pop()
    push(glyph, at, at + 1)
    const before = out[position - 1]
    afterParameters = glyph === "]" && before?.kind === "{"
    if (glyph === "]" && before?.kind === "verb" && before.end === opener.start) conditional(position, before, opener)
    parted.delete(position)
  }

  /** `+:[c;t;f]`, and `x+:[y]` behind a noun, are no call of the monad: the colon belongs to the bracket. */
  function conditional(position: number, verb: Token, opener: Token): void {
    if (verb.text[1] !== ":" || isDigit(verb.text.charCodeAt(0))) return
    if (!parted.has(position) && !endsNoun(out[position - 2])) return
    const colon = verb.end - 1
    out[position - 1] = { ...verb, text: verb.text.slice(0, 1), end: colon }
    out[position] = { ...opener, kind: ":[", text: ":[", start: colon }
  }
}
