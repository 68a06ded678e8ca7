/**
 * Cuts text into tokens.
 *
 * Guarantees: a token carries its offsets; adjacent numbers, symbols and strings are one literal; comments are dropped; a newline inside brackets
 * becomes `;` where K counts it as one, and is dropped elsewhere; brackets pair, and an open bracket is an error at that bracket.
 *
 * Does not: know verbs beyond glyphs and the given system names.
 */
import type { Span } from "../run/KError.ts"
import {
  free,
  isDigit,
  isLetter,
  match,
  numbers,
  skipped,
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
  /** Only of a literal. */
  readonly value?: Value
}

/** The bytes of one character in UTF-8. */
const CHARACTER = /[\xc2-\xf4][\x80-\xbf]+|[^]/y
/** A final dot that is not applied to anything stands for the attributes of the name. */
const NAME = /\.?[A-Za-z][A-Za-z0-9_]*(?:\.{1,2}[A-Za-z][A-Za-z0-9_]*)*(?:\.(?=[ \t\r]*(?:$|[)\]};\n])))?/y
const SYSTEM = /_[A-Za-z][A-Za-z0-9]*/y
const GLYPHS = "+-*%|&^!<>=~@?_,#$."

/** Does a noun end with this token, so that a verb after it is dyadic? */
const endsNoun = (t: Token | undefined): boolean =>
  t !== undefined &&
  (t.kind === "literal" || t.kind === "name" || t.kind === "system" || t.kind === ")" || t.kind === "]" || t.kind === "}")

/** All tokens; the last is `end`. `isSystemName` decides about names that begin with `_`. */
export const tokens = (text: string, isSystemName: (name: string) => boolean, pay: Pay = free): Token[] =>
  new Lexer(text, isSystemName, pay).read()

class Lexer {
  private readonly out: Token[] = []
  /** Open brackets, each with its position in `out`, and whether a `;` was read directly in it. */
  private readonly brackets = new Brackets<{ readonly position: number; parted: boolean }>()
  private at = 0
  private spaced = true
  /** Does the last token end a parameter list? */
  private afterParameters = false

  constructor(
    private readonly text: string,
    private readonly isSystemName: (name: string) => boolean,
    private readonly pay: Pay,
  ) {}

  read(): Token[] {
    const { text, out, brackets } = this
    while (this.at < text.length) this.next()
    if (brackets.innermost !== undefined) {
      const opener = out[brackets.innermost.about.position]!
      throw new SyntaxKError("open", opener, { what: "not-closed", opener: opener.text })
    }
    this.dropNewlines()
    out.push({ kind: "end", text: "", start: text.length, end: text.length, spaced: true })
    return out
  }

  /** Reads a token, blanks, a comment or a newline. */
  private next(): void {
    const { text, at, pay } = this
    const c = text.charCodeAt(at)
    const following = text.charCodeAt(at + 1)
    const glyph = text[at]!
    // A minus or point directly after a noun is a verb, and so is a minus after any `]`.
    const begins = this.spaced || !endsNoun(this.out.at(-1)) || (c === 46 && this.afterParameters)
    if (c === 10) this.newline()
    else if (isBlank(c)) {
      this.at = skipped(text, at)
      pay((this.at - at) >> 4)
      this.spaced = true
    } else if (c === 47 && beginsComment(text, at)) this.at = lineEnd(text, at)
    else if (c === 34) this.literal(string(text, at, pay))
    else if (c === 96) this.literal(symbols(text, at, pay))
    else if (startsDigitVerb(text, at)) this.push("verb", /^:(?![:[])/.test(text.slice(at + 2, at + 4)) ? at + 3 : at + 2)
    else if (startsNumber(text, at) && (begins || isDigit(c))) this.literal(numbers(text, at, pay))
    else if (isLetter(c) || (c === 46 && isLetter(following) && begins)) this.push("name", at + match(NAME, text, at)!.length)
    else if (c === 95 && isLetter(following)) this.systemName(begins)
    else if (c === 58) this.push("colon", at + 1)
    else if (c === 39 || c === 47 || c === 92) this.push("adverb", following === 58 ? at + 2 : at + 1)
    else if (GLYPHS.includes(glyph)) this.push("verb", following === 58 && text.charCodeAt(at + 2) !== 58 ? at + 2 : at + 1)
    else if (glyph === ";") this.push(";", at + 1)
    else if (isOpener(glyph)) {
      this.push(glyph, at + 1)
      this.brackets.open(glyph, { position: this.out.length - 1, parted: false })
    } else if (isCloser(glyph)) this.close(glyph)
    else {
      const character = match(CHARACTER, text, at)!
      throw new SyntaxKError("character", { start: at, end: at + character.length }, { what: "no-character", character })
    }
  }

  private push(kind: TokenKind, end: number, value?: Value): void {
    const start = this.at
    this.pay(1 + ((end - start) >> 5))
    const token = { kind, text: this.text.slice(start, end), start, end, spaced: this.spaced }
    this.out.push(value === undefined ? token : { ...token, value })
    if (kind === ";" && this.brackets.innermost !== undefined) this.brackets.innermost.about.parted = true
    this.at = end
    this.spaced = this.afterParameters = false
  }

  private literal({ value, end }: Literal): void {
    this.push("literal", end, value)
  }

  /** A newline is a `;`, except after `;`, an opening bracket or a parameter list, and at the beginning. */
  private newline(): void {
    const { afterParameters } = this
    const last = this.out.at(-1)?.kind ?? ";"
    if (last === ";" || isOpener(last) || afterParameters) this.at++
    else this.push(";", this.at + 1)
    this.afterParameters = afterParameters
    this.spaced = true
  }

  /** Drops newlines at the end of the text or before a closing bracket: they mean nothing. */
  private dropNewlines(): void {
    while (this.out.at(-1)?.kind === ";" && this.out.at(-1)!.text === "\n") this.out.pop()
  }

  private systemName(begins: boolean): void {
    const { at } = this
    const name = match(SYSTEM, this.text, at)!
    const end = at + name.length
    if (this.isSystemName(name)) this.push("system", end)
    else if (begins) throw new SyntaxKError("reserved", { start: at, end }, { what: "no-system-name", name })
    else this.push("verb", at + 1)
  }

  private close(closer: Closer): void {
    const { at, out } = this
    const span = { start: at, end: at + 1 }
    const closed = this.brackets.close(closer)
    if (closed === undefined) throw new SyntaxKError("unmatched", span, { what: "closes-nothing", closer })
    const { position, parted } = closed.about
    const opener = out[position]!
    if (!closed.pairs) throw new SyntaxKError("unmatched", opener, { what: "closed-by", opener: opener.text, closer }, span)
    if (closer !== "}") this.dropNewlines()
    this.push(closer, at + 1)
    if (closer !== "]") return
    const before = out[position - 1]
    this.afterParameters = before?.kind === "{"
    if (before?.kind === "verb" && before.end === opener.start) this.conditional(position, before, opener, parted)
  }

  /** In `+:[c;t;f]`, and in `x+:[y]` after a noun, the colon belongs to the bracket: the verb is `+`. */
  private conditional(position: number, verb: Token, opener: Token, parted: boolean): void {
    const { out } = this
    if (!/^\D:/.test(verb.text) || (!parted && !endsNoun(out[position - 2]))) return
    const colon = verb.end - 1
    out[position - 1] = { ...verb, text: verb.text.slice(0, 1), end: colon }
    out[position] = { ...opener, kind: ":[", text: ":[", start: colon }
  }
}
