/**
 * `+/x*y` in one loop, for numbers of one type; y is a vector, or a matrix with a row for each item of x.
 *
 * Guarantees: the result of multiplying and then folding, floats added in the same order; steps are paid in blocks.
 */
import { alloc, blocks, foldBlocks } from "../run/budget.ts"
import { count, Float, Floats, Ints, isNumbers, typeOf, type List, type Value } from "../values/value.ts"
import { areRows } from "./fold.ts"
import { placeLoop, type Items } from "./loops.ts"

type Dot = (x: Items, y: Items, s: number, i: number, end: number) => number
/** Adds a row, times its factor. */
type AddRow = (into: Items, factor: number, row: Items, i: number, end: number) => void

const ofInts = {
  zero: 0,
  dot: placeLoop<Dot>("x, y, s", (i) => `s = (s + Math.imul(x[${i}], y[${i}])) | 0`, "s"),
  addRow: placeLoop<AddRow>("into, factor, row", (i) => `into[${i}] += Math.imul(factor, row[${i}])`),
}
const ofFloats = {
  // Adding a float to -0 gives that float, even for -0.
  zero: -0,
  dot: placeLoop<Dot>("x, y, s", (i) => `s += x[${i}] * y[${i}]`, "s"),
  addRow: placeLoop<AddRow>("into, factor, row", (i) => `into[${i}] += factor * row[${i}]`),
}

/** `undefined` for other values. */
export const sumOfProducts = (x: Value, y: Value): Value | undefined => {
  if (!isNumbers(x) || x.v.length === 0 || x.v.length !== count(y)) return undefined
  const { zero, dot, addRow } = x.t === -1 ? ofInts : ofFloats
  if (typeOf(y) === x.t) {
    const s = foldBlocks(x.v.length, zero, (s, from, to) => dot()(x.v, (y as Ints | Floats).v, s, from, to))
    return x.t === -1 ? s : new Float(s)
  }
  if (typeOf(y) !== 0) return undefined
  const rows = (y as List).v
  const n = count(rows[0]!)
  if (n === 0 || !areRows(rows, x.t, n)) return undefined
  alloc(8 * n)
  const into = x.t === -1 ? new Ints(new Int32Array(n)) : new Floats(new Float64Array(n).fill(zero))
  const loop = addRow()
  rows.forEach((row, j) => blocks(n, (from, to) => loop(into.v, x.v[j]!, (row as Ints | Floats).v, from, to)))
  return into
}
