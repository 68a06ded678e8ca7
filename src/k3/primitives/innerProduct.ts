/**
 * Products of vectors and matrices: `_dot _mul`.
 *
 * Guarantees: products of ints are ints that wrap; floats are added in the order of the items.
 */
import * as budget from "../run/budget.ts"
import { commonLength, extended } from "../run/extend.ts"
import { unequal } from "../run/mismatch.ts"
import { gathered, listed } from "../run/Results.ts"
import { count, Float, Floats, isAtom, item, List, typeOf, type Ints, type Value } from "../values/value.ts"
import { plus, times } from "./arithmetic.ts"
import { isNumbers } from "./fold.ts"
import { matrixProduct } from "./matrixProduct.ts"
import { sumOfProducts } from "./products.ts"
import type { SystemRow } from "./Row.ts"

/** `+/x*y`. */
export const dot = (x: Value, y: Value): Value => {
  if (isNumbers(x) && isNumbers(y)) return dotVectors(x, y)
  if (isNumbers(x) && y instanceof List) {
    const rows = y.v
    const n = rows.length === 0 ? 0 : count(rows[0]!)
    if (x.v.length !== rows.length) throw unequal(x.v.length, rows.length)
    if (rows.length > 0 && budget.holdsForAll(rows, (row) => isNumbers(row) && row.v.length === n))
      return sumOfProducts(x, y) ?? sumOfProducts(asFloats(x), rowsAsFloats(rows as (Ints | Floats)[]))!
  }
  const n = commonLength([x, y])
  if (n < 0) return times(x, y)
  if (n === 0) return typeOf(times(x, y)) === -2 ? new Float(0) : 0
  let sum: Value = 0
  for (let i = 0; i < n; i++) {
    budget.tick()
    const product = times(extended(x, i), extended(y, i))
    sum = i === 0 ? product : plus(sum, product)
  }
  return sum
}

const dotVectors = (x: Ints | Floats, y: Ints | Floats): Value => {
  const n = x.v.length
  if (y.v.length !== n) throw unequal(n, y.v.length)
  if (x.t === -1 && y.t === -1) return sumOfProducts(x, y) ?? 0
  let sum = 0
  const [a, b] = [floats(x), floats(y)]
  budget.blocks(n, (from, to) => {
    for (let i = from; i < to; i++) sum += a[i]! * b[i]!
  })
  return new Float(sum)
}

/** The numbers as floats. */
export const floats = (x: Ints | Floats): Float64Array => {
  if (x.t === -2) return x.v
  return budget.filledBy(budget.unfilledFloats(x.v.length), (i) => x.v[i]!)
}

const rowsAsFloats = (rows: readonly (Ints | Floats)[]): List => listed(rows.length, (i) => asFloats(rows[i]!))

const asFloats = (x: Ints | Floats): Floats => new Floats(floats(x))

/** `x _dot\: y`. */
export const multiply = (x: Value, y: Value): Value => {
  if (isAtom(x)) return dot(x, y)
  return matrixProduct(x, y) ?? gathered(x.v.length, (i) => dot(item(x, i), y))
}

// prettier-ignore
export const rows: readonly SystemRow[] = [
  { glyph: "_dot", valence: 2, name: "inner product", class: "math", run: dot, fresh: true,
    idiom: "{+/x*y}", fast: { eachLeft: matrixProduct },
    doc: "The sum of the products of the items: `+/x*y`.",
    examples: [["1 2 3 _dot 4 5 6", "32"], ["(1 2;3 4) _dot (5 6;7 8)", "26 44"]] },
  { glyph: "_mul", valence: 2, name: "matrix product", class: "math", run: multiply, fresh: true,
    doc: "The product of two matrices given as lists of rows; ints stay ints.",
    examples: [["(1 2;3 4) _mul (5 6;7 8)", "(19 22\n 43 50)"], ["(1 2;3 4) _mul 1 0", "1 3"]] },
]
