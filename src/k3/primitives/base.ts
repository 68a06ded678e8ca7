/**
 * Number bases: `_sv` (scalar from vector) and `_vs` (vector from scalar).
 *
 * Guarantees: `b _sv b _vs n` is n for every n that fits its digits. A list of bases gives as many digits, a base of 0 in it taking all
 * that is left; one base gives as many digits as the largest number needs: none for 0, and at least one for a vector, which keeps its length.
 * The digits of a vector of numbers are rows, one for each place.
 * Does not: write negative numbers in a single base, which has no end; that is a `domain` error.
 */
import * as budget from "../run/budget.ts"
import { commonLength, extended } from "../run/extend.ts"
import { KError } from "../run/KError.ts"
import { wrongType } from "../run/mismatch.ts"
import { collapse, EMPTY_LIST, Ints, isAtom, type Value } from "../values/value.ts"
import { plus, times } from "./arithmetic.ts"
import { atomicDyad } from "./atomic.ts"
import { range } from "./counting.ts"
import { dyadLoop } from "./loops.ts"
import type { SystemRow } from "./Row.ts"

/** Horner's rule, for ints and floats. */
const fromDigits = (base: Value, digits: Value): Value => {
  const n = commonLength([base, digits])
  if (n < 0) return times(1, digits)
  let sum: Value = 0
  for (let i = 0; i < n; i++) {
    budget.tick()
    sum = plus(i === 0 ? 0 : times(sum, extended(base, i)), extended(digits, i))
  }
  return sum
}

const INTS = "_vs takes ints"
const intLoop = (expression: string) => atomicDyad(INTS, [[dyadLoop(expression, "int", "int", "int")]])
const digit = intLoop("b === 0 ? a : (a % b + b) % b")
const rest = intLoop("b === 0 ? 0 : Math.floor(a / b)")

/** The least and greatest number in a nest of ints. */
const extremes = (x: Value): readonly [number, number] => {
  if (typeof x === "number") return [x, x]
  if (x.t === -1) return x.v.length === 0 ? [0, 0] : range(x.v)
  if (x.t !== 0) throw wrongType(INTS, x)
  let [least, greatest] = [0, 0]
  for (const each of x.v) {
    budget.tick()
    const [a, b] = extremes(each)
    least = Math.min(least, a)
    greatest = Math.max(greatest, b)
  }
  return [least, greatest]
}

const bases = (base: Value, x: Value): ArrayLike<number> => {
  const [least, greatest] = extremes(x)
  if (typeof base !== "number") {
    if (base.t !== -1) throw wrongType(INTS, base)
    return base.v
  }
  if (base < 2) throw new KError("domain", "a base is 2 or more")
  if (least < 0) throw new KError("domain", "a negative number has no end of digits in one base")
  const out: number[] = []
  for (let n = greatest; n > 0; n = Math.floor(n / base)) out.push(base)
  return out.length === 0 && !isAtom(x) ? [base] : out
}

const toDigits = (base: Value, x: Value): Value => {
  if (!isAtom(x) && x.v.length === 0) return EMPTY_LIST
  const each = bases(base, x)
  if (each.length === 0) return new Ints(new Int32Array(0))
  const out: Value[] = []
  let left = x
  budget.alloc(8 * each.length)
  for (let i = each.length - 1; i >= 0; i--) {
    budget.tick()
    out.push(digit(left, each[i]!))
    left = rest(left, each[i]!)
  }
  return collapse(out.toReversed())
}

// prettier-ignore
export const rows: readonly SystemRow[] = [
  { glyph: "_sv", valence: 2, name: "scalar from vector", class: "math", run: fromDigits, fresh: true,
    doc: "The number whose digits in base x, or in the mixed bases x, are y. For text: k_help join.",
    words: "base decode undigits polynomial",
    examples: [["10 _sv 1 9 9 5", "1995"], ["24 60 60 _sv 1 1 1", "3661"]] },
  { glyph: "_vs", valence: 2, name: "vector from scalar", class: "math", run: toDigits, fresh: true,
    doc: "The digits of y in base x, or in the mixed bases x; those of several numbers by rows. For text: k_help split.",
    words: "base encode digits binary bits",
    examples: [["10 _vs 1995", "1 9 9 5"], ["24 60 60 _vs 3661", "1 1 1"], ["2 _vs !4", "(0 0 1 1\n 0 1 0 1)"]] },
]
