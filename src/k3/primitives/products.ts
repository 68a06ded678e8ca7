/**
 * `+/x*y` without the products in between: numbers of one type, y a vector or a matrix with a row for each item of x.
 *
 * Guarantees: the same as multiplying and then folding, floats added in the same order; steps are paid before the work, in pieces.
 */
import { alloc, blocks, tick } from "../budget.ts"
import { count, Float, Floats, Ints, typeOf, type List, type Value, type Vector } from "../value.ts"

const dotInts = (x: Int32Array, y: Int32Array): number => {
  let s = 0
  blocks(x.length, (from, to) => {
    for (let i = from; i < to; i++) s = (s + Math.imul(x[i]!, y[i]!)) | 0
  })
  return s
}

const dotFloats = (x: Float64Array, y: Float64Array): number => {
  // -0 is what leaves every float as it is when added.
  let s = -0
  blocks(x.length, (from, to) => {
    for (let i = from; i < to; i++) s += x[i]! * y[i]!
  })
  return s
}

const addIntRow = (into: Int32Array, factor: number, row: Int32Array, from: number, to: number): void => {
  for (let i = from; i < to; i++) into[i] = into[i]! + Math.imul(factor, row[i]!)
}

const addFloatRow = (into: Float64Array, factor: number, row: Float64Array, from: number, to: number): void => {
  for (let i = from; i < to; i++) into[i] = into[i]! + factor * row[i]!
}

/** Adds rows, each times its factor. */
const addRows = (into: Ints | Floats, x: Ints | Floats, rows: readonly (Ints | Floats)[]): void => {
  for (let j = 0; j < rows.length; j++) {
    const row = rows[j]!
    tick()
    if (into.t === -1) blocks(into.v.length, (from, to) => addIntRow(into.v, x.v[j]!, row.v as Int32Array, from, to))
    else blocks(into.v.length, (from, to) => addFloatRow(into.v, x.v[j]!, row.v as Float64Array, from, to))
  }
}

/** Are these vectors of type t and length n? */
const areRows = (rows: readonly Value[], t: number, n: number): boolean => {
  for (let j = 0; j < rows.length; j++) {
    if (typeOf(rows[j]!) !== t || (rows[j] as Vector).v.length !== n) return false
  }
  return true
}

const isNumbers = (x: Value): x is Ints | Floats => typeof x !== "number" && (x.t === -1 || x.t === -2)

/** `undefined` for what is not as said above. */
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
  addRows(into, x, rows as readonly (Ints | Floats)[])
  return into
}
