/**
 * Elementary functions, `_abs` and `_div`.
 *
 * Guarantees: elementary functions are atomic and give floats, 0N and 0I of ints being plain numbers as in arithmetic.
 */
import { atomicDyad, atomicMonad } from "./atomic.ts"
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

/** The quotient for which `x = (x!y) + y * x _div y`, as closely as an int allows. */
const quotient = atomicDyad("_div takes numbers", [
  [dyadLoop("intDiv(a, b)", "int", "int", "int"), dyadLoop("floatDiv(a, b)", "int", "float", "int")],
  [dyadLoop("floatDiv(a, b)", "float", "int", "int"), dyadLoop("floatDiv(a, b)", "float", "float", "int")],
])

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
    words: "integer division quotient whole",
    examples: [["7 _div 2", "3"], ["-7 7 _div 2", "-4 3"]] },
]
