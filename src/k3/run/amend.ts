/**
 * Changes items: `x[i]:y`, `x[i;j]+:y`, `@[x;i;f;y]`, `.[x;path;f;y]`; and the traps `@[f;x;:]`, `.[f;args;:]`.
 *
 * Guarantees: a value is changed in place if `ownership.ts` allows it, otherwise a copy is changed. The result is x, or a new value that nothing else
 * holds. An error or an interrupt leaves x as it was: when several places are changed, the places already written are undone.
 *
 * Does not: know variables.
 */
import { append } from "./append.ts"
import { blocks, itemsOf, tick } from "./budget.ts"
import { applyDot, call1, call2 } from "./apply.ts"
import { Verb, type Polyad } from "../values/Verb.ts"
import type { Args } from "../values/function.ts"
import { apart, claimAmended, claimJoined, handOut, isOwned, NOBODY, ownsItem, runsNothing, type OwnerMark } from "../values/ownership.ts"
import type { Dyad, Kernel } from "./kernel.ts"
import { KError } from "./KError.ts"
import { BY_INTS, BY_SYMBOLS, itemless, outside, surplus, unequal, wrongType } from "./mismatch.ts"
import { copy } from "../primitives/structure.ts"
import { spread } from "./Results.ts"
import { collapse, count, Dict, Ints, isAtom, item, List, NIL, stored, sym, Sym, typeOf, type Value, type Vector } from "../values/value.ts"

/** Steps that undo the changes made in place so far. */
type Undo = (() => void)[]

const isJoin = (f: Value | undefined): boolean => f instanceof Verb && f.rows.dyad?.role === "join"

const copyDict = (x: Dict): Dict => new Dict(itemsOf(x.keys), itemsOf(x.values), itemsOf(x.attributes))

/** The list as a vector when its items became atoms of one type. Looks at three items first. */
const retyped = (x: List): Vector | List => {
  const v = x.v
  const t = typeOf(v[0]!)
  if (t < 1 || t > 4 || typeOf(v[v.length - 1]!) !== t || typeOf(v[v.length >> 1]!) !== t) return x
  return collapse(v)
}

/** Stores one item in a value that only the caller holds; gives the value, which is a new list when the type does not fit. */
const store = (x: Vector | List, i: number, y: Value, undo: Undo | undefined): Vector | List => {
  if (x.t !== 0 && typeOf(y) !== -x.t) return store(spread(x), i, y, undefined)
  if (undo !== undefined) {
    const items: { [place: number]: unknown } = x.v
    const old = items[i]
    undo.push(() => (items[i] = old))
  }
  if (x.t === 0) {
    x.v[i] = y
    return retyped(x)
  }
  x.v[i] = stored(y)
  return x
}

/** The error for a value without items to amend. */
const unamendable = (x: Value): KError => (x === NIL ? new KError("value", "nil has no items to amend") : itemless(x))

interface Places {
  readonly length: number
  readonly at: (j: number) => Value
}

/** The places of one level: those in `i`, or all when there is none. */
const placesOf = (x: Value, i: Value | undefined): Places => {
  if (i !== undefined && i !== NIL) {
    if (isAtom(i) || ((i.t === -2 || i.t === -3) && i.v.length > 0)) throw wrongType(BY_INTS, i)
    return { length: i.v.length, at: (j) => item(i, j) }
  }
  if (x instanceof Dict) return { length: x.keys.length, at: (j) => x.keys[j]! }
  if (isAtom(x)) throw unamendable(x)
  return { length: x.v.length, at: (j) => j }
}

/** Up to so many places are changed in place, also when they are most of the value. */
const FEW = 64

/**
 * An amendment of the items at a path. Each method amends a value that is `depth` levels down the path, and gives the amended one; `own`: the value
 * may be changed in place.
 */
class Amendment {
  /** Without f the item at the end of the path is replaced by y, without y it becomes the monad f of itself. `undo`: given for several places. */
  constructor(
    private readonly path: Args,
    private readonly f: Value | undefined,
    private readonly y: Value | undefined,
    private readonly k: Kernel,
    private readonly undo?: Undo,
  ) {}

  amend(x: Value, own: boolean, depth: number): Value {
    if (depth === this.path.length) return this.changed(x)
    const i = this.path[depth]
    if (typeof i === "number") return this.amendPlace(x, own, i, depth + 1)
    if (i instanceof Sym) {
      if (x instanceof Dict) return this.amendEntry(x, own, i, depth + 1)
      if (x === NIL || (x instanceof List && x.v.length === 0)) return this.amendEntry(new Dict([], [], []), true, i, depth + 1)
      throw isAtom(x) ? wrongType("only a dictionary has entries", x) : wrongType(BY_INTS, i)
    }
    return this.amendPlaces(x, own, placesOf(x, i), depth)
  }

  /** The changed item. f gets the old item as shared, since f may keep it. */
  private changed(x: Value): Value {
    const { f, y, k } = this
    return f === undefined ? y! : y === undefined ? call1(f, handOut(x), k) : call2(f, handOut(x), y, k)
  }

  /** As `changed`, for an item of a container. Appending to an item does not copy it, and its container still owns it. */
  private changedItem(x: Value, own: boolean, container: object): Value {
    const { f, y, undo, k } = this
    if (!isJoin(f) || y === undefined || typeof x === "number" || x.t > 0) return this.changed(x)
    const mine = own && ownsItem(container, x)
    const length = count(x)
    const result = append(x, mine, y) ?? call2(f!, x, y, k)
    if (result === x && result instanceof List) undo?.push(() => (result.v.length = length))
    claimJoined(container, result, x, mine, y)
    return result
  }

  /** `i` is the place of the path before `depth`. */
  private amendPlace(x: Value, own: boolean, i: number, depth: number): Value {
    if (isAtom(x)) throw x instanceof Dict ? wrongType(BY_SYMBOLS, i) : unamendable(x)
    if (i < 0 || i >= x.v.length) throw outside(i, x.v.length)
    if (depth === this.path.length) {
      const target = own ? x : copy(x)
      return store(target, i, this.f === undefined ? this.y! : this.changedItem(item(x, i), own, target), this.undo)
    }
    if (x.t !== 0) throw itemless(item(x, i))
    const row = x.v[i]!
    const next = this.amend(row, own && ownsItem(x, row), depth)
    const target = own ? x : copy(x)
    claimAmended(target, next, row)
    return store(target, i, next, this.undo)
  }

  /** As `amendPlace`, for a key. The arrays of a dictionary belong to it alone, so an owned dictionary is changed in place. */
  private amendEntry(x: Dict, own: boolean, key: Sym, depth: number): Value {
    if (key.text.endsWith(".") && key.text.length > 1) return this.amendAttributes(x, sym(key.text.slice(0, -1)), depth)
    const isLast = depth === this.path.length
    const i = x.find(key)
    const old = i < 0 ? NIL : x.values[i]!
    const target = own ? x : copyDict(x)
    const next = isLast ? this.changedItem(old, own, target) : this.amend(old, own && ownsItem(x, old), depth)
    if (i < 0) {
      tick(4)
      target.add(key, next)
      this.undo?.push(() => target.removeLast())
    } else {
      const values = target.values as Value[]
      values[i] = next
      this.undo?.push(() => (values[i] = old))
    }
    if (!isLast) claimAmended(target, next, old)
    return target
  }

  private amendAttributes(x: Dict, name: Sym, depth: number): Value {
    const out = copyDict(x)
    if (out.find(name) < 0) out.add(name, NIL)
    const i = out.find(name)
    const attributes = out.attributes as Value[]
    attributes[i] = this.amend(attributes[i]!, false, depth)
    return out
  }

  /** Amends several places of one level; y goes to all of them, or item by item. */
  private amendPlaces(x: Value, own: boolean, places: Places, depth: number): Value {
    const { f, y, k } = this
    const many = y !== undefined && !isAtom(y)
    const n = places.length
    if (many && count(y) !== n) throw unequal(n, count(y), "places", "items")
    if (n === 0) return x
    const path = this.path.slice()
    // When most of the value changes, copying it is cheaper than recording undo steps.
    const inPlace = own && (n <= FEW || 8 * n <= (x instanceof Dict ? x.keys.length : count(x)))
    const undo = this.undo ?? (inPlace ? [] : undefined)
    let each = new Amendment(path, f, y, k, undo)
    let result = x
    try {
      for (let j = 0; j < n; j++) {
        tick()
        path[depth] = places.at(j)
        if (many) each = new Amendment(path, f, item(y, j), k, undo)
        result = each.amend(result, inPlace || result !== x, depth)
      }
    } catch (error) {
      // The outermost level undoes the steps of all, the last first.
      if (this.undo === undefined) for (const back of (undo ?? []).toReversed()) back()
      throw error
    }
    return result
  }
}

/** `x[path] f: y` for a variable that holds x with that mark; with an empty path the result of f, or y. */
export const amend = (x: Value, mark: OwnerMark, path: Args, f: Value | undefined, y: Value | undefined, k: Kernel): Value => {
  const mayChange = f === undefined || (f instanceof Verb && runsNothing(y === undefined ? f.rows.monad : f.rows.dyad))
  const work = (): Value => new Amendment(path, f, y, k).amend(x, mayChange && isOwned(mark), 0)
  return mayChange ? work() : apart(work)
}

/** Places written without a step in between. More are written to a copy, which an interrupt leaves unfinished without harm. */
const AT_ONCE = 1 << 20

/** `x[i]:y` of a vector at many places, which are all checked before any is written. `undefined` when types or lengths differ. */
const setMany = (x: Vector, own: boolean, i: Int32Array, y: Value): Value | undefined => {
  const atom = isAtom(y)
  if (typeOf(y) !== (atom ? -x.t : x.t) || (!atom && count(y) !== i.length)) return undefined
  const n = x.v.length
  blocks(i.length, (from, to) => {
    for (let j = from; j < to; j++) if (i[j]! < 0 || i[j]! >= n) throw outside(i[j]!, n)
  })
  const inPlace = own && i.length <= AT_ONCE
  const result = inPlace ? x : (copy(x) as Vector)
  const v = result.v
  const write = (from: number, to: number): void => {
    if (atom) for (let j = from, value = stored(y); j < to; j++) v[i[j]!] = value
    else for (let j = from, values = (y as Vector).v; j < to; j++) v[i[j]!] = values[j]!
  }
  if (inPlace) write(0, i.length)
  else blocks(i.length, write)
  return result
}

/** `x[i]:y`, the most frequent form. */
export const setItem = (x: Value, mark: OwnerMark, i: Value, y: Value, k: Kernel): Value => {
  if (!isAtom(x) && x.t !== 0) {
    if (typeof i === "number") {
      if (isOwned(mark) && x instanceof Ints && typeof y === "number" && i >= 0 && i < x.v.length) {
        x.v[i] = y
        return x
      }
    } else if (i instanceof Ints) {
      const result = setMany(x, isOwned(mark), i.v, y)
      if (result !== undefined) return result
    }
  }
  return amend(x, mark, [i], undefined, y, k)
}

const isReplacement = (f: Value): boolean => f instanceof Verb && f.rows.dyad?.role === "replace"

/** The trap of `x apply i`, or x amended at a path. For a symbol x the variable of that name is amended, and the symbol is the result. */
const polyad =
  (apply: Dyad, pathOf: (i: Value) => readonly Value[]): Polyad =>
  (args, k) => {
    if (args.length > 4) throw surplus(args.length, 4)
    const [x, i, f, y] = args as [Value, Value, Value, Value | undefined]
    if (y === undefined && isReplacement(f)) return k.trap(() => apply(x, i, k))
    const g = isReplacement(f) ? undefined : f
    if (!(x instanceof Sym)) return amend(x, NOBODY, pathOf(i), g, y, k)
    k.variables.amend(x.text, pathOf(i), g, y)
    return x
  }

/** `@[x;i;f]`, `@[x;i;f;y]`; with a function for x and `:` for f, the trap. */
export const amendItem = polyad(call1, (i) => [i])

/** `.[x;path;f]`, `.[x;path;f;y]`; with a function for x and `:` for f, the trap. */
export const amendPath = polyad(applyDot, (path) => (isAtom(path) ? [path] : spread(path).v))
