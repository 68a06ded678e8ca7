/**
 * Comparison: `< > = ~`.
 *
 * Guarantees: results are ints 0 and 1; floats compare tolerantly, chars by byte, symbols by text; 0n is below every number, and an
 * int's 0N, compared with a float, is 0n [Ko]. A number compared with text is a type error.
 */
import type { Value } from "../values/value.ts"
import { atomicDyad, atomicMonad, vectorDyad, type DyadLoops } from "./atomic.ts"
import type { LaneVerb } from "./lanes.ts"
import { dyadLoop, monadLoop } from "./loops.ts"
import type { Together } from "./Row.ts"

/** The verb, and the places where it gives 1, as `vectorDyad` has them. */
const comparison = (glyph: string, ints: string, floats: string, symbols: string, lanes: LaneVerb) => {
  const loops = (result: "int" | "where"): DyadLoops => [
    [dyadLoop(ints, "int", "int", result, lanes), dyadLoop(floats, "widened", "float", result)],
    [dyadLoop(floats, "float", "widened", result), dyadLoop(floats, "float", "float", result)],
    [undefined, undefined, dyadLoop(ints, "char", "char", result)],
    [undefined, undefined, undefined, dyadLoop(symbols, "symbol", "symbol", result)],
  ]
  return [atomicDyad(`${glyph} compares numbers, chars or symbols with their like`, loops("int")), vectorDyad(loops("where"))] as const
}

const [lessLoops, whereLess] = comparison(
  "<",
  "(a < b ? 1 : 0)",
  "((a < b || (a !== a && b === b)) && !near(a, b) ? 1 : 0)",
  "(textOf(a) < textOf(b) ? 1 : 0)",
  "less",
)
const [moreLoops, whereMore] = comparison(
  ">",
  "(a > b ? 1 : 0)",
  "((a > b || (b !== b && a === a)) && !near(a, b) ? 1 : 0)",
  "(textOf(a) > textOf(b) ? 1 : 0)",
  "more",
)
const [equalLoops, whereEqual] = comparison("=", "(a === b ? 1 : 0)", "(near(a, b) ? 1 : 0)", "(a === b ? 1 : 0)", "equal")

/** `&x<y` and the like in one go. */
export const wheres: Together = new Map([
  ["<", whereLess],
  [">", whereMore],
  ["=", whereEqual],
])

export const less = (x: Value, y: Value): Value => (typeof x === "number" && typeof y === "number" ? (x < y ? 1 : 0) : lessLoops(x, y))
export const more = (x: Value, y: Value): Value => (typeof x === "number" && typeof y === "number" ? (x > y ? 1 : 0) : moreLoops(x, y))
export const equal = (x: Value, y: Value): Value => (typeof x === "number" && typeof y === "number" ? (x === y ? 1 : 0) : equalLoops(x, y))

/** 1 for zero, else 0; the handle of a symbol: `` `a `` gives `` `a. ``. */
export const not = atomicMonad("~ takes numbers and symbols", [
  undefined,
  monadLoop("(a === 0 ? 1 : 0)", "int", "int"),
  monadLoop("(a === 0 ? 1 : 0)", "float", "int"),
  undefined,
  monadLoop("handleOf(a)", "symbol", "symbol"),
])
