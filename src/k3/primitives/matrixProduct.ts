/**
 * The product of two matrices of ints, or of two of floats, four or two sums at a time (`products.wat`).
 *
 * Why not in JavaScript: see `webAssembly.ts`; and a large product takes a fifth of the time.
 * Guarantees: each sum is what `+/x*y` makes of it, floats added in the same order; steps are paid row by row, memory is announced.
 * Does not: take small products, or what does not fit into `MOST` bytes: `undefined`, and rows are then multiplied one by one.
 */
import { alloc, tick } from "../run/budget.ts"
import { count, Floats, Ints, List, typeOf, type Value, type Vector } from "../values/value.ts"
import { areRows } from "./products.ts"
import { hexadecimal } from "./products.wasm.ts"
import { assembly } from "./webAssembly.ts"

/** Fewer products of numbers than these are not worth copying. */
const LEAST = 1 << 15
/** Bytes of memory. */
const MOST = 1 << 28
/** Products of numbers that are made at once, and numbers that are copied. */
const BLOCK = 1 << 16
const load =
  assembly<Readonly<Record<"ints" | "floats", (out: number, x: number, end: number, y: number, stride: number, width: number) => void>>>(
    hexadecimal,
  )

export const matrixProduct = (x: Value, y: Value): List | undefined => {
  if (typeOf(x) !== 0 || typeOf(y) !== 0 || count(x) === 0 || count(y) === 0) return undefined
  const left = (x as List).v
  const right = (y as List).v
  const t = typeOf(right[0]!)
  const n = count(right[0]!)
  if ((t !== -1 && t !== -2) || left.length * right.length * n < LEAST) return undefined
  tick(left.length + right.length)
  if (!areRows(left, t, right.length) || !areRows(right, t, n)) return undefined

  const size = t === -1 ? 4 : 8
  const stride = padded(n * size)
  const factors = padded(right.length * size)
  const bytes = stride + factors + stride * right.length
  if (n > BLOCK || right.length > BLOCK / 8 || bytes > MOST) return undefined
  alloc(bytes + left.length * n * size)
  const { memory, functions } = load(bytes)
  const multiply = functions[t === -1 ? "ints" : "floats"]
  const all = t === -1 ? new Int32Array(memory) : new Float64Array(memory)
  const start = stride + factors
  right.forEach((row, j) => {
    tick(n)
    all.set((row as Vector).v, (start + j * stride) / size)
  })
  const width = padded((BLOCK / right.length) * size - 31)
  return new List(
    left.map((row) => {
      all.set((row as Vector).v, stride / size)
      for (let column = 0; column < stride; column += width) {
        const wanted = Math.min(width, stride - column)
        tick((right.length * wanted) / size)
        multiply(column, stride, stride + right.length * size, start + column, stride, wanted)
      }
      const sums = all.slice(0, n)
      return sums instanceof Int32Array ? new Ints(sums) : new Floats(sums)
    }),
  )
}

const padded = (bytes: number): number => Math.ceil(bytes / 32) * 32
