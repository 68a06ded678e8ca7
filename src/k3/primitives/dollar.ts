/**
 * `$`: values to strings, strings to values.
 *
 * Guarantees: `$x` and `w$x` give strings in the structure of x; a sample on the left (`0`, `0.0`, `` ` ``, `" "`, `{}`) with strings on the right
 * reads them. Width and decimals are read from the decimal text of w, so `10.2` means 10 and 2. A text that does not fit its width becomes stars, as
 * in the C formats of old K; ties round away from zero, as in Kx on Windows.
 *
 * Does not: tell `10.1$` from `10.10$`, which are one number.
 */
import * as budget from "../run/budget.ts"
import { exponentText, intText, numberText } from "../values/format.ts"
import type { Applicable } from "../values/function.ts"
import { commonLength, extended } from "../run/extend.ts"
import type { Dyad, Kernel, Monad } from "../run/kernel.ts"
import { KError } from "../run/KError.ts"
import { wrongType } from "../run/mismatch.ts"
import { Char, Chars, Float, NULL_INT, chars, count, isAtom, item, stringOf, sym, symbolOf, text, type Value } from "../values/value.ts"
import { StringsWriter } from "../values/Parts.ts"
import { gathered, listed } from "../run/Results.ts"
import { readFloatIn, readIntIn } from "./reading.ts"

/** `$x`. */
export const formatMonad: Monad = (x, k) => {
  if (typeof x === "number") return chars(intText(x))
  switch (x.t) {
    case -3:
      return x
    case 0:
      return listed(x.v.length, (i) => formatMonad(x.v[i]!, k), BYTES)
    case -1:
      return texts(x.v, intText)
    case -2:
      return texts(x.v, (v) => numberText(v, k.precision))
    case -4:
      return texts(x.v, (id) => symbolOf(id).text)
    default:
      return chars(atomText(x, k))
  }
}

/** The texts of items, as strings. */
const texts = (v: Int32Array | Float64Array, textOf: (item: number) => string): Value => {
  const out = new StringsWriter(v.length, 8 * v.length)
  budget.inBlocks(v.length, (i) => {
    out.put(textOf(v[i]!))
    out.end()
  })
  return out.value()
}

/** Bytes of a short string. */
const BYTES = 96

/** The text that `$` gives for an atom or a string. */
const atomText = (x: Value, k: Kernel): string => {
  if (typeof x === "number") return intText(x)
  switch (x.t) {
    case 2:
      return numberText(x.v, k.precision)
    case 3:
      return String.fromCharCode(x.v)
    case -3:
      return text(x.v)
    case 4:
      return x.text
    case 5:
      return ".(..)"
    case 6:
      return ""
    case 7:
      return (x as Applicable).plain
    default:
      throw wrongType("an atom or a string is wanted", x)
  }
}

/** `x$y`: format to a width, or form by a sample. */
export const formatDyad: Dyad = (x, y, k) => {
  budget.tick()
  if (x instanceof Chars) return stringSample(y)
  if (isAtom(x) && (isAtom(y) || y instanceof Chars)) return one(x, y, k)
  const n = y instanceof Chars ? count(x) : commonLength([x, y])
  return gathered(n, (i) => formatDyad(extended(x, i), y instanceof Chars ? y : extended(y, i), k))
}

/** Reads y by the sample of a string. */
const stringSample = (y: Value): Value => {
  if (y instanceof Chars || count(y) === 0) return y
  if (y instanceof Char) return new Chars(Uint8Array.of(y.v))
  if (isAtom(y)) throw wrongType("a string on the left of $ reads strings", y)
  return gathered(y.v.length, (i) => stringSample(item(y, i)))
}

const one = (x: Value, y: Value, k: Kernel): Value => {
  const read = stringOf(y)
  if (typeof x === "number") return read !== undefined && x === 0 ? readIntIn(read, 0, read.length) : padded(atomText(y, k), x)
  if (x.t === 2 && read !== undefined && x.v === 0) return new Float(readFloatIn(read, 0, read.length))
  if (x.t === 2) return typeof y === "number" || y.t === 2 ? fixed(x.v, y, k) : padded(atomText(y, k), parts(x.v).width)
  const sample = read === undefined ? undefined : x.t
  if (sample === 3) return y instanceof Chars ? y : chars(atomText(y, k))
  if (sample === 4) return sym(atomText(y, k))
  if (sample === 7) return k.execute(atomText(y, k))
  throw wrongType("the left of $ is a width, or a sample to read text by", x, y)
}

/** Text in a field of |width| bytes: right-justified, or left-justified when the width is negative. */
const padded = (s: string, width: number): Chars => {
  const n = Math.abs(width)
  const v = budget.unfilledBytes(n)
  budget.fillWith(v, s.length > n ? STAR : BLANK, 0, n)
  if (s.length > n) return new Chars(v)
  const start = width < 0 ? 0 : n - s.length
  budget.tick(s.length >> 3)
  for (let i = 0; i < s.length; i++) v[start + i] = s.charCodeAt(i)
  return new Chars(v)
}
const STAR = 42
const BLANK = 32

const parts = (w: number): { width: number; decimals: number } => {
  if (!Number.isFinite(w) || Math.abs(w) >= 1e9) throw new KError("domain", "a width of that size")
  const shown = String(Math.abs(w))
  const point = shown.indexOf(".")
  const decimals = point < 0 || shown.includes("e") ? 0 : Number(shown.slice(point + 1))
  if (decimals > 100) throw new KError("domain", "more than 100 decimals")
  return { width: Math.trunc(w), decimals }
}

/** `w.d$number`: d decimals; with w negative, exponent form. A width of 0 does not pad. */
const fixed = (w: number, y: number | Float, k: Kernel): Chars => {
  const { width, decimals } = parts(w)
  const x = typeof y === "number" ? y : y.v
  const form = w < 0 ? exponentForm : fixedForm
  // JavaScript's formats give -0 no sign, C's do.
  const sign = Object.is(x, -0) ? "-" : ""
  const s = y === NULL_INT ? "0N" : Number.isFinite(x) ? sign + form(x, decimals) : numberText(x, k.precision)
  return width === 0 ? chars(s) : padded(s, width)
}

const exponentForm = (x: number, decimals: number): string => {
  const s = x.toExponential(decimals)
  const e = s.indexOf("e")
  return s.slice(0, e) + exponentText(Number(s.slice(e + 1)))
}

/** `toFixed`; from 1e21 on, where `toFixed` gives exponents, the whole number. */
const fixedForm = (x: number, decimals: number): string =>
  Math.abs(x) < 1e21 ? x.toFixed(decimals) : BigInt(x).toString() + (decimals > 0 ? "." + "0".repeat(decimals) : "")
