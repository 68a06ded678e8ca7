/**
 * Arithmetic: `+ - * % ^ ! & | _` on numbers.
 *
 * Guarantees: int with int is int32 arithmetic that wraps, 0N and 0I being ordinary values; a float on either side makes floats, the
 * int counting as the number it is stored as; `%` and `^` always give floats. Chars and symbols are type errors.
 */
import type { Value } from "../values/value.ts"
import { atomicDyad, atomicMonad, type DyadLoops } from "./atomic.ts"
import type { LaneVerb } from "./lanes.ts"
import { dyadLoop, monadLoop } from "./loops.ts"
import { intMod } from "./rounding.ts"

/** Loops over numbers: `ints` for int with int, otherwise `floats`. */
const numeric = (ints: string, floats: string, lanes?: LaneVerb): DyadLoops => [
  [dyadLoop(ints, "int", "int", "int", lanes), dyadLoop(floats, "int", "float", "float")],
  [dyadLoop(floats, "float", "int", "float"), dyadLoop(floats, "float", "float", "float")],
]

/** Loops over numbers whose results are floats. */
const floating = (expression: string): DyadLoops => [
  [dyadLoop(expression, "int", "int", "float"), dyadLoop(expression, "int", "float", "float")],
  [dyadLoop(expression, "float", "int", "float"), dyadLoop(expression, "float", "float", "float")],
]

const plusLoops = atomicDyad("+ takes numbers", numeric("a + b", "a + b", "plus"))
const minusLoops = atomicDyad("- takes numbers", numeric("a - b", "a - b", "minus"))
const timesLoops = atomicDyad("* takes numbers", numeric("Math.imul(a, b)", "a * b", "times"))

export const plus = (x: Value, y: Value): Value => (typeof x === "number" && typeof y === "number" ? (x + y) | 0 : plusLoops(x, y))
export const minus = (x: Value, y: Value): Value => (typeof x === "number" && typeof y === "number" ? (x - y) | 0 : minusLoops(x, y))
export const times = (x: Value, y: Value): Value => (typeof x === "number" && typeof y === "number" ? Math.imul(x, y) : timesLoops(x, y))

/** Always float: x%0 is 0i or -0i, 0%0 is 0n. */
export const divide = atomicDyad("% takes numbers", floating("a / b"))
/** Always float: 0^0 is 1.0. */
export const power = atomicDyad("^ takes numbers", floating("power(a, b)"))

/** 0n is below every number. */
export const min = atomicDyad("& takes numbers", numeric("(a < b ? a : b)", "(a < b || a !== a ? a : b)", "min"))
export const max = atomicDyad("| takes numbers", numeric("(a > b ? a : b)", "(a > b || b !== b ? a : b)", "max"))

const modLoops = atomicDyad("! takes numbers", numeric("intMod(a, b)", "floatMod(a, b)"))

const modPositive = dyadLoop("intModPositive(a, b)", "int", "int", "int", "mod")

/** x mod y; the sign follows y and x mod 0 is x. */
export const mod = (x: Value, y: Value): Value => {
  if (typeof y === "number") {
    if (typeof x === "number") return intMod(x, y)
    if (x.t === -1 && y > 0) return modPositive(x, y)
  }
  return modLoops(x, y)
}

export const negate = atomicMonad("- takes numbers", [undefined, monadLoop("-a", "int", "int"), monadLoop("-a", "float", "float")])
export const reciprocal = atomicMonad("% takes numbers", [
  undefined,
  monadLoop("1 / a", "int", "float"),
  monadLoop("1 / a", "float", "float"),
])
export const floor = atomicMonad("_ takes numbers", [undefined, monadLoop("a", "int", "int"), monadLoop("floor(a)", "float", "int")])
