/**
 * The tokens of K text for an editor, also of text that is incomplete and cannot be parsed.
 *
 * Guarantees: never throws; a line end inside brackets is a `;` token, also where K ignores it; for text that K can parse, names, system names,
 * verbs, adverbs and brackets are the same as in K's lexer (a test holds it). Does not: give the values of literals; find errors.
 */
import { systemWords } from "../k3/documents.ts"
import { parts } from "../k3/text/scan.ts"

type TokenKind = "name" | "system" | "verb" | "adverb" | "colon" | "number" | "symbol" | "string" | "open" | "close" | "semicolon"

export interface EditorToken {
  readonly kind: TokenKind
  readonly text: string
  readonly start: number
  readonly end: number
  /** Does a noun end right before this token? Then a verb here is dyadic. */
  readonly afterNoun: boolean
}

/** All system names. `_f`, the function itself, is syntax and has no row in the table. */
const systemNames = new Set(["_f", ...systemWords])

/** With true, only where no noun ends right before. */
const words: readonly (readonly [kind: TokenKind, pattern: RegExp, begins?: true])[] = [
  ["symbol", /`(?:[A-Za-z_.][\w.]*)?/y],
  ["verb", /\d:(?!:)/y],
  ["number", /(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?[A-Za-z]?/y],
  ["number", /-(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?[A-Za-z]?/y, true],
  ["name", /[A-Za-z]\w*(?:\.{1,2}[A-Za-z]\w*)*/y],
  ["name", /\.[A-Za-z]\w*(?:\.{1,2}[A-Za-z]\w*)*/y, true],
  ["colon", /:/y],
  ["adverb", /['/\\]:?/y],
  ["verb", /[-+*%|&^!<>=~@?_,#$.]:(?!:)/y],
  ["verb", /[-+*%|&^!<>=~@?_,#$.]/y],
  ["semicolon", /;/y],
]

const SYSTEM = /_[A-Za-z][A-Za-z0-9]*/y

const match = (pattern: RegExp, text: string, at: number): string | undefined => {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0]
}

const wordAt = (text: string, at: number, begins: boolean): readonly [TokenKind, string] | undefined => {
  const system = match(SYSTEM, text, at)
  if (system !== undefined && systemNames.has(system)) return ["system", system]
  for (const [kind, pattern, mustBegin] of words) {
    const found = mustBegin === true && !begins ? undefined : match(pattern, text, at)
    if (found !== undefined) return [kind, found]
  }
  return undefined
}

const nouns: ReadonlySet<TokenKind> = new Set(["name", "system", "number", "symbol", "string", "close"])

export const endsNoun = (token: EditorToken | undefined): boolean => token !== undefined && nouns.has(token.kind)

/** The tokens of a statement, in order; `base` is added to their offsets. */
export const tokensOf = (text: string, base = 0): readonly EditorToken[] => {
  const tokens: EditorToken[] = []
  const push = (kind: TokenKind, start: number, end: number): void =>
    void tokens.push({ kind, text: text.slice(start, end), start: base + start, end: base + end, afterNoun: endsNoun(tokens.at(-1)) })
  let isSpaced = true
  for (const { kind, start, end } of parts(text)) {
    if (kind === "open" || kind === "close") push(kind, start, end)
    else if (kind === "string" || kind === "unclosed") push("string", start, end)
    else if (kind === "code")
      for (let at = start; at < end;) {
        const word: ReturnType<typeof wordAt> = /\s/.test(text[at]!) ? undefined : wordAt(text, at, isSpaced || !endsNoun(tokens.at(-1)))
        isSpaced = word === undefined
        if (word !== undefined) push(word[0], at, at + word[1].length)
        at += word?.[1].length ?? 1
      }
    else if (kind === "newline" && !["open", "semicolon", undefined].includes(tokens.at(-1)?.kind)) push("semicolon", start, end)
    if (kind !== "code") isSpaced = kind === "newline" || kind === "comment"
  }
  return tokens
}
