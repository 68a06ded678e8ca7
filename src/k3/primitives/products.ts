/**
 * `+/x*y` in one loop, for numbers of one type; y is a vector, or a matrix with a row for each item of x.
 *
 * Guarantees: the result of multiplying and then folding, floats added in the same order; steps are paid before the work, in pieces.
 */
import { alloc, blocks, tick } from "../run/budget.ts"
import { count, Float, Floats, Ints, typeOf, type List, type Value, type Vector } from "../values/value.ts"
import { areRows, isNumbers, part } from "./fold.ts"

const dotInts = (x: Int32Array, y: Int32Array): number => {
  let s = 0
  blocks(x.length, (from, to) => {
    for (let i = from; i < to; i++) s = (s + Math.imul(x[i]!, y[i]!)) | 0
  })
  return s
}

const dotFloats = (x: Float64Array, y: Float64Array): number => {
  // Adding a float to -0 gives that float, even for -0.
  let s = -0
  blocks(x.length, (from, to) => {
    for (let i = from; i < to; i++) s += x[i]! * y[i]!
  })
  return s
}

/**
 * Adds rows of ints, each times its factor. Four rows at once, so that the sum is read and written a quarter as often. One function without calls,
 * since the cost of small products is mainly that of the engine's optimising it.
 */
const addIntRows = (into: Int32Array, x: Int32Array, rows: readonly Ints[], from: number, to: number): void => {
  const n = into.length
  for (let j = from; j < to; j += 4) {
    const a = x[j]!
    const b = x[j + 1]!
    const c = x[j + 2]!
    const d = x[j + 3]!
    const p = rows[j]!.v
    const q = rows[j + 1]!.v
    const r = rows[j + 2]!.v
    const s = rows[j + 3]!.v
    for (let i = 0; i < n; i++) into[i] = into[i]! + Math.imul(a, p[i]!) + Math.imul(b, q[i]!) + Math.imul(c, r[i]!) + Math.imul(d, s[i]!)
  }
}

const addIntRow = (into: Int32Array, factor: number, row: Int32Array): void => {
  for (let i = 0; i < into.length; i++) into[i] = into[i]! + Math.imul(factor, row[i]!)
}

const addFloatRow = (into: Float64Array, factor: number, row: Float64Array): void => {
  for (let i = 0; i < into.length; i++) into[i] = into[i]! + factor * row[i]!
}

/** Items between two payments. */
const BLOCK = 32768

const sumIntRows = (into: Int32Array, x: Int32Array, rows: readonly Ints[]): void => {
  const n = into.length
  const fours = rows.length & ~3
  const step = Math.max(4, Math.floor(BLOCK / n) & ~3)
  for (let j = 0; j < fours; j += step) {
    const end = Math.min(fours, j + step)
    tick((end - j) * n)
    addIntRows(into, x, rows, j, end)
  }
  for (let j = fours; j < rows.length; j++) {
    tick(n)
    addIntRow(into, x[j]!, rows[j]!.v)
  }
}

const sumFloatRows = (into: Float64Array, x: Float64Array, rows: readonly Floats[]): void => {
  for (let j = 0; j < rows.length; j++) {
    tick(into.length)
    addFloatRow(into, x[j]!, rows[j]!.v)
  }
}

/** `undefined` for other values. */
export const sumOfProducts = (x: Value, y: Value): Value | undefined => {
  if (!isNumbers(x) || x.v.length === 0 || x.v.length !== count(y)) return undefined
  if (isNumbers(y)) {
    if (x.t === -1) return y.t === -1 ? dotInts(x.v, y.v) : undefined
    return y.t === -2 ? new Float(dotFloats(x.v, y.v)) : undefined
  }
  if (typeOf(y) !== 0) return undefined
  const rows = (y as List).v
  const n = count(rows[0]!)
  if (n === 0 || !areRows(rows, x.t, n)) return undefined
  alloc(8 * n)
  const into = x.t === -1 ? new Ints(new Int32Array(n)) : new Floats(new Float64Array(n).fill(-0))
  if (n <= BLOCK) sumRows(into, x, rows as readonly (Ints | Floats)[])
  else
    for (let from = 0; from < n; from += BLOCK) {
      const to = Math.min(n, from + BLOCK)
      sumRows(
        part(into, from, to) as Ints | Floats,
        x,
        rows.map((row) => part(row as Vector, from, to) as Ints | Floats),
      )
    }
  return into
}

/** Adds rows, each times its factor. */
const sumRows = (into: Ints | Floats, x: Ints | Floats, rows: readonly (Ints | Floats)[]): void => {
  if (into.t === -1) sumIntRows(into.v, x.v as Int32Array, rows as readonly Ints[])
  else sumFloatRows(into.v, x.v as Float64Array, rows as readonly Floats[])
}
