/**
 * Reads the literals of K: numbers, symbols and strings.
 *
 * Guarantees: adjacent literals of a kind are one vector, and the end offset is returned with it. An int too large for 32 bits becomes the largest
 * int, as in k.exe. Does not: decide where a literal begins; `lexer.ts` does.
 */
import { SyntaxKError } from "../syntax/SyntaxKError.ts"
import { isBlank, stringEnd } from "./scan.ts"
import { char, chars, collapse, Float, NULL_INT, INF_INT, sym, vector, type Value } from "../values/value.ts"

/** Pays for steps of reading, before they are taken. */
export type Pay = (steps: number) => void
export const free: Pay = () => {}

export interface Literal {
  readonly value: Value
  /** The offset after the literal. */
  readonly end: number
}

/** A plus in an exponent needs two digits or more, as in output: `1e+15`; `1e+3` is no number. */
const NUMBER = /-?(?:0[NI](?![A-Za-z0-9])|0[ni](?![A-Za-z0-9])|(?:\d+\.?\d*|\.\d+)(?:[eE](?:-?\d+|\+\d\d+))?)/y
const SYMBOL = /(?:\.{0,2}[A-Za-z_][A-Za-z0-9_]*)+(?:\.(?![\d(.]))?/y

/** The match of a sticky pattern at an offset. */
export const match = (re: RegExp, text: string, at: number): string | undefined => {
  re.lastIndex = at
  return re.exec(text)?.[0]
}

export const isDigit = (c: number): boolean => c >= 48 && c <= 57
export const isLetter = (c: number): boolean => (c >= 65 && c <= 90) || (c >= 97 && c <= 122)

/** Does a number begin here: a digit, or a minus or point with a digit after it? */
export const startsNumber = (text: string, at: number): boolean => {
  if (text.charCodeAt(at) === 45) at++
  const c = text.charCodeAt(at)
  return isDigit(c) || (c === 46 && isDigit(text.charCodeAt(at + 1)))
}

/** `0:` to `9:`: a lone digit and a colon. */
export const startsDigitVerb = (text: string, at: number): boolean => isDigit(text.charCodeAt(at)) && text.charCodeAt(at + 1) === 58

/** One number: its value alone, and its value in a vector of floats. */
interface NumberWord {
  readonly v: number
  readonly isFloat: boolean
  readonly amongFloats: number
}

/** Numbers without digits. */
const SPECIAL: ReadonlyMap<string, NumberWord> = new Map([
  ["0N", { v: NULL_INT, isFloat: false, amongFloats: NaN }],
  ["-0N", { v: NULL_INT, isFloat: false, amongFloats: NaN }],
  ["0n", { v: NaN, isFloat: true, amongFloats: NaN }],
  ["-0n", { v: NaN, isFloat: true, amongFloats: NaN }],
  ["0I", { v: INF_INT, isFloat: false, amongFloats: Infinity }],
  ["-0I", { v: -INF_INT, isFloat: false, amongFloats: -Infinity }],
  ["0i", { v: Infinity, isFloat: true, amongFloats: Infinity }],
  ["-0i", { v: -Infinity, isFloat: true, amongFloats: -Infinity }],
])

const numberValue = (word: string): NumberWord => {
  const v = Number(word)
  const isFloat = /[.eE]/.test(word)
  return SPECIAL.get(word) ?? { v: isFloat ? v : Math.max(-INF_INT, Math.min(INF_INT, v)) | 0, isFloat, amongFloats: v }
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ["n", "\n"],
  ["t", "\t"],
  ["r", "\r"],
  ["b", "\b"],
])

const ESCAPE = /\\([0-7]{1,3}|[^])/g
/** A piece of a text. No escape is cut at its end. */
const PIECE = /(?:\\[0-7]{1,3}|\\?[^]){1,4096}/g

const unescape = (body: string, pay: Pay): string =>
  body.includes("\\")
    ? body.replace(PIECE, (piece) => {
        pay(piece.length >> 2)
        return piece.replace(ESCAPE, (_, c: string) =>
          c >= "0" && c < "8" ? String.fromCharCode(parseInt(c, 8) & 255) : (ESCAPES.get(c) ?? c),
        )
      })
    : body

/** The first offset from `at` on that is no blank. */
export const skipped = (text: string, at: number): number => {
  while (isBlank(text.charCodeAt(at))) at++
  return at
}

/** Calls `found` for each of the adjacent numbers from `start` on; gives the offset after the last. */
const eachNumber = (text: string, start: number, pay: Pay, found: (number: NumberWord) => void): number => {
  for (let end = start; ;) {
    pay(1)
    const word = match(NUMBER, text, end)!
    found(numberValue(word))
    end += word.length
    const span = { start: end, end: end + 1 }
    const c = text.charCodeAt(end)
    if (c === 106) throw new SyntaxKError("unknown", span, { what: "number", goesOn: "long" })
    if (isLetter(c)) throw new SyntaxKError("parse", span, { what: "number", goesOn: "letter" })
    if (c === 46 && isDigit(text.charCodeAt(end + 1))) throw new SyntaxKError("parse", span, { what: "number", goesOn: "point" })
    const next = skipped(text, end)
    if (next === end || !startsNumber(text, next) || startsDigitVerb(text, next)) return end
    end = next
  }
}

export const numbers = (text: string, start: number, pay: Pay): Literal => {
  let count = 0
  let isFloat = false
  let last = 0
  const end = eachNumber(text, start, pay, (number) => {
    count++
    isFloat ||= number.isFloat
    last = number.v
  })
  if (count === 1) return { value: isFloat ? new Float(last) : last, end }
  // Reads twice: keeping every number of the first pass would take ten times the memory of the text.
  let i = 0
  const items = isFloat ? new Float64Array(count) : new Int32Array(count)
  eachNumber(text, start, pay, ({ v, amongFloats }) => (items[i++] = isFloat ? amongFloats : v))
  return { value: vector(isFloat ? -2 : -1, items), end }
}

/** The unescaped text of the string whose opening quote is at `start`, and the offset after it. */
const quoted = (text: string, start: number, pay: Pay): { readonly body: string; readonly end: number } => {
  const end = stringEnd(text, start + 1)
  if (end < 0) throw new SyntaxKError("open", { start, end: start + 1 }, { what: "not-closed", opener: '"' })
  return { body: unescape(text.slice(start + 1, end - 1), pay), end }
}

export const string = (text: string, start: number, pay: Pay): Literal => {
  const { body, end } = quoted(text, start, pay)
  return { value: body.length === 1 ? char(body.charCodeAt(0)) : chars(body), end }
}

/** The text of a symbol after its backquote: a quoted text or a name. */
const symbolAt = (text: string, start: number, pay: Pay): ReturnType<typeof quoted> => {
  if (text.charCodeAt(start) === 34) return quoted(text, start, pay)
  const body = match(SYMBOL, text, start) ?? ""
  return { body, end: start + body.length }
}

export const symbols = (text: string, start: number, pay: Pay): Literal => {
  const found: Value[] = []
  for (let at = start; ;) {
    pay(1)
    const { body, end } = symbolAt(text, at + 1, pay)
    found.push(sym(body))
    at = skipped(text, end)
    if (text.charCodeAt(at) !== 96) return { value: found.length === 1 ? found[0]! : collapse(found), end }
  }
}
