/**
 * Products of vectors and matrices: `_dot _mul`.
 *
 * Guarantees: products of ints are ints that wrap; floats are added in the order of the items.
 */
import * as budget from "../run/budget.ts"
import { commonLength, extended } from "../run/extend.ts"
import { gathered, listed } from "../run/Results.ts"
import { Float, Floats, isAtom, isNumbers, item, List, typeOf, type Ints, type Value } from "../values/value.ts"
import { plus, times } from "./arithmetic.ts"
import { matrixProduct } from "./matrixProduct.ts"
import { sumOfProducts } from "./products.ts"
import type { SystemRow } from "./Row.ts"

/** `+/x*y`. */
const dot = (x: Value, y: Value): Value => {
  const n = commonLength([x, y])
  if (n < 0) return times(x, y)
  if (n === 0) return typeOf(times(x, y)) === -2 ? new Float(0) : 0
  const known = sumOfProducts(x, y) ?? (isNumbers(x) ? sumOfProducts(asFloats(x), asFloats(y)) : undefined)
  if (known !== undefined) return known
  let sum: Value = 0
  for (let i = 0; i < n; i++) {
    budget.tick()
    const product = times(extended(x, i), extended(y, i))
    sum = i === 0 ? product : plus(sum, product)
  }
  return sum
}

/** The numbers as floats. */
export const floats = (x: Ints | Floats): Float64Array => {
  if (x.t === -2) return x.v
  return budget.filledBy(budget.unfilledFloats(x.v.length), (i) => x.v[i]!)
}

/** A vector of numbers, or a list of such vectors, as floats; any other value as it is. */
const asFloats = (x: Value): Value => {
  if (isNumbers(x)) return new Floats(floats(x))
  return x instanceof List && budget.holdsForAll(x.v, isNumbers) ? listed(x.v.length, (i) => asFloats(x.v[i]!)) : x
}

/** `x _dot\: y`. */
const multiply = (x: Value, y: Value): Value => {
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
