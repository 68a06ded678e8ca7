/**
 * Errors about values that do not fit.
 *
 * Guarantees: they keep only the types and counts of values, so that an error holds no data and costs little in a loop of traps.
 */
import { type ErrorKind, KError } from "./KError.ts"
import { Func, type Value, typeOf } from "../values/value.ts"

/** The code of the type; 8 for a projection. */
const kindOf = (x: Value): number => (x instanceof Func && x.isProjection ? 8 : typeOf(x))

/** `rule` names the values that fit: "+ takes numbers". */
export const unfit = (kind: ErrorKind, rule: string, x: Value, y?: Value): KError =>
  new KError(kind, { what: "mismatch", rule, x: kindOf(x), y: y === undefined ? undefined : kindOf(y) })

export const wrongType = (rule: string, x: Value, y?: Value): KError => unfit("type", rule, x, y)

/** Gives x, which has to be an int. `rule`: "the count of do is an int". */
export const intOf = (x: Value, rule: string): number => {
  if (typeof x !== "number") throw wrongType(rule, x)
  return x
}

/** Two counts that should be equal, and the things counted. */
export const unequal = (n: number, m: number, things = "items", others = things): KError =>
  new KError("length", { what: "counts", n, m, things, others })

/** An index outside of a list of `count` items. */
export const outside = (place: number, count: number): KError => new KError("index", { what: "place", place, count })

/** An index that goes deeper than the value. */
export const itemless = (x: Value): KError => new KError("rank", { what: "no-items", type: typeOf(x) })

export const surplus = (given: number, taken: number): KError => new KError("valence", { what: "arguments", given, taken })

/** Rules about indices. */
export const BY_INTS = "a list is indexed by ints"
export const BY_SYMBOLS = "a dictionary is indexed by symbols"
