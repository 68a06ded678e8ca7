/**
 * Comparison: `< > = ~`.
 *
 * Guarantees: results are ints 0 and 1; floats compare tolerantly, chars by byte, symbols by text; 0n is below every number, and an
 * int's 0N, compared with a float, is 0n, as in Kona. A number compared with text is a type error.
 */
import type { Value } from "../values/value.ts"
import { atomicDyad, atomicMonad } from "./atomic.ts"
import type { LaneVerb } from "./lanes.ts"
import { dyadLoop, monadLoop } from "./loops.ts"

/** No expression branches by the order of its items, which on random items would take most of the time. */
const comparison = (glyph: string, ints: string, floats: string, symbols: string, lanes: LaneVerb) =>
  atomicDyad(`${glyph} compares numbers, chars or symbols with their like`, [
    [dyadLoop(ints, "int", "int", "int", lanes), dyadLoop(floats, "widened", "float", "int")],
    [dyadLoop(floats, "float", "widened", "int"), dyadLoop(floats, "float", "float", "int")],
    [undefined, undefined, dyadLoop(ints, "char", "char", "int")],
    [undefined, undefined, undefined, dyadLoop(symbols, "symbol", "symbol", "int")],
  ])

const lessLoops = comparison("<", "a < b", "(a < b | (a !== a & b === b)) & !near(a, b)", "textOf(a) < textOf(b)", "less")
const moreLoops = comparison(">", "a > b", "(a > b | (b !== b & a === a)) & !near(a, b)", "textOf(a) > textOf(b)", "more")
const equalLoops = comparison("=", "a === b", "near(a, b)", "a === b", "equal")

export const less = (x: Value, y: Value): Value => (typeof x === "number" && typeof y === "number" ? (x < y ? 1 : 0) : lessLoops(x, y))
export const more = (x: Value, y: Value): Value => (typeof x === "number" && typeof y === "number" ? (x > y ? 1 : 0) : moreLoops(x, y))
export const equal = (x: Value, y: Value): Value => (typeof x === "number" && typeof y === "number" ? (x === y ? 1 : 0) : equalLoops(x, y))

/** 1 for zero, else 0; the handle of a symbol: `` `a `` gives `` `a. ``. */
export const not = atomicMonad("~ takes numbers and symbols", [
  undefined,
  monadLoop("a === 0", "int", "int"),
  monadLoop("a === 0", "float", "int"),
  undefined,
  monadLoop("handleOf(a)", "symbol", "symbol"),
])
