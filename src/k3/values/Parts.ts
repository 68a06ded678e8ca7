/**
 * A list of many vectors that are parts of one vector: the lines of a file, the strings of `$x` and of joins to them; the places that `_ss` finds and
 * `=x` groups, and the values at such places.
 *
 * Guarantees: code that reads items sees an ordinary list; reading `v` makes all items and drops the whole vector. Code that can work on the whole
 * vector uses `partsOf`, or `stringPartsOf`, without an object for each item.
 *
 * Does not: change. An amended list has items.
 */
import { alloc, blocks, inBlocks, push, tick, transfer, unfilledInts } from "../run/budget.ts"
import { TextBuffer } from "./TextBuffer.ts"
import { Chars, Ints, List, vectorOf, type Value, type Vector } from "./value.ts"

/** Item i has the items of `of` from `starts[i]` up to `ends[i]`; these are a vector, or a list of parts of a vector. */
export interface Parts<Of extends Vector | Parts = Vector | AllParts> {
  readonly of: Of
  readonly starts: Int32Array
  readonly ends: Int32Array
}

type AllParts = Parts

export type Strings = Parts<Chars>

/** With fewer parts the items are made at once, unless the parts are long. */
export const MANY = 1024
/** The least number of items in all long parts together. */
const LONG = 16384

class PartsList extends List {
  constructor(public parts: Parts | undefined) {
    super([])
    Object.defineProperty(this, "v", { configurable: true, enumerable: true, get: () => this.made() })
  }

  override get length(): number {
    return this.parts === undefined ? this.v.length : this.parts.ends.length
  }

  override at(i: number): Value {
    return this.parts === undefined ? this.v[i]! : partOf(this.parts, i)
  }

  private made(): Value[] {
    const items = itemsOf(this.parts!)
    Object.defineProperty(this, "v", { configurable: true, enumerable: true, writable: true, value: items })
    this.parts = undefined
    return items
  }
}

/** Are the parts lists of vectors? */
export const areLists = (parts: Parts): parts is Parts<Parts> => "ends" in parts.of

const partOf = ({ of, starts, ends }: Parts, i: number): Vector | List => {
  const start = starts[i]!
  const end = ends[i]!
  if ("ends" in of) return listOf({ of: of.of, starts: of.starts.subarray(start, end), ends: of.ends.subarray(start, end) })
  const part = vectorOf(of.t, end - start)
  transfer(part.v, 0, of.v, start, end)
  return part
}

const itemsOf = (parts: Parts): Value[] => {
  const n = parts.ends.length
  alloc(64 * n)
  const items: Value[] = []
  for (let i = 0; i < n; i++) {
    tick()
    push(items, partOf(parts, i))
  }
  return items
}

/** Are the parts long, and at least half of the vector, which they keep in memory? */
const areLong = ({ of, starts, ends }: Parts): boolean => {
  const n = sizeOf({ starts, ends })
  return n >= LONG && 2 * n >= ("ends" in of ? of.ends : of.v).length
}

/** The list of these parts. */
export const listOf = (parts: Parts): List =>
  parts.ends.length >= MANY || areLong(parts) ? new PartsList(parts) : new List(itemsOf(parts))

/** The parts of a list whose items are not made; undefined for other values. */
export const partsOf = (x: Value): Parts | undefined => (x instanceof PartsList ? x.parts : undefined)

/** As `partsOf`, for parts of a vector of one type. */
const partsIn =
  <Of extends Vector>(type: abstract new (...given: never) => Of) =>
  (x: Value): Parts<Of> | undefined => {
    const parts = partsOf(x)
    return parts?.of instanceof type ? (parts as Parts<Of>) : undefined
  }
export const intPartsOf = partsIn(Ints)
export const stringPartsOf = partsIn(Chars)

/** The first `n` items, each cut to its first `n` items, as a list with items. */
export const firstOf = (x: Parts, n: number): List => {
  const starts = x.starts.subarray(0, n)
  return new List(itemsOf({ of: x.of, starts, ends: starts.map((start, i) => Math.min(x.ends[i]!, start + n)) }))
}

/** The common length of all parts; undefined when they differ. */
export const commonLengthOf = ({ starts, ends }: Parts): number | undefined => {
  const n = ends[0]! - starts[0]!
  let same = true
  blocks(ends.length, (from, to) => {
    for (let i = from; i < to && same; i++) same = n === ends[i]! - starts[i]!
  })
  return same ? n : undefined
}

/** Collects ints one by one. */
export class IntsWriter {
  v = unfilledInts(64)
  n = 0

  add(x: number): void {
    if (this.n === this.v.length) this.v = transfer(unfilledInts(2 * this.n), 0, this.v)
    this.v[this.n++] = x
  }
}

/** Shorter strings are copied faster by a loop over bytes alone. */
const SHORT = 64

/** Collects strings one after the other. */
export class StringsWriter extends TextBuffer {
  /** The start of each string, then the end of the last. */
  private readonly offsets: Int32Array
  private i = 0

  /** `n`: the number of strings; `size`: an estimate of their bytes. */
  constructor(n: number, size: number) {
    super(size)
    this.offsets = unfilledInts(n + 1)
    this.offsets[0] = 0
  }

  /** Appends bytes to the current string. */
  copy(from: Uint8Array, start: number, end: number): void {
    const n = end - start
    this.room(n)
    const { bytes, at } = this
    if (n > SHORT) transfer(bytes, at, from, start, end)
    else for (let i = 0; i < n; i++) bytes[at + i] = from[start + i]!
    this.at = at + n
  }

  /** Ends the current string. */
  end(): void {
    this.offsets[++this.i] = this.at
  }

  value(): List {
    const { bytes, offsets, i } = this
    return listOf({ of: new Chars(bytes), starts: offsets.subarray(0, i), ends: offsets.subarray(1, i + 1) })
  }
}

/** The number of items in all parts together. */
export const sizeOf = ({ starts, ends }: Pick<Parts, "starts" | "ends">): number => {
  let size = 0
  blocks(ends.length, (from, to) => {
    for (let i = from; i < to; i++) size += ends[i]! - starts[i]!
  })
  return size
}

/** The same string n times. */
const repeated = (bytes: Uint8Array, n: number): Strings => ({
  of: new Chars(bytes),
  starts: new Int32Array(n),
  ends: new Int32Array(n).fill(bytes.length),
})

/** Joins each string of x with the string of y at the same index. A single string is joined with all of the other side. */
export const joinedStrings = (x: Strings | Uint8Array, y: Strings | Uint8Array): List => {
  const n = x instanceof Uint8Array ? (y as Strings).ends.length : x.ends.length
  alloc(16 * n)
  const a = x instanceof Uint8Array ? repeated(x, n) : x
  const b = y instanceof Uint8Array ? repeated(y, n) : y
  const out = new StringsWriter(n, sizeOf(a) + sizeOf(b))
  const [left, right] = [a.of.v, b.of.v]
  inBlocks(n, (i) => {
    out.copy(left, a.starts[i]!, a.ends[i]!)
    out.copy(right, b.starts[i]!, b.ends[i]!)
    out.end()
  })
  return out.value()
}
