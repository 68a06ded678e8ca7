/**
 * Products of vectors and matrices, `_dot _mul`, and linear equations: `_inv` by pivoted elimination, `_lsq` by Householder reflections.
 *
 * Guarantees: products of ints are ints that wrap; floats are added in the order of the items.
 * Does not: refine a badly conditioned solution; a singular matrix is a `domain` error.
 */
import * as budget from "../run/budget.ts"
import { commonLength, extended } from "../run/extend.ts"
import { KError } from "../run/KError.ts"
import { unequal, unfit, wrongType } from "../run/mismatch.ts"
import { gathered } from "../run/Results.ts"
import { Float, Floats, isAtom, isNumbers, item, List, typeOf, type Ints, type Value } from "../values/value.ts"
import { plus, times } from "./arithmetic.ts"
import { type Items, placeLoop } from "./loops.ts"
import { matrixProduct } from "./matrixProduct.ts"
import type { SystemRow } from "./Row.ts"
import { copy } from "./structure.ts"

type Dot = (x: Items, y: Items, s: number, i: number, end: number) => number
const sumOfInts = placeLoop<Dot>("x, y, s", (i) => `s = (s + Math.imul(x[${i}], y[${i}])) | 0`, "s")
const sumOfFloats = placeLoop<Dot>("x, y, s", (i) => `s += x[${i}] * y[${i}]`, "s")

/** `+/x*y`. */
const dot = (x: Value, y: Value): Value => {
  const n = commonLength([x, y])
  if (n < 0) return times(x, y)
  if (n === 0) return typeOf(times(x, y)) === -2 ? new Float(0) : 0
  if (isNumbers(x) && isNumbers(y)) {
    if (x.t === -1 && y.t === -1) return budget.foldBlocks(n, 0, (s, from, to) => sumOfInts()(x.v, y.v, s, from, to))
    const [left, right] = [floats(x), floats(y)]
    // Adding a float to -0 gives that float, even for -0.
    return new Float(budget.foldBlocks(n, -0, (s, from, to) => sumOfFloats()(left, right, s, from, to)))
  }
  let sum: Value = 0
  for (let i = 0; i < n; i++) {
    budget.tick()
    const product = times(extended(x, i), extended(y, i))
    sum = i === 0 ? product : plus(sum, product)
  }
  return sum
}

/** The numbers as floats. */
const floats = (x: Ints | Floats): Float64Array => {
  if (x.t === -2) return x.v
  return budget.filledBy(budget.unfilledFloats(x.v.length), (i) => x.v[i]!)
}

/** `x _dot\: y`. */
const multiply = (x: Value, y: Value): Value => {
  if (isAtom(x)) return dot(x, y)
  return matrixProduct(x, y) ?? gathered(x.v.length, (i) => dot(item(x, i), y))
}

/** The numbers as floats, in an array of the caller's own. */
const copied = (x: Ints | Floats): Float64Array => floats(x.t === -1 ? x : (copy(x) as Floats))

const ROWS = "the rows of a matrix are vectors of numbers"

/** The rows of a matrix of numbers, copied as floats. */
const matrix = (x: Value): Float64Array[] => {
  if (!(x instanceof List) || x.v.length === 0) throw unfit("rank", "a matrix is wanted", x)
  const rows = x.v.map((row) => {
    budget.tick()
    if (isAtom(row)) throw unfit("rank", ROWS, row)
    if (!isNumbers(row)) throw wrongType(ROWS, row)
    return copied(row)
  })
  if (rows.some((row) => row.length !== rows[0]!.length)) throw new KError("length", "rows of one length are wanted")
  return rows
}

/** Folds `next` over the places from c to n, starting with 0. */
const summed = (c: number, n: number, next: (so: number, i: number) => number): number => {
  let so = 0
  budget.inBlocks(n - c, (i) => (so = next(so, c + i)))
  return so
}

/** The largest absolute value. */
const largestIn = (row: Float64Array): number => summed(0, row.length, (most, i) => Math.max(most, Math.abs(row[i]!)))

/** Turns negative zeros, which are rounding noise here, into zeros: K's console would show the sign. */
const clean = (row: Float64Array): Floats => {
  budget.tick(row.length)
  return new Floats(row.map((v) => v + 0))
}

/** Gauss-Jordan elimination with row pivots. Each row begins with the row of x, and ends with the row of the inverse. */
const invert = (x: Value): Value => {
  const given = matrix(x)
  const n = given.length
  if (given[0]!.length !== n) throw new KError("length", "a square matrix is wanted")
  budget.alloc(16 * n * n)
  const a = given.map((row, i) => {
    const wide = new Float64Array(2 * n)
    wide.set(row)
    wide[n + i] = 1
    return wide
  })
  // A column that depends on earlier ones leaves rounding errors of about this size.
  const noise = Number.EPSILON * n * Math.max(...given.map(largestIn))
  for (let c = 0; c < n; c++) {
    budget.tick(n)
    let pivot = c
    for (let r = c + 1; r < n; r++) if (Math.abs(a[r]![c]!) > Math.abs(a[pivot]![c]!)) pivot = r
    const scale = a[pivot]![c]!
    if (!(Math.abs(scale) > noise)) throw new KError("domain", "the matrix is singular")
    ;[a[c], a[pivot]] = [a[pivot]!, a[c]!]
    const chosen = a[c]!
    for (let j = 0; j < 2 * n; j++) chosen[j]! /= scale
    for (let r = 0; r < n; r++) {
      const row = a[r]!
      const factor = row[c]!
      if (r === c || factor === 0) continue
      budget.tick(n)
      for (let j = 0; j < 2 * n; j++) row[j]! -= factor * chosen[j]!
    }
  }
  return new List(a.map((row) => clean(row.subarray(n))))
}

/** The coefficients w for which `+/w*y` is nearest to x; for a matrix x, for each of its rows. */
const leastSquares = (x: Value, y: Value): Value => {
  budget.tick()
  if (x instanceof List) return new List(x.v.map((row) => leastSquares(row, y)))
  if (!isNumbers(x)) throw unfit(isAtom(x) ? "rank" : "type", "a vector of numbers is wanted", x)
  const columns = matrix(y)
  const target = copied(x)
  const n = target.length
  if (columns[0]!.length !== n) throw unequal(n, columns[0]!.length)
  const m = columns.length
  const diagonal: number[] = []
  if (n < m) throw new KError("domain", "fewer points than coefficients")
  for (let c = 0; c < m; c++) diagonal.push(reflect(columns, c, target))
  const largest = Math.max(...diagonal.map(Math.abs))
  const w = new Float64Array(m)
  for (let c = m - 1; c >= 0; c--) {
    if (!(Math.abs(diagonal[c]!) > 1e-14 * largest)) throw new KError("domain", "the rows depend on each other")
    budget.tick(m)
    let sum = target[c]!
    for (let j = c + 1; j < m; j++) sum -= columns[j]![c]! * w[j]!
    w[c] = sum / diagonal[c]!
  }
  return clean(w)
}

/** Reflects column c, from its c-th item on, onto one item, which is returned; transforms all later columns and the target likewise. */
const reflect = (columns: Float64Array[], c: number, target: Float64Array): number => {
  const v = columns[c]!
  const n = v.length
  const norm = summed(c, n, (so, i) => Math.hypot(so, v[i]!))
  const diagonal = v[c]! > 0 ? -norm : norm
  v[c]! -= diagonal
  const square = summed(c, n, (so, i) => so + v[i]! * v[i]!)
  if (square === 0) return diagonal
  for (const other of [...columns.slice(c + 1), target]) {
    const product = summed(c, n, (so, i) => so + v[i]! * other[i]!)
    const factor = (2 * product) / square
    budget.inBlocks(n - c, (i) => (other[c + i]! -= factor * v[c + i]!))
  }
  return diagonal
}

// prettier-ignore
export const rows: readonly SystemRow[] = [
  { glyph: "_dot", valence: 2, name: "inner product", class: "math", run: dot, fresh: true,
    idiom: "{+/x*y}", fast: { eachLeft: matrixProduct },
    doc: "The sum of the products of the items: `+/x*y`.",
    words: "inner scalar product",
    examples: [["1 2 3 _dot 4 5 6", "32"], ["(1 2;3 4) _dot (5 6;7 8)", "26 44"]] },
  { glyph: "_mul", valence: 2, name: "matrix product", class: "math", run: multiply, fresh: true,
    doc: "The product of two matrices given as lists of rows; ints stay ints.",
    words: "matrix multiplication product mmu",
    examples: [["(1 2;3 4) _mul (5 6;7 8)", "(19 22\n 43 50)"], ["(1 2;3 4) _mul 1 0", "1 3"]] },
  { glyph: "_inv", valence: 1, name: "matrix inverse", class: "math", run: invert, fresh: true,
    doc: "The inverse of a square matrix, in floats; `domain` when it is singular.",
    words: "matrix inverse",
    examples: [["_inv (1 2;3 4)", "(-2 1.0\n 1.5 -0.5)"], ["_inv (2 0;0 4)", "(0.5 0\n 0 0.25)"]] },
  { glyph: "_lsq", valence: 2, name: "least squares", class: "math", run: leastSquares, fresh: true,
    doc: "The coefficients w for which `+/w*y`, a sum of the rows of y, is nearest to x.",
    words: "least squares solve linear equations regression",
    examples: [["(10 11 12 13) _lsq (1 2 3 4;2 3 4 5)", "-8 9.0"], ["(1 2 3.0) _lsq (1 1 1.0;1 2 4.0)", "0.5 0.6428571"]] },
]
