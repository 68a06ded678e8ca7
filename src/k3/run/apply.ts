/**
 * Index and apply: `f x`, `f@x`, `f . x`, `f[x;y]`, one rule for functions and data.
 *
 * Guarantees: data is indexed to any depth by ints, symbols, nothing (all items), and lists of these; the result has the shape of the indices; an
 * index out of range is an `index` error. No variable owns the result (see `ownership.ts`).
 *
 * Does not: change values; `amend.ts` does.
 */
import { inBlocks, itemsOf } from "./budget.ts"
import { Applicable, applyTo, type Args } from "../values/function.ts"
import { Verb } from "../values/Verb.ts"
import type { Dyad, Kernel } from "./kernel.ts"
import { BY_INTS, BY_SYMBOLS, itemless, outside, wrongType } from "./mismatch.ts"
import { gathered, spread } from "./Results.ts"
import { intPartsOf, listOf } from "../values/Parts.ts"
import { apart, handOut } from "../values/ownership.ts"
import { copy, itemAt, itemsAt } from "../primitives/structure.ts"
import {
  collapse,
  Dict,
  Ints,
  isAtom,
  item,
  List,
  NIL,
  sym,
  Sym,
  symbolOf,
  Symbols,
  textOf,
  type Value,
  type Vector,
} from "../values/value.ts"

const handedOut = (items: readonly Value[]): Value[] => {
  const out = itemsOf(items)
  inBlocks(out.length, (i) => handOut(out[i]!))
  return out
}

/** All items of a list or dictionary, as a new list, since a variable may own x. For an atom, the atom. */
const everything = (x: Value): Value => {
  if (x instanceof Dict) return collapse(handedOut(x.values))
  return isAtom(x) ? x : x instanceof List ? new List(handedOut(x.v)) : copy(x)
}

const entry = (d: Dict, key: Sym): Value => {
  const i = d.find(key)
  if (i >= 0) return handOut(d.values[i]!)
  const j = key.text.endsWith(".") ? d.find(sym(key.text.slice(0, -1))) : -1
  return j < 0 ? NIL : d.attributes[j]!
}

/** The value at a path of keys through nested dictionaries: `undefined` without such an entry, nil for an attribute that is not set. */
export const below = (value: Value, keys: readonly Sym[]): Value | undefined => {
  let x = value
  let ofAttributes = false
  for (const key of keys) {
    const { text } = key
    const isAttributes = text.endsWith(".")
    if (x === NIL && ofAttributes) return NIL
    if (!(x instanceof Dict) || (!ofAttributes && x.find(isAttributes ? sym(text.slice(0, -1)) : key) < 0)) return undefined
    x = entry(x, key)
    ofAttributes = isAttributes
  }
  return x
}

/** The variable that a symbol names; nil when it has no value. */
const variable = (x: Sym, k: Kernel): Value => k.variables.find(x.text) ?? NIL

/** `x@i` for data; a symbol stands for its variable. */
const indexAt = (x: Value, i: Value | undefined, k: Kernel): Value => {
  if (!(x instanceof Sym)) return indexData(x, i, k)
  const value = variable(x, k)
  return i === undefined || i === NIL ? everything(value) : call1(value, i, k)
}

/** `x@i` for data, a symbol being an atom. The result has the shape of i, so an empty list of indices gives an empty list of any data. */
const indexData = (x: Value, i: Value | undefined, k: Kernel): Value => {
  if (x === NIL) {
    if (i instanceof Symbols || i instanceof List) return gathered(i.v.length, (j) => indexData(x, item(i, j), k))
    return i === undefined || i instanceof Sym ? NIL : i
  }
  if (i === undefined || i === NIL) return everything(x)
  if (x instanceof Dict) return indexDict(x, i, k)
  if (i instanceof List) {
    const parts = isAtom(x) || x instanceof List ? undefined : intPartsOf(i)
    if (parts === undefined) return gathered(i.v.length, (j) => indexData(x, i.v[j], k))
    return listOf({ ...parts, of: itemsAt(x as Vector, parts.of.v) as Vector })
  }
  if (isAtom(x)) throw itemless(x)
  if (typeof i === "number") return itemAt(x, i)
  if (i instanceof Ints) return itemsAt(x, i.v)
  throw wrongType(BY_INTS, i)
}

/** Runs text in which the keys of d are names: `d["a+b"]`. They are locals, so that it reads d and does not change it. */
const executeAmong = (d: Dict, code: string, k: Kernel): Value => {
  const names = Array.from(new Set(code.match(/[A-Za-z]\w*/g)), sym).filter((name) => d.find(name) >= 0)
  return k.execute(code, new Map(names.map((name) => [name.text, entry(d, name)])))
}

const indexDict = (x: Dict, i: Value, k: Kernel): Value => {
  if (typeof i === "number") throw wrongType(BY_SYMBOLS, i)
  switch (i.t) {
    case 4:
      return entry(x, i)
    case -4:
      return gathered(i.v.length, (j) => entry(x, symbolOf(i.v[j]!)))
    case 0:
      // A string in the list is executed.
      return apart(() => gathered(i.v.length, (j) => indexDict(x, i.v[j]!, k)))
    case 6:
      return everything(x)
    case 3:
    case -3:
      return executeAmong(x, textOf(i)!, k)
    default:
      // `d[.]`: the attribute dictionaries.
      if (i instanceof Verb && i.rows.dyad?.role === "attributes") return collapse(itemsOf(x.attributes))
      throw wrongType(BY_SYMBOLS, i)
  }
}

/** `x . path`, `x[i;j;…]` for data; `undefined` and nil in the path stand for all items. A function on the path is applied to the rest of it. */
export const index = (x: Value, path: Args, k: Kernel, from = 0): Value => {
  const left = path.length - from
  if (left === 0) return x
  // A symbol stands for its variable only at the beginning; inside another value it is an atom.
  if (from > 0 && x instanceof Sym && left > 1) throw itemless(x)
  if (x instanceof Applicable) return applyTo(x, path.slice(from), k)
  const i = path[from]
  if (left === 1 || x === NIL) {
    if (from > 0 && !isAtom(x) && (i === undefined || i === NIL)) return handOut(x)
    const first = from > 0 ? indexData(x, i, k) : indexAt(x, i, k)
    return left === 1 ? first : index(first, path, k, from + 1)
  }
  if (x instanceof Sym) return index(variable(x, k), path, k, from)
  // The containers on the path are not shared, only the item at its end.
  if (typeof i === "number" && x instanceof List && i >= 0 && i < x.v.length) return index(x.v[i]!, path, k, from + 1)
  if (i instanceof Sym && x instanceof Dict) {
    const place = x.find(i)
    if (place >= 0) return index(x.values[place]!, path, k, from + 1)
  }
  // Items may be functions, which run apart.
  if (i === undefined || i === NIL) {
    if (isAtom(x) && !(x instanceof Dict)) throw itemless(x)
    const items = x instanceof Dict ? (everything(x) as Vector | List) : x
    return apart(() => gathered(items.v.length, (j) => index(itemAt(items, j), path, k, from + 1)))
  }
  if (isAtom(i)) return index(indexAt(x, i, k), path, k, from + 1)
  const rest = path.slice(from)
  const indexed = (j: number): Value => {
    rest[0] = item(i, j)
    return index(x, rest, k)
  }
  return apart(() => gathered(i.v.length, indexed))
}

/** `f[]`: all items of data; a function gets nil for its first argument. */
export const call0 = (f: Value, k: Kernel): Value => {
  if (f instanceof Applicable) return f.call1(NIL, k)
  if (isAtom(f) && f !== NIL && !(f instanceof Dict) && !(f instanceof Sym)) throw itemless(f)
  return indexAt(f, undefined, k)
}

/** `f x`, `f@x`. */
export const call1 = (f: Value, x: Value, k: Kernel): Value => {
  if (f instanceof Applicable) return f.call1(x, k)
  if (typeof x === "number" && typeof f !== "number" && f.t === -1) {
    const v = f.v
    if (x < 0 || x >= v.length) throw outside(x, v.length)
    return v[x]!
  }
  return indexAt(f, x, k)
}

/** `f[x;y]`. */
export const call2 = (f: Value, x: Value, y: Value, k: Kernel): Value => {
  if (f instanceof Applicable) return f.call2(x, y, k)
  if (typeof x === "number" && typeof y === "number" && f instanceof List) {
    const row = f.v[x]
    if (row instanceof Ints && y >= 0 && y < row.v.length) return row.v[y]!
  }
  return index(f, [x, y], k)
}

/** `f[…]` with any number of arguments; an elided one is `undefined`. */
export const call = (f: Value, args: Args, k: Kernel): Value => (f instanceof Applicable ? applyTo(f, args, k) : index(f, args, k))

/** `x . y`: y is the list of arguments; an atom is one argument. */
export const applyDot: Dyad = (x, y, k) => {
  if (isAtom(y)) return call1(x, y, k)
  if (y.v.length === 0) return x instanceof Applicable ? x.call([], k) : x
  const args = spread(y).v
  return x instanceof Applicable ? x.call(args, k) : index(x, args, k)
}
