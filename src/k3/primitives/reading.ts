/**
 * Numbers out of text, for `0$"12"` and the fields of `0:`.
 *
 * Guarantees: blanks around a number are passed over; text that is no number reads as `0N` or `0n`; digits beyond the range of an int
 * read as `0I` or `-0I`, as in a literal. Does not: accept what the language's own literals do not (`1e+3`, hexadecimal), save a leading `+`.
 */
import { INF_INT, NULL_INT, text } from "../values/value.ts"

const INT = /^\s*([+-]?\d+)\s*$/
const FLOAT = /^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\s*$/

/** An int of K: digits, `0N`, `0I`, `-0I`. */
export const readInt = (text: string): number => {
  const match = INT.exec(text)
  if (match !== null) {
    return Math.max(-INF_INT, Math.min(INF_INT, Number(match[1]))) | 0
  }
  const name = text.trim()
  return name === "0I" ? INF_INT : name === "-0I" ? -INF_INT : NULL_INT
}

/** The same of bytes: plain digits at once. */
export const readIntBytes = (v: Uint8Array): number => {
  const start = v[0] === 45 ? 1 : 0
  if (v.length > start && v.length - start < 10) {
    let n = 0
    let i = start
    for (; i < v.length; i++) {
      const digit = v[i]! - 48
      if (digit < 0 || digit > 9) break
      n = 10 * n + digit
    }
    if (i === v.length) return start === 1 ? -n | 0 : n
  }
  return readInt(text(v))
}

/** A float of K: any number, `0n`, `0i`, `-0i`, and the nulls of ints. */
export const readFloat = (text: string): number => {
  if (FLOAT.test(text)) return Number(text)
  switch (text.trim()) {
    case "0i":
    case "0I":
      return Infinity
    case "-0i":
    case "-0I":
      return -Infinity
    default:
      return NaN
  }
}
