/** Dictionaries as the verbs make and unmake them: `.x` both ways. */
import { alloc, tick } from "../run/budget.ts"
import { KError } from "../run/KError.ts"
import { unequal, wrongType } from "../run/mismatch.ts"
import { count, Dict, item, List, NIL, isAtom, symbolOf, typeOf, type Sym, type Symbols, type Value, type Vector } from "./value.ts"

export const EMPTY_DICT = new Dict([], [], [])

/**
 * A dictionary of entries `(key;value)` or `(key;value;attributes)`, each a list or a vector of symbols. Throws type when a key is no
 * symbol, length when an entry has not two or three parts.
 */
export const makeDict = (entries: readonly Value[]): Dict => {
  const n = entries.length
  if (n === 0) return EMPTY_DICT
  alloc(32 * n)
  const out = new Dict([], [], [])
  for (let i = 0; i < n; i++) {
    tick()
    const entry = entries[i]!
    if (isAtom(entry)) throw wrongType("a dictionary is made of (key;value) pairs", entry)
    const parts = entry.v.length
    if (parts < 2 || parts > 3) throw new KError("length", "an entry is (key;value) or (key;value;attributes)")
    const key = item(entry, 0)
    if (typeOf(key) !== 4) throw wrongType("the key of an entry is a symbol", key)
    out.add(key as Sym, item(entry, 1), parts === 3 ? item(entry, 2) : NIL)
  }
  return out
}

/** A dictionary of a key and a value for each place; the counts must agree. */
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

/** Triples `(key;value;attributes)`, a missing attribute being nil. */
export const dictEntries = (d: Dict): List => {
  alloc(64 * d.keys.length)
  return new List(
    d.keys.map((key, i) => {
      tick()
      return new List([key, d.values[i]!, d.attributes[i]!])
    }),
  )
}
