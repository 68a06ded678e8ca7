/**
 * Errors about values that do not fit, with the sentence that says what was wanted and what was there.
 *
 * Guarantees: values are named by their types alone, so that an error in a loop of traps costs as much as a short string.
 */
import { KError, type KErrorName } from "./KError.ts"
import { type Value, NULL_INT, typeOf } from "../values/value.ts"

/** By the type's code. What is mostly met unmeant says how it came there. */
const kinds: Readonly<Record<number, string>> = {
  [-4]: "symbols",
  [-3]: "a string",
  [-2]: "floats",
  [-1]: "ints",
  0: "a list",
  1: "an int",
  2: "a float",
  3: "a char",
  4: "a symbol",
  5: "a dictionary",
  6: "nil",
  7: "a function",
}
const unmeant: Readonly<Record<number, string>> = {
  6: ", as a name without a value is in a function",
  7: ": f[x] or f@x applies it",
}

/** "a symbol", "ints". */
const kindOf = (x: Value): string => kinds[typeOf(x)]!

const plurals = new Set([-4, -2, -1])

/** "this is nil, as …", "these are ints", "these are an int and a symbol". */
const met = (x: Value, y?: Value): string => {
  const shown = y === undefined ? kindOf(x) : `${kindOf(x)} and ${kindOf(y)}`
  const cause = unmeant[typeOf(x)] ?? (y === undefined ? undefined : unmeant[typeOf(y)]) ?? ""
  return `${y !== undefined || plurals.has(typeOf(x)) ? "these are" : "this is"} ${shown}${cause}`
}

/** `rule` says what fits: "+ takes numbers". */
export const unfit = (kname: KErrorName, rule: string, x: Value, y?: Value): KError => new KError(kname, `${rule}; ${met(x, y)}`)

export const wrongType = (rule: string, x: Value, y?: Value): KError => unfit("type", rule, x, y)

/** Two counts that should be the same, and what was counted. */
export const unequal = (n: number, m: number, things = "items", others = things): KError =>
  new KError("length", things === others ? `${n} and ${m} ${things}` : `${n} ${things} and ${m} ${others}`)

/** A place where a list of n items has none. */
export const outside = (i: number, n: number): KError =>
  new KError("index", `there is no item ${i === NULL_INT ? "0N" : i}; ${n === 0 ? "the list is empty" : `the last is ${n - 1}`}`)

/** What is indexed deeper than it goes. */
export const itemless = (x: Value): KError => new KError("rank", `${kindOf(x)} has no items`)

export const surplus = (given: number, taken: number): KError =>
  new KError("valence", `it takes ${taken === 1 ? "1 argument" : `${taken} arguments`}; ${given} are given`)

/** Rules about places. */
export const BY_INTS = "a list is indexed by ints"
export const BY_SYMBOLS = "a dictionary is indexed by symbols"
