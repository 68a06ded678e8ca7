/**
 * Text to tokens.
 *
 * Guarantees: tokens carry the offsets they came from; numbers, symbols and strings that stand together are one literal; comments are gone;
 * a line end inside brackets is a `;` where K counts it as one, and nothing where it does not; brackets pair, and one left open is an
 * error at the bracket.
 * Does not: know which names are verbs beyond glyphs and the system names it is given.
 */
import type { Span } from "../run/KError.ts"
import {
  free,
  isDigit,
  isLetter,
  match,
  numbers,
  startsDigitVerb,
  startsNumber,
  string,
  symbols,
  type Literal,
  type Pay,
} from "./literals.ts"
import { beginsComment, Brackets, type Closer, isBlank, isCloser, isOpener, lineEnd } from "./scan.ts"
import { SyntaxKError } from "../syntax/SyntaxKError.ts"
import type { Value } from "../values/value.ts"

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

/** All bytes of one, in UTF-8. */
const CHARACTER = /[\xc2-\xf4][\x80-\xbf]+|[^]/y
/** A dot at the end, where nothing follows that it could be applied to, stands for the attributes of the name. */
const NAME = /\.?[A-Za-z][A-Za-z0-9_]*(?:\.{1,2}[A-Za-z][A-Za-z0-9_]*)*(?:\.(?=[ \t\r]*(?:$|[)\]};\n])))?/y
const SYSTEM = /_[A-Za-z][A-Za-z0-9]*/y
const GLYPHS = "+-*%|&^!<>=~@?_,#$."

/** Does a noun end with this token, so that a verb after it is dyadic? */
const endsNoun = (t: Token | undefined): boolean =>
  t !== undefined &&
  (t.kind === "literal" || t.kind === "name" || t.kind === "system" || t.kind === ")" || t.kind === "]" || t.kind === "}")

/** All tokens, the last being `end`. `isSystemName` tells the names that begin with `_`. */
export const tokens = (text: string, isSystemName: (name: string) => boolean, pay: Pay = free): Token[] => {
  const out: Token[] = []
  /** Each with its position in `out`, and whether a `;` has been met in it. */
  const brackets = new Brackets<{ readonly position: number; parted: boolean }>()
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
    if (kind === ";" && brackets.innermost !== undefined) brackets.innermost.about.parted = true
    at = end
    spaced = false
    afterParameters = false
  }

  const literal = ({ value, end }: Literal): void => push("literal", at, end, value)

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
    } else if (c === 47 && beginsComment(text, at)) at = lineEnd(text, at)
    else if (c === 34) literal(string(text, at))
    else if (c === 96) literal(symbols(text, at, pay))
    else if (startsDigitVerb(text, at)) push("verb", at, at + 2)
    else if (startsNumber(text, at) && (c === 45 || c === 46 ? spaced || !endsNoun(last) : true)) literal(numbers(text, at, pay))
    else if (isLetter(c) || (c === 46 && isLetter(text.charCodeAt(at + 1)) && (spaced || !endsNoun(last)))) name(at)
    else if (c === 95 && isLetter(text.charCodeAt(at + 1))) systemName(at)
    else if (c === 58) push("colon", at, at + 1)
    else if (c === 39 || c === 47 || c === 92) push("adverb", at, text.charCodeAt(at + 1) === 58 ? at + 2 : at + 1)
    else if (GLYPHS.includes(glyph)) push("verb", at, text.charCodeAt(at + 1) === 58 && text.charCodeAt(at + 2) !== 58 ? at + 2 : at + 1)
    else if (glyph === ";") push(";", at, at + 1)
    else if (isOpener(glyph)) {
      push(glyph, at, at + 1)
      brackets.open(glyph, { position: out.length - 1, parted: false })
    } else if (isCloser(glyph)) close(glyph)
    else {
      const character = match(CHARACTER, text, at)!
      const span = { start: at, end: at + character.length }
      throw new SyntaxKError("character", span, { what: "no-character", character })
    }
  }
  if (brackets.innermost !== undefined) {
    const opener = out[brackets.innermost.about.position]!
    throw new SyntaxKError("open", opener, { what: "not-closed", opener: opener.text })
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
    else throw new SyntaxKError("reserved", { start, end: start + word.length }, { what: "no-system-name", name: word })
  }

  function close(glyph: Closer): void {
    const closed = brackets.close(glyph)
    if (closed === undefined) throw new SyntaxKError("unmatched", { start: at, end: at + 1 }, { what: "closes-nothing", closer: glyph })
    const { position, parted } = closed.about
    const opener = out[position]!
    if (!closed.pairs)
      throw new SyntaxKError("unmatched", opener, { what: "closed-by", opener: opener.text, closer: glyph }, { start: at, end: at + 1 })
    if (glyph !== "}") while (out[out.length - 1]!.kind === ";" && out[out.length - 1]!.text === "\n") out.pop()
    push(glyph, at, at + 1)
    const before = out[position - 1]
    afterParameters = glyph === "]" && before?.kind === "{"
    if (glyph === "]" && before?.kind === "verb" && before.end === opener.start) conditional(position, before, opener, parted)
  }

  /** `+:[c;t;f]`, and `x+:[y]` behind a noun, are no call of the monad: the colon belongs to the bracket. */
  function conditional(position: number, verb: Token, opener: Token, parted: boolean): void {
    if (verb.text[1] !== ":" || isDigit(verb.text.charCodeAt(0))) return
    if (!parted && !endsNoun(out[position - 2])) return
    const colon = verb.end - 1
    out[position - 1] = { ...verb, text: verb.text.slice(0, 1), end: colon }
    out[position] = { ...opener, kind: ":[", text: ":[", start: colon }
  }
}
