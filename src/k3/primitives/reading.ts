/**
 * Reads numbers from text, for `0$"12"` and the fields of `0:`.
 *
 * Guarantees: blanks around a number are skipped; text that is no number reads as `0N` or `0n`; digits beyond the range of an int read as `0I` or
 * `-0I`, as in a literal. Does not: accept more than the language's own literals (`1e+3`, hexadecimal), except a leading `+`.
 */
import { INF_INT, NULL_INT, text } from "../values/value.ts"

const MINUS = 45
const PLUS = 43
const POINT = 46
const ZERO = 48

const INT = /^\s*([+-]?\d+)\s*$/
/** Matches in linear time: there is one way to match any digits. */
const FLOAT = /^\s*[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?\s*$/

/** An int of K: digits, `0N`, `0I`, `-0I`. */
export const readInt = (text: string): number => {
  const match = INT.exec(text)
  if (match !== null) return Math.max(-INF_INT, Math.min(INF_INT, Number(match[1]))) | 0
  const name = text.trim()
  return name === "0I" ? INF_INT : name === "-0I" ? -INF_INT : NULL_INT
}

/** As `readInt`, for bytes; plain digits are read directly. */
export const readIntIn = (bytes: Uint8Array, from: number, to: number): number => {
  const start = from < to && bytes[from] === MINUS ? from + 1 : from
  if (to > start && to - start < 10) {
    let n = 0
    let i = start
    for (; i < to; i++) {
      const digit = bytes[i]! - ZERO
      if (digit < 0 || digit > 9) break
      n = 10 * n + digit
    }
    if (i === to) return start === from ? n : -n | 0
  }
  return readInt(text(bytes.subarray(from, to)))
}

/** A float of K: any number, `0n`, `0i`, `-0i`, and the nulls of ints. */
export const readFloat = (text: string): number => (FLOAT.test(text) ? Number(text) : (INFINITE.get(text.trim()) ?? NaN))

const INFINITE: ReadonlyMap<string, number> = new Map([
  ["0i", Infinity],
  ["0I", Infinity],
  ["-0i", -Infinity],
  ["-0I", -Infinity],
])

/** The powers of ten in use, all exact as floats. */
const POWERS = Float64Array.from({ length: 17 }, (_, i) => Number(`1e${i}`))

/**
 * As `readFloat`, for bytes. Digits with a point are a whole number below 2^53 divided by a power of ten; both are exact, so the quotient is the
 * float nearest to the text.
 */
export const readFloatIn = (bytes: Uint8Array, from: number, to: number): number => {
  const signed = from < to && (bytes[from] === MINUS || bytes[from] === PLUS)
  let n = 0
  let point = -1
  let i = signed ? from + 1 : from
  const digits = to - i
  if (digits > 0 && digits < POWERS.length) {
    for (; i < to; i++) {
      const digit = bytes[i]! - ZERO
      if (digit >= 0 && digit <= 9) n = 10 * n + digit
      else if (bytes[i] === POINT && point < 0) point = i
      else break
    }
    if (i === to && n < 2 ** 53 && (point < 0 || digits > 1)) {
      const x = point < 0 ? n : n / POWERS[to - 1 - point]!
      return signed && bytes[from] === MINUS ? -x : x
    }
  }
  return readFloat(text(bytes.subarray(from, to)))
}

/** A byte that `trim` drops. */
export const isBlank = (byte: number): boolean => byte === 32 || (byte >= 9 && byte <= 13) || byte === 160
