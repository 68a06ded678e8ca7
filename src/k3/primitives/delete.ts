/**
 * Membership and deleting: `_in _lin _di _dv _dvl`.
 *
 * Guarantees: items are compared as in `x?y`; a vector stays a vector of its type.
 */
import * as budget from "../run/budget.ts"
import type { Dyad } from "../run/kernel.ts"
import { KError } from "../run/KError.ts"
import { outside, wrongType } from "../run/mismatch.ts"
import { gathered, spread } from "../run/Results.ts"
import {
  collapse,
  count,
  Dict,
  EMPTY_LIST,
  Ints,
  isAtom,
  item,
  List,
  Sym,
  Symbols,
  view,
  type Value,
  type Vector,
} from "../values/value.ts"
import { match } from "../values/match.ts"
import type { SystemRow } from "./Row.ts"
import { areFound, find, members } from "./search.ts"
import { itemsAt } from "./structure.ts"

const isIn = (x: Value, y: Value): number => (isAtom(y) ? (match(x, y) ? 1 : 0) : find(y, x) === count(y) ? 0 : 1)

/** For each item of x: is it an item of y? */
const eachIn = (x: Vector | List, y: Value): Int32Array => {
  if (areFound(y, x)) return members(y, x).v
  return (gathered(x.v.length, (i) => isIn(item(x, i), y)) as Ints).v
}

const isInEach: Dyad = (x, y) => (isAtom(x) ? isIn(x, y) : x.v.length === 0 ? EMPTY_LIST : new Ints(eachIn(x, y)))

const listOf = (x: Value): Vector | List => {
  if (isAtom(x)) throw new KError("rank", "an atom has no items to delete")
  return x
}

/** The items without a mark. */
const kept = (x: Vector | List, marks: Int32Array | Uint8Array): Value => {
  const n = marks.length
  budget.alloc(12 * n)
  const places = new Int32Array(n)
  let m = 0
  budget.blocks(n, (from, to) => {
    for (let i = from; i < to; i++) if (marks[i] === 0) places[m++] = i
  })
  return m === n ? x : itemsAt(x, view(places, 0, m))
}

const deleteValues: Dyad = (x, y) => kept(listOf(x), eachIn(listOf(x), y))

const deleteValue: Dyad = (x, y, k) => deleteValues(x, collapse([y]), k)

const deleteKeys = (x: Dict, y: Value): Value => {
  const isNames = y instanceof Sym || y instanceof Symbols || (y instanceof List && y.v.length === 0)
  if (!isNames) throw wrongType("entries are deleted by symbols", y)
  const gone = new Set<Value>(y instanceof Sym ? [y] : spread(y).v)
  const stays = (_: unknown, i: number): boolean => {
    budget.tick()
    return !gone.has(x.keys[i]!)
  }
  return new Dict(x.keys.filter(stays), x.values.filter(stays), x.attributes.filter(stays))
}

const deleteItems: Dyad = (x, y) => {
  if (x instanceof Dict) return deleteKeys(x, y)
  const of = listOf(x)
  const n = of.v.length
  budget.alloc(n)
  const marks = new Uint8Array(n)
  const mark = (i: Value): void => {
    budget.tick()
    if (typeof i === "number") {
      if (i < 0 || i >= n) throw outside(i, n)
      marks[i] = 1
    } else if (i.t === -1 || i.t === 0) for (let j = 0; j < i.v.length; j++) mark(i.v[j]!)
    else throw wrongType("items are deleted by ints", i)
  }
  mark(y)
  return kept(of, marks)
}

// prettier-ignore
export const rows: readonly SystemRow[] = [
  { glyph: "_in", valence: 2, name: "in", class: "search", run: isIn, fresh: true,
    doc: "1 if x as a whole is an item of y, else 0.",
    words: "member membership contains element",
    examples: [["4 _in 1 7 2 4 6 3", "1"], ["4 3 _in 1 7 2 4 6 3", "0"]] },
  { glyph: "_lin", valence: 2, name: "each in", class: "search", run: isInEach, fresh: true,
    doc: "For each item of x, 1 if it is an item of y.",
    words: "member each contains",
    examples: [["1 3 5 7 9 _lin 1 2 3 4 5", "1 1 1 0 0"], ['"abc" _lin "cab"', "1 1 1"]] },
  { glyph: "_di", valence: 2, name: "delete items", class: "list", run: deleteItems,
    doc: "x without the items at places y; a dictionary without the entries of keys y.",
    words: "remove delete key index",
    examples: [["3 2 4 5 _di 1 3", "3 4"], ["(.((`a;1);(`b;2))) _di `a", ".,(`b;2;)"]] },
  { glyph: "_dv", valence: 2, name: "delete value", class: "list", run: deleteValue,
    doc: "x without the items that are y, numbers by value.",
    words: "remove delete value",
    examples: [["3 4 4 5 _dv 4", "3 5"], ['" bcde bc" _dv " "', '"bcdebc"']] },
  { glyph: "_dvl", valence: 2, name: "delete values", class: "list", run: deleteValues,
    doc: "x without the items that are items of y.",
    examples: [["1 2 3 4 5 _dvl 2 4", "1 3 5"], ['"stop, you." _dvl ".,"', '"stop you"']] },
]
