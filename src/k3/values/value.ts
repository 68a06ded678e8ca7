/**
 * K values.
 *
 * An int is a JavaScript number that is always an int32, so integer code runs on machine integers without boxing; every other
 * value is an object whose first field `t` is K's own type code (`4:x`). Vectors of one type live in typed arrays: `v.length` is
 * the count, while the buffer behind `v` may be larger so that appending in place is cheap. Text is bytes: a JavaScript string
 * inside the interpreter holds one byte per character (0 to 255).
 *
 * Guarantees: only an amendment of the variable that owns a value changes it (see `ownership.ts`); a verb never writes to its
 * arguments. `List` never holds only atoms of one vector type when it was made by `collapse`; it may when K says so (`+\` results).
 * Does not: format, compare or compute; it only builds and tells apart.
 */

import { allocForGood, blocks, tick, unfilledBytes } from "../run/budget.ts"
import { floats, ints } from "../run/arrayPool.ts"
import { KeyTable } from "./KeyTable.ts"

/** 0N, 0I and -0I are ordinary int32 values. */
export const NULL_INT = -2147483648
export const INF_INT = 2147483647

/** A float atom; `v` is an IEEE double, NaN being `0n`. */
export class Float {
  readonly t = 2 as const
  constructor(readonly v: number) {}
}

/** A char atom; `v` is the byte. Use `char(byte)`: there are only 256 of them. */
export class Char {
  readonly t = 3 as const
  constructor(readonly v: number) {}
}

/** A symbol atom, interned: two symbols are equal when they are the same object. A `Symbols` vector stores the `id`. */
export class Sym {
  readonly t = 4 as const
  constructor(
    readonly id: number,
    readonly text: string,
  ) {}
}

/** Nil, `_n`. There is one: `NIL`. */
export class Nil {
  readonly t = 6 as const
}

export class Ints {
  readonly t = -1 as const
  constructor(readonly v: Int32Array) {}
}

export class Floats {
  readonly t = -2 as const
  constructor(readonly v: Float64Array) {}
}

/** A string. */
export class Chars {
  readonly t = -3 as const
  constructor(readonly v: Uint8Array) {}
}

/** A symbol vector; items are `Sym.id`s, `symbolOf(id)` gives the atom back. */
export class Symbols {
  readonly t = -4 as const
  constructor(readonly v: Int32Array) {}
}

/** A general list. Items are held by reference. */
export class List {
  readonly t = 0 as const
  constructor(readonly v: Value[]) {}
  /** The count; it does not make the items. */
  get length(): number {
    return this.v.length
  }
  /** Item i, for a single pass over the items; the caller has checked the bounds. */
  at(i: number): Value {
    return this.v[i]!
  }
}

/**
 * A dictionary: three parallel arrays in order of entry. A missing attribute is `NIL`. `index` is made on the first look-up of a dictionary with many
 * entries.
 */
export class Dict {
  readonly t = 5 as const
  private index: KeyTable | undefined
  constructor(
    readonly keys: readonly Sym[],
    readonly values: readonly Value[],
    readonly attributes: readonly Value[],
  ) {}
  /** The position of a key, of the last one where several are equal, or -1. */
  find(key: Sym): number {
    if (this.keys.length < 8) return this.keys.lastIndexOf(key)
    this.index ??= new KeyTable(this.keys)
    return this.index.of(key)
  }
  /** Undoes `add`. */
  removeLast(): void {
    for (const items of [this.keys, this.values, this.attributes]) (items as Value[]).pop()
    this.index = undefined
  }
  /** Adds an entry in place. Only for a dictionary that its variable owns, with its arrays (see `amend.ts`). */
  add(key: Sym, value: Value, attributes: Value = NIL): void {
    this.index?.add(key)
    ;(this.keys as Sym[]).push(key)
    ;(this.values as Value[]).push(value)
    ;(this.attributes as Value[]).push(attributes)
  }
}

/**
 * A function: verb, lambda, derived verb, projection or composition. Every one is an `Applicable` (`function.ts`); verbs that do not apply functions
 * need only `text`, which is printed and matched.
 */
export abstract class Func {
  readonly t = 7 as const
  /** Its printed form: of a lambda the source, verbatim. */
  abstract readonly text: string
  /** Was it given some of its arguments? */
  readonly isProjection: boolean = false
}

/** A value that is no vector or list; its count is 1. */
export type Atom = number | Float | Char | Sym | Nil | Dict | Func
export type Vector = Ints | Floats | Chars | Symbols
export type Value = Atom | Vector | List

export const NIL = new Nil()

/** `4:x`. */
export const typeOf = (x: Value): number => (typeof x === "number" ? 1 : x.t)
export const isAtom = (x: Value): x is Atom => typeof x === "number" || x.t > 0
export const isNumbers = (x: Value): x is Ints | Floats => typeof x !== "number" && (x.t === -1 || x.t === -2)
/** `#x`: 1 for atoms, dictionaries, functions and nil. */
export const count = (x: Value): number => (isAtom(x) ? 1 : x.t === 0 ? x.length : x.v.length)

const everyChar: readonly Char[] = Array.from({ length: 256 }, (_, i) => new Char(i))
export const char = (byte: number): Char => everyChar[byte & 255]!

const table: Sym[] = []
/** Several maps: a growing map is copied whole, which cannot be interrupted. */
const byText = Array.from({ length: 256 }, () => new Map<string, Sym>())
const shelf = (text: string): number => {
  const n = text.length
  let h = n
  for (let i = Math.max(0, n - 4); i < n; i++) h = Math.imul(h, 31) + text.charCodeAt(i)
  return h & 255
}
/** Bytes of a symbol besides its text. */
const SYMBOL = 128
/** The symbol with this byte string as text, which ends before a NUL as in Kx's interpreter. It is never freed. */
export const sym = (text: string): Sym => {
  const known = byText[shelf(text)]!
  let s = known.get(text)
  if (s === undefined) {
    const end = text.indexOf("\0")
    if (end >= 0) return sym(text.slice(0, end))
    allocForGood(SYMBOL + text.length)
    s = new Sym(table.length, text)
    table.push(s)
    known.set(text, s)
  }
  return s
}
export const symbolOf = (id: number): Sym => table[id]!
export const EMPTY_SYMBOL = sym("")

/** Bytes that are converted at once. */
const PIECE = 8192
/** The bytes of a byte string. */
export const bytes = (text: string): Uint8Array => {
  const n = text.length
  const out = new Uint8Array(n)
  for (let i = 0; i < n;) {
    const end = Math.min(n, i + PIECE)
    tick((end - i) >> 2)
    for (; i < end; i++) out[i] = text.charCodeAt(i)
  }
  return out
}
/** A K string, a vector even of one char. */
export const chars = (text: string): Chars => new Chars(bytes(text))
/** The byte string of some bytes. */
export const text = (v: Uint8Array): string => {
  let out = ""
  // `apply` passes the array as it is; a spread copies it item by item, at a tenth of the speed.
  for (let i = 0; i < v.length; i += PIECE) {
    tick(Math.min(PIECE, v.length - i) >> 2)
    out += String.fromCharCode.apply(null, view(v, i, Math.min(v.length, i + PIECE)) as unknown as number[])
  }
  return out
}
/** The bytes of a string or char; undefined for anything else. */
export const stringOf = (x: Value): Uint8Array | undefined =>
  x instanceof Chars ? x.v : x instanceof Char ? Uint8Array.of(x.v) : undefined
/** The text of a string or char as a byte string; undefined for anything else. */
export const textOf = (x: Value): string | undefined => {
  const v = stringOf(x)
  return v === undefined ? undefined : text(v)
}
export const EMPTY_LIST = new List([])

/** A vector of type code `t`, -1 to -4, over stored items. */
export const vector = (t: number, v: Vector["v"]): Vector => {
  switch (t) {
    case -1:
      return new Ints(v as Int32Array)
    case -2:
      return new Floats(v as Float64Array)
    case -3:
      return new Chars(v as Uint8Array)
    default:
      return new Symbols(v as Int32Array)
  }
}

/** A vector of `n` items of type code `t` (1 to 4 or -1 to -4), its memory announced. The caller must write every item. */
export const vectorOf = (t: number, n: number): Vector => {
  const code = Math.abs(t)
  return vector(-code, code === 2 ? floats(n) : code === 3 ? unfilledBytes(n) : ints(n))
}

/**
 * Vectors of at most so many bytes have their items in the engine's own heap until code asks for the buffer or a view. The engine then moves the
 * items to memory of their own, which costs more time and room than the items (V8 of Node 20).
 */
export const AT_HOME = 64

/** The items from `from` up to `to`, for reading only; long ones are not copied. */
export const view = <A extends Vector["v"]>(v: A, from: number, to: number): A =>
  from === 0 && to === v.length ? v : ((v.byteLength > AT_HOME ? v.subarray(from, to) : v.slice(from, to)) as A)

/** The number that a vector stores for an atom of type 1 to 4. */
export const stored = (x: Value): number => (typeof x === "number" ? x : x.t === 4 ? x.id : (x as Float | Char).v)

/** Item `i` of a vector or list as a value; the caller has checked the bounds. */
export const item = (x: Vector | List, i: number): Value => {
  switch (x.t) {
    case -1:
      return x.v[i]!
    case -2:
      return new Float(x.v[i]!)
    case -3:
      return everyChar[x.v[i]!]!
    case -4:
      return table[x.v[i]!]!
    default:
      return x.at(i)
  }
}

/** A list of results as K makes it: a typed vector when all items are atoms of one of the four vector types, otherwise a `List`. */
export const collapse = (items: Value[]): Vector | List => {
  const n = items.length
  if (n === 0) return EMPTY_LIST
  const t = typeOf(items[0]!)
  if (t < 1 || t > 4) return new List(items)
  for (let i = 1; i < n; i++) {
    if ((i & 8191) === 0) tick(8192)
    if (typeOf(items[i]!) !== t) return new List(items)
  }
  const out = vectorOf(t, n)
  blocks(n, (from, to) => store(items, out.v, from, to))
  return out
}

const store = (items: readonly Value[], out: Vector["v"], i: number, end: number): void => {
  for (; i < end; i++) out[i] = stored(items[i]!)
}
