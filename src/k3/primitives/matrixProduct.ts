/**
 * The product of two matrices of ints, or of two of floats, four or two sums at a time (`products.wat`).
 *
 * Why not in JavaScript: see `webAssembly.ts`; a large product also takes only a fifth of the time.
 *
 * Guarantees: each sum equals `+/x*y`, floats added in the same order; steps are paid row by row. The code works in one memory of a fixed size, which
 * is kept: it multiplies with as many columns of y at a time as fit.
 *
 * Does not: take one or two short rows of sums, or a y of very many rows: it gives `undefined`, and rows are multiplied one by one.
 */
import { lazily } from "../lazily.ts"
import { alloc, holdsForAll, tick } from "../run/budget.ts"
import { holding } from "../run/roots.ts"
import { count, Floats, Ints, List, typeOf, type Value, type Vector } from "../values/value.ts"
import { hexadecimal } from "./products.wasm.ts"
import { assembly } from "./webAssembly.ts"

/** Row by row, adding a row of y costs as much as so many products beside its own, for each row of x; copying the row of y costs three times that. */
const ROW = 64
/** Products of numbers that are made at once. */
const BLOCK = 1 << 16
const MOST_ROWS = 1 << 13
/** Bytes of the memory: results, then the factors of a row, then columns of y. */
const MEMORY = 8 * (BLOCK + MOST_ROWS + BLOCK)
/** Columns are taken in pieces of 32 bytes. */
const PIECE = 32

type Multiply = (out: number, x: number, end: number, y: number, stride: number, width: number) => void
const products = lazily(() => assembly<Readonly<Record<"ints" | "floats", Multiply>>>(hexadecimal, MEMORY))

export const matrixProduct = (x: Value, y: Value): List | undefined => {
  if (typeOf(x) !== 0 || typeOf(y) !== 0 || count(x) === 0 || count(y) === 0) return undefined
  const left = (x as List).v
  const right = (y as List).v
  const t = typeOf(right[0]!)
  const n = count(right[0]!)
  const isWorthIt = (t === -1 || t === -2) && right.length <= MOST_ROWS && left.length * (ROW + n) >= 3 * ROW
  if (!isWorthIt || !areRows(left, t, right.length) || !areRows(right, t, n)) return undefined

  const size = t === -1 ? 4 : 8
  alloc(left.length * n * size)
  const { memory, functions } = products()
  const multiply = functions[t === -1 ? "ints" : "floats"]
  const numbers = t === -1 ? new Int32Array(memory) : new Float64Array(memory)
  const sums = left.map(() => {
    tick((n >> 4) + 1)
    return t === -1 ? new Ints(new Int32Array(n)) : new Floats(new Float64Array(n))
  })
  const factors = padded(right.length * size)
  /** Bytes of a row of columns. */
  const stride = Math.min(padded(n * size), Math.floor(((BLOCK / right.length) * size) / PIECE) * PIECE)
  const start = stride + factors
  holding(sums, () => {
    for (let column = 0; column < n; column += stride / size) {
      const end = Math.min(n, column + stride / size)
      right.forEach((row, j) => {
        tick(end - column)
        numbers.set((row as Vector).v.subarray(column, end), (start + j * stride) / size)
      })
      left.forEach((row, i) => {
        tick(right.length * (end - column))
        numbers.set((row as Vector).v, stride / size)
        multiply(0, stride, stride + right.length * size, start, stride, stride)
        sums[i]!.v.set(numbers.subarray(0, end - column), column)
      })
    }
  })
  return new List(sums)
}

/** Are these vectors of type t and length n? */
const areRows = (rows: readonly Value[], t: number, n: number): boolean => holdsForAll(rows, (row) => typeOf(row) === t && count(row) === n)

const padded = (bytes: number): number => Math.ceil(bytes / PIECE) * PIECE
