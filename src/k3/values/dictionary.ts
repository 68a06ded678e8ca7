/** Makes and takes apart dictionaries, for `.x` in both directions. */
import { alloc, tick } from "../run/budget.ts"
import { KError } from "../run/KError.ts"
import { unequal, wrongType } from "../run/mismatch.ts"
import {
  collapse,
  count,
  Dict,
  item,
  List,
  NIL,
  isAtom,
  symbolOf,
  typeOf,
  type Sym,
  type Symbols,
  type Value,
  type Vector,
} from "./value.ts"

/** Is this an entry `(key;value)` or `(key;value;attributes)`? */
export const isEntry = (x: Value): boolean => !isAtom(x) && (count(x) === 2 || count(x) === 3) && typeOf(item(x, 0)) === 4

/**
 * A dictionary of entries `(key;value)` or `(key;value;attributes)`, each a list or a vector of symbols. Throws a type error for a key that is no
 * symbol, a length error for an entry of other than two or three parts.
 */
export const makeDict = (entries: readonly Value[]): Dict => {
  alloc(32 * entries.length)
  const out = new Dict([], [], [])
  for (const entry of entries) {
    tick()
    if (isAtom(entry)) throw wrongType("a dictionary is made of (key;value) pairs", entry)
    const parts = entry.v.length
    if (parts < 2 || parts > 3) throw new KError("length", "an entry is (key;value) or (key;value;attributes)")
    const key = item(entry, 0)
    if (typeOf(key) !== 4) throw wrongType("the key of an entry is a symbol", key)
    out.add(key as Sym, item(entry, 1), parts === 3 ? item(entry, 2) : NIL)
  }
  return out
}

/** A dictionary of keys and values, index by index; throws a length error when the counts differ. */
export const dictOf = (keys: Symbols, values: List | Vector): Dict => {
  const n = keys.v.length
  if (n !== count(values)) throw unequal(n, count(values), "keys", "values")
  alloc(32 * n)
  const out = new Dict([], [], [])
  for (let i = 0; i < n; i++) {
    tick()
    out.add(symbolOf(keys.v[i]!), item(values, i))
  }
  return out
}

/** The entries as triples `(key;value;attributes)`; missing attributes are nil. */
export const dictEntries = (d: Dict): List => {
  alloc(64 * d.keys.length)
  return new List(
    d.keys.map((key, i) => {
      tick()
      return collapse([key, d.values[i]!, d.attributes[i]!])
    }),
  )
}
