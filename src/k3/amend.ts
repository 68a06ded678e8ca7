/**
 * Changing items: `x[i]:y`, `x[i;j]+:y`, `@[x;i;f;y]`, `.[x;path;f;y]`, and the traps `@[f;x;:]`, `.[f;args;:]`.
 *
 * Ownership. Nothing is copied twice: `amend(x, own, …)` changes `x` in place when the caller says that it alone holds it, and else works
 * on a copy, so that in both cases the caller holds the result alone. Rows of a list that were copied on the way remember the list as
 * their `owner` and are changed in place too, until `apply.ts` hands them out. A buffer may be longer than its vector, so that appending
 * to an owned vector is cheap; whoever shares the shorter view never sees the rest.
 * Guarantees: an error leaves an owned value as it was, because only single places, and replacements checked beforehand, are changed in place.
 * Does not: know variables; compiled code and `commands` keep the `own` flags.
 */
import { alloc, blocks, tick, transfer } from "./budget.ts"
import { applyDot, call1, call2, type Owned } from "./apply.ts"
import { Verb, type Args, type Polyad } from "./function.ts"
import { KError } from "./KError.ts"
import type { Kernel } from "./kernel.ts"
import { slice, stored } from "./primitives/structure.ts"
import {
  Char,
  Chars,
  collapse,
  count,
  Dict,
  Float,
  Floats,
  Ints,
  isAtom,
  item,
  List,
  NIL,
  Sym,
  Symbols,
  typeOf,
  type Value,
  type Vector,
} from "./value.ts"

/** What happens at a place: `undefined` for f is replacement by y, `undefined` for y is the monad f. */
interface Change {
  readonly f: Value | undefined
  readonly y: Value | undefined
}

const changed = (x: Value, { f, y }: Change, k: Kernel): Value =>
  f === undefined ? y! : y === undefined ? call1(f, x, k) : call2(f, x, y, k)

const copy = (x: Vector | List): Vector | List => {
  if (x.t !== 0) return slice(x, 0, x.v.length)
  tick(x.v.length >> 3)
  alloc(8 * x.v.length)
  return new List(x.v.slice())
}

const spread = (x: Vector): List => {
  alloc(8 * x.v.length)
  const out: Value[] = []
  for (let i = 0; i < x.v.length; i++) {
    tick()
    out.push(item(x, i))
  }
  return new List(out)
}

/** A list whose items may have become atoms of one type: looks at few items unless they agree. */
const retyped = (x: List): Vector | List => {
  const v = x.v
  const t = typeOf(v[0]!)
  if (t < 1 || t > 4 || typeOf(v[v.length - 1]!) !== t || typeOf(v[v.length >> 1]!) !== t) return x
  return collapse(v) as Vector | List
}

/** Stores one item into a value held by the caller alone; gives the value back, which is another when its type had to change. */
const store = (x: Vector | List, i: number, y: Value): Vector | List => {
  switch (x.t) {
    case -1:
      if (typeof y !== "number") break
      x.v[i] = y
      return x
    case -2:
      if (!(y instanceof Float)) break
      x.v[i] = y.v
      return x
    case -3:
      if (!(y instanceof Char)) break
      x.v[i] = y.v
      return x
    case -4:
      if (!(y instanceof Sym)) break
      x.v[i] = y.id
      return x
    default:
      x.v[i] = y
      return retyped(x)
  }
  const list = spread(x)
  list.v[i] = y
  return retyped(list)
}

const claim = (row: Value, owner: object): Value => {
  if (typeof row !== "number" && (row.t <= 0 || row.t === 5)) (row as Owned).owner = owner
  return row
}

const amendOne = (x: Value, own: boolean, i: number, path: Args, depth: number, change: Change, k: Kernel): Value => {
  if (isAtom(x)) throw new KError(x instanceof Dict ? "type" : "rank")
  const data = x as Vector | List
  if (i < 0 || i >= data.v.length) throw new KError("index")
  if (depth === path.length) {
    const y = change.f === undefined ? change.y! : changed(item(data, i), change, k)
    return store(own ? data : copy(data), i, y)
  }
  if (data.t !== 0) throw new KError("rank")
  const row = data.v[i]!
  const next = amendAt(row, own && (row as Owned).owner === data, path, depth, change, k)
  const target = own ? data : (copy(data) as List)
  claim(next, target)
  return store(target, i, next)
}

/** A dictionary held by the caller alone may be changed: its arrays are its own. */
const amendKey = (x: Dict, own: boolean, key: Sym, path: Args, depth: number, change: Change, k: Kernel): Value => {
  if (key.text.endsWith(".") && key.text.length > 1) return amendAttributes(x, key.text.slice(0, -1), path, depth, change, k)
  const i = x.find(key)
  const old = i < 0 ? NIL : x.values[i]!
  const next = depth === path.length ? changed(old, change, k) : amendAt(old, own && (old as Owned).owner === x, path, depth, change, k)
  const target = own ? x : new Dict(x.keys.slice(), x.values.slice(), x.attributes.slice())
  if (i < 0) target.add(key, next)
  else (target.values as Value[])[i] = next
  if (depth < path.length) claim(next, target)
  return target
}

const amendAttributes = (x: Dict, name: string, path: Args, depth: number, change: Change, k: Kernel): Value => {
  const i = x.keys.findIndex((key) => key.text === name)
  if (i < 0) throw new KError("value")
  const attributes = x.attributes.slice()
  const old = attributes[i]!
  attributes[i] = depth === path.length ? changed(old, change, k) : amendAt(old, false, path, depth, change, k)
  return new Dict(x.keys.slice(), x.values.slice(), attributes)
}

/** Amends `x` at `path` from `depth` on. */
const amendAt = (x: Value, own: boolean, path: Args, depth: number, change: Change, k: Kernel): Value => {
  if (depth === path.length) return changed(x, change, k)
  const i = path[depth]
  if (typeof i === "number") return amendOne(x, own, i, path, depth + 1, change, k)
  if (i instanceof Sym) {
    if (x instanceof Dict) return amendKey(x, own, i, path, depth + 1, change, k)
    if (x === NIL || (x instanceof List && x.v.length === 0)) return amendKey(new Dict([], [], []), true, i, path, depth + 1, change, k)
    throw new KError("type")
  }
  if (i === undefined || i === NIL) {
    if (x instanceof Dict) return amendEach(x, new SymbolsOf(x), path, depth, change, k)
    if (isAtom(x)) throw new KError("rank")
    return amendEach(x, new Range(count(x)), path, depth, change, k)
  }
  if (isAtom(i)) throw new KError("type")
  const is = i as Vector | List
  if (is.t === -2 || is.t === -3) {
    if (is.v.length === 0) return x
    throw new KError("type")
  }
  return amendEach(x, { length: is.v.length, at: (j) => item(is, j) }, path, depth, change, k)
}

interface Places {
  readonly length: number
  at(j: number): Value
}
class Range implements Places {
  constructor(readonly length: number) {}
  at(j: number): Value {
    return j
  }
}
class SymbolsOf implements Places {
  constructor(private readonly d: Dict) {}
  get length(): number {
    return this.d.keys.length
  }
  at(j: number): Value {
    return this.d.keys[j]!
  }
}

/** Several places of one level; y is spread or goes item by item. Works on a copy, so that an error halfway changes nothing. */
const amendEach = (x: Value, places: Places, path: Args, depth: number, change: Change, k: Kernel): Value => {
  const { f, y } = change
  const many = y !== undefined && !isAtom(y)
  const n = places.length
  if (many && count(y) !== n) throw new KError("length")
  if (n === 0) return x
  const here = path.slice()
  let result = x
  let own = false
  let c = change
  for (let j = 0; j < n; j++) {
    tick()
    here[depth] = places.at(j)
    if (many) c = { f, y: item(y as Vector | List, j) }
    result = amendAt(result, own, here, depth, c, k)
    own = true
  }
  return result
}

/** `x[path] f: y` for a variable: `own` when the variable alone holds `x`. The result is held by the caller alone. */
export const amend = (x: Value, own: boolean, path: Args, f: Value | undefined, y: Value | undefined, k: Kernel): Value => {
  // An index met by nothing else than ints and symbols names one place.
  const next = amendAt(x, own, path, 0, { f, y }, k)
  if (next === x && !own) return isAtom(x) ? x : copy(x as Vector | List)
  return next
}

/** Places written in one go. More are written to a copy, which an interrupt in between leaves unfinished without harm. */
const AT_ONCE = 1 << 20

/** `x[i]:y` of a vector at many places, all of them looked at before any is written. `undefined` when types or lengths differ. */
const setMany = (x: Vector, own: boolean, i: Int32Array, y: Value): Value | undefined => {
  const atom = isAtom(y)
  if (typeOf(y) !== (atom ? -x.t : x.t) || (!atom && count(y) !== i.length)) return undefined
  const n = x.v.length
  blocks(i.length, (from, to) => {
    for (let j = from; j < to; j++) if (i[j]! < 0 || i[j]! >= n) throw new KError("index")
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

/** `x[i]:y`, the everyday case. */
export const setItem = (x: Value, own: boolean, i: Value, y: Value, k: Kernel): Value => {
  if (typeof x !== "number" && x.t < 0) {
    if (typeof i === "number") {
      if (own && x.t === -1 && typeof y === "number" && i >= 0 && i < x.v.length) {
        x.v[i] = y
        return x
      }
    } else if (i.t === -1) {
      const result = setMany(x as Vector, own, i.v, y)
      if (result !== undefined) return result
    }
  }
  return amend(x, own, [i], undefined, y, k)
}

/** `x,:y`: appends in place to an owned vector or list, leaving room for more. `undefined` when the types do not let it. */
export const append = (x: Value, own: boolean, y: Value): Value | undefined => {
  if (typeof x === "number") return undefined
  switch (x.t) {
    case -1: {
      if (typeof y !== "number" && y.t !== -1) return undefined
      const v = grown(x.v, typeof y === "number" ? 1 : y.v.length, own, (n) => new Int32Array(n)) as Int32Array
      if (typeof y === "number") v[v.length - 1] = y
      else v.set(y.v, x.v.length)
      return new Ints(v)
    }
    case -2: {
      if (typeof y === "number" || (y.t !== -2 && y.t !== 2)) return undefined
      const v = grown(x.v, y.t === 2 ? 1 : y.v.length, own, (n) => new Float64Array(n)) as Float64Array
      if (y.t === 2) v[v.length - 1] = y.v
      else v.set(y.v, x.v.length)
      return new Floats(v)
    }
    case -3: {
      if (typeof y === "number" || (y.t !== -3 && y.t !== 3)) return undefined
      const v = grown(x.v, y.t === 3 ? 1 : y.v.length, own, (n) => new Uint8Array(n)) as Uint8Array
      if (y.t === 3) v[v.length - 1] = y.v
      else v.set(y.v, x.v.length)
      return new Chars(v)
    }
    case -4: {
      if (typeof y === "number" || (y.t !== -4 && y.t !== 4)) return undefined
      const v = grown(x.v, y.t === 4 ? 1 : y.v.length, own, (n) => new Int32Array(n)) as Int32Array
      if (y.t === 4) v[v.length - 1] = y.id
      else v.set(y.v, x.v.length)
      return new Symbols(v)
    }
    case 0: {
      if (x.v.length === 0) return undefined
      const list = own ? x : (copy(x) as List)
      if (isAtom(y)) list.v.push(y)
      else for (let i = 0, n = count(y); i < n; i++) list.v.push(item(y as Vector | List, i))
      return list
    }
    default:
      return undefined
  }
}

type Buffer = Int32Array | Float64Array | Uint8Array

/** The vector made longer by `extra` items, within its own buffer when that is owned and has room. */
const grown = (v: Buffer, extra: number, own: boolean, make: (length: number) => Buffer): Buffer => {
  const n = v.length + extra
  const size = v.BYTES_PER_ELEMENT
  if (own && v.byteOffset === 0 && v.buffer.byteLength >= n * size) {
    const buffer = v.buffer as ArrayBuffer
    return size === 1 ? new Uint8Array(buffer, 0, n) : size === 4 ? new Int32Array(buffer, 0, n) : new Float64Array(buffer, 0, n)
  }
  const length = own ? n * 2 : n + 16
  alloc(length * size)
  const room = make(length)
  transfer(room, 0, v)
  return room.subarray(0, n)
}

// The verbs @ and . with three and four arguments

const isTrap = (args: readonly Value[]): boolean => args.length === 3 && args[2] instanceof Verb && args[2].text === ":"

/** Amends a value, or through a symbol the variable of that name, which is then returned. */
const amended = (x: Value, path: readonly Value[], f: Value, y: Value | undefined, k: Kernel): Value => {
  const replace = f instanceof Verb && f.text === ":"
  const g = replace ? undefined : f
  if (!(x instanceof Sym)) return amend(x, false, path, g, y, k)
  k.amend(x.text, path, g, y)
  return x
}

/** `@[x;i;f]`, `@[x;i;f;y]`; with a function for x and `:` for f, the trap. */
export const amendItem: Polyad = (args, k) => {
  if (args.length > 4) throw new KError("valence")
  const [x, i, f, y] = args as [Value, Value, Value, Value | undefined]
  if (isTrap(args)) return k.trap(() => call1(x, i, k))
  return amended(x, [i], f, y, k)
}

/** `.[x;path;f]`, `.[x;path;f;y]`; with a function for x and `:` for f, the trap. */
export const amendPath: Polyad = (args, k) => {
  if (args.length > 4) throw new KError("valence")
  const [x, path, f, y] = args as [Value, Value, Value, Value | undefined]
  if (isTrap(args)) return k.trap(() => applyDot(x, path, k))
  const places: Value[] = []
  if (isAtom(path)) places.push(path)
  else
    for (let i = 0; i < count(path); i++) {
      tick()
      places.push(item(path as Vector | List, i))
    }
  return amended(x, places, f, y, k)
}
