/**
 * Elementary functions, `_abs`, `_div`, and linear algebra: `_dot _mul _inv _lsq`.
 *
 * Guarantees: elementary functions are atomic and give floats, 0N and 0I of ints being plain numbers as in arithmetic; `_dot` and
 * `_mul` of ints are ints that wrap. `_inv` and `_lsq` work by pivoted elimination and by Householder reflections.
 * Does not: refine a badly conditioned solution; a singular matrix is a `domain` error.
 */
import * as budget from "../run/budget.ts"
import { commonLength, extended } from "../run/extend.ts"
import { KError } from "../run/KError.ts"
import { unequal, unfit, wrongType } from "../run/mismatch.ts"
import { Floats, Float, Ints, List, count, isAtom, item, typeOf, type Value } from "../values/value.ts"
import { gathered } from "../run/Results.ts"
import { plus, times } from "./arithmetic.ts"
import { atomicDyad, atomicMonad } from "./atomic.ts"
import { isNumbers } from "./fold.ts"
import { matrixProduct } from "./matrixProduct.ts"
import { sumOfProducts } from "./products.ts"
import { dyadLoop, monadLoop } from "./loops.ts"
import type { MonadRow, SystemRow } from "./Row.ts"

const elementary = (glyph: string, name: string, expression: string, ...examples: MonadRow["examples"]): MonadRow => ({
  glyph,
  valence: 1,
  name,
  class: "math",
  doc: `${name[0]!.toUpperCase()}${name.slice(1)} of each number, as a float.`,
  examples,
  fresh: true,
  run: atomicMonad(`${glyph} takes numbers`, [undefined, monadLoop(expression, "int", "float"), monadLoop(expression, "float", "float")]),
})

const absolute = atomicMonad("_abs takes numbers", [
  undefined,
  monadLoop("a < 0 ? -a : a", "int", "int"),
  monadLoop("Math.abs(a)", "float", "float"),
])

/** `x = (x!y) + y * x _div y`, as near as an int can be. */
const quotients = [
  [dyadLoop("intDiv(a, b)", "int", "int", "int"), dyadLoop("floatDiv(a, b)", "int", "float", "int")],
  [dyadLoop("floatDiv(a, b)", "float", "int", "int"), dyadLoop("floatDiv(a, b)", "float", "float", "int")],
]
const quotient = atomicDyad("_div takes numbers", (left, right) => quotients[left - 1]?.[right - 1])

/** `+/x*y`. */
export const dot = (x: Value, y: Value): Value => {
  if (isNumbers(x) && isNumbers(y)) return dotVectors(x, y)
  if (isNumbers(x) && y instanceof List) {
    const rows = y.v
    const n = rows.length === 0 ? 0 : count(rows[0]!)
    if (x.v.length !== rows.length) throw unequal(x.v.length, rows.length)
    if (rows.length > 0 && rows.every((row): row is Ints | Floats => isNumbers(row) && row.v.length === n))
      return sumOfProducts(x, y) ?? sumOfProducts(asFloats(x), new List(rows.map(asFloats)))!
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

const floats = (x: Ints | Floats): Float64Array => {
  if (x.t === -2) return x.v
  const v = new Float64Array(x.v.length)
  budget.blocks(v.length, (from, to) => {
    for (let i = from; i < to; i++) v[i] = x.v[i]!
  })
  return v
}

const asFloats = (x: Ints | Floats): Floats => new Floats(floats(x))

/** `x _dot\: y`. */
export const multiply = (x: Value, y: Value): Value => {
  if (isAtom(x)) return dot(x, y)
  return matrixProduct(x, y) ?? gathered(x.v.length, (i) => dot(item(x, i), y))
}

const ROWS = "the rows of a matrix are vectors of numbers"

/** The rows of a matrix of numbers, copied as floats. */
const matrix = (x: Value): Float64Array[] => {
  if (!(x instanceof List) || x.v.length === 0) throw unfit("rank", "a matrix is wanted", x)
  const rows = x.v.map((row) => {
    if (isAtom(row)) throw unfit("rank", ROWS, row)
    if (!isNumbers(row)) throw wrongType(ROWS, row)
    const copy = new Float64Array(row.v.length)
    budget.transfer(copy, 0, floats(row))
    return copy
  })
  if (rows.some((row) => row.length !== rows[0]!.length)) throw new KError("length", "rows of one length are wanted")
  budget.alloc(16 * rows.length * rows[0]!.length)
  return rows
}

/** Negative zeros are noise here: K's console would show them. */
const clean = (row: Float64Array): Floats => new Floats(row.map((v) => v + 0))

/** Gauss-Jordan elimination with row pivots, the inverse being built beside. */
const invert = (x: Value): Value => {
  const a = matrix(x)
  const n = a.length
  if (a[0]!.length !== n) throw new KError("length", "a square matrix is wanted")
  const b = a.map((_, i) => {
    const row = new Float64Array(n)
    row[i] = 1
    return row
  })
  // What is left of a column that depends on those before it is rounding, of about this size.
  const noise = Number.EPSILON * n * a.reduce((most, row) => row.reduce((m, v) => Math.max(m, Math.abs(v)), most), 0)
  for (let c = 0; c < n; c++) {
    budget.tick(n)
    let pivot = c
    for (let r = c + 1; r < n; r++) if (Math.abs(a[r]![c]!) > Math.abs(a[pivot]![c]!)) pivot = r
    const scale = a[pivot]![c]!
    if (!(Math.abs(scale) > noise)) throw new KError("domain", "the matrix is singular")
    ;[a[c], a[pivot]] = [a[pivot]!, a[c]!]
    ;[b[c], b[pivot]] = [b[pivot]!, b[c]!]
    const [left, right] = [a[c]!, b[c]!]
    for (let j = 0; j < n; j++) {
      left[j]! /= scale
      right[j]! /= scale
    }
    for (let r = 0; r < n; r++) {
      const factor = a[r]![c]!
      if (r === c || factor === 0) continue
      budget.tick(n)
      const [l, s] = [a[r]!, b[r]!]
      for (let j = 0; j < n; j++) {
        l[j]! -= factor * left[j]!
        s[j]! -= factor * right[j]!
      }
    }
  }
  return new List(b.map(clean))
}

/** The coefficients w for which `+/w*y` is nearest to x; for a matrix x, of each of its rows. */
const leastSquares = (x: Value, y: Value): Value => {
  budget.tick()
  if (x instanceof List) return new List(x.v.map((row) => leastSquares(row, y)))
  if (!isNumbers(x)) throw unfit(isAtom(x) ? "rank" : "type", "a vector of numbers is wanted", x)
  const columns = matrix(y)
  const target = floats(x).slice()
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

/** Places from c on, in pieces. */
const below = (c: number, n: number, body: (i: number) => void): void =>
  budget.blocks(n - c, (from, to) => {
    for (let i = c + from; i < c + to; i++) body(i)
  })

/** Reflects column c, from its c-th item on, into one item, which is returned; and all that follows along with it. */
const reflect = (columns: Float64Array[], c: number, target: Float64Array): number => {
  const v = columns[c]!
  const n = v.length
  let norm = 0
  below(c, n, (i) => {
    norm = Math.hypot(norm, v[i]!)
  })
  const diagonal = v[c]! > 0 ? -norm : norm
  v[c]! -= diagonal
  let square = 0
  below(c, n, (i) => {
    square += v[i]! * v[i]!
  })
  if (square === 0) return diagonal
  for (const other of [...columns.slice(c + 1), target]) {
    let product = 0
    below(c, n, (i) => {
      product += v[i]! * other[i]!
    })
    const factor = (2 * product) / square
    below(c, n, (i) => {
      other[i]! -= factor * v[i]!
    })
  }
  return diagonal
}

// prettier-ignore
export const rows: readonly SystemRow[] = [
  elementary("_sin", "sine", "Math.sin(a)", ["_sin 0", "0.0"], ["_sin 1 2", "0.841471 0.9092974"]),
  elementary("_cos", "cosine", "Math.cos(a)", ["_cos 0", "1.0"], ["_cos 3.141592653589793", "-1.0"]),
  elementary("_tan", "tangent", "Math.tan(a)", ["_tan 0", "0.0"], ["_tan 1", "1.557408"]),
  elementary("_asin", "arc sine", "Math.asin(a)", ["_asin 1", "1.570796"], ["_asin 2", "0n"]),
  elementary("_acos", "arc cosine", "Math.acos(a)", ["_acos 1", "0.0"], ["_acos 0", "1.570796"]),
  elementary("_atan", "arc tangent", "Math.atan(a)", ["_atan 1", "0.7853982"], ["_atan 0i", "1.570796"]),
  elementary("_sinh", "hyperbolic sine", "Math.sinh(a)", ["_sinh 1", "1.175201"], ["_sinh 0", "0.0"]),
  elementary("_cosh", "hyperbolic cosine", "Math.cosh(a)", ["_cosh 1", "1.543081"], ["_cosh 0", "1.0"]),
  elementary("_tanh", "hyperbolic tangent", "Math.tanh(a)", ["_tanh 1", "0.7615942"], ["_tanh 0", "0.0"]),
  elementary("_exp", "exponential", "Math.exp(a)", ["_exp 1", "2.718282"], ["_exp 0 2", "1 7.389056"]),
  elementary("_log", "natural logarithm", "Math.log(a)", ["_log 10", "2.302585"], ["_log 0", "-0i"], ["_log -1", "0n"]),
  elementary("_sqrt", "square root", "Math.sqrt(a)", ["_sqrt 16", "4.0"], ["_sqrt 2 -1", "1.414214 0n"]),
  elementary("_sqr", "square", "a * a", ["_sqr 3", "9.0"], ["_sqr 1 2.5", "1 6.25"]),
  elementary("_floor", "floor", "Math.floor(a)", ["_floor 2.7", "2.0"], ["_floor -2.5 2.5", "-3 2.0"]),
  { glyph: "_abs", valence: 1, name: "absolute value", class: "math", run: absolute, fresh: true,
    doc: "Each number without its sign; ints stay ints.",
    examples: [["_abs -5", "5"], ["_abs -2.5 1", "2.5 1"]] },
  { glyph: "_div", valence: 2, name: "integer quotient", class: "math", run: quotient, fresh: true,
    doc: "x divided by y, rounded down to an int: x is y times it, plus x!y.",
    examples: [["7 _div 2", "3"], ["-7 7 _div 2", "-4 3"]] },
  { glyph: "_dot", valence: 2, name: "inner product", class: "math", run: dot, fresh: true,
    idiom: "{+/x*y}", fast: { eachLeft: matrixProduct },
    doc: "The sum of the products of the items: `+/x*y`.",
    examples: [["1 2 3 _dot 4 5 6", "32"], ["(1 2;3 4) _dot (5 6;7 8)", "26 44"]] },
  { glyph: "_mul", valence: 2, name: "matrix product", class: "math", run: multiply, fresh: true,
    doc: "The product of two matrices given as lists of rows; ints stay ints.",
    examples: [["(1 2;3 4) _mul (5 6;7 8)", "(19 22\n 43 50)"], ["(1 2;3 4) _mul 1 0", "1 3"]] },
  { glyph: "_inv", valence: 1, name: "matrix inverse", class: "math", run: invert, fresh: true,
    doc: "The inverse of a square matrix, in floats; `domain` when it is singular.",
    examples: [["_inv (1 2;3 4)", "(-2 1.0\n 1.5 -0.5)"], ["_inv (2 0;0 4)", "(0.5 0\n 0 0.25)"]] },
  { glyph: "_lsq", valence: 2, name: "least squares", class: "math", run: leastSquares, fresh: true,
    doc: "The coefficients w for which `+/w*y`, a sum of the rows of y, is nearest to x.",
    examples: [["(10 11 12 13) _lsq (1 2 3 4;2 3 4 5)", "-8 9.0"], ["(1 2 3.0) _lsq (1 1 1.0;1 2 4.0)", "0.5 0.6428571"]] },
]
