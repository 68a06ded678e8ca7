/**
 * A list of many strings that lie in one array of bytes: of a file's lines, of `$x`, and of what is joined to them.
 *
 * Guarantees: to everyone who looks at its items it is a list like any other; they are made when first asked for, and the bytes let go.
 * Who can do with the bytes asks `piecesOf`, and has no object for each string.
 * Does not: change. What is amended has items.
 */
import { alloc, blocks, push, tick, transfer, unfilledBytes, unfilledInts } from "../run/budget.ts"
import { Chars, List, type Value } from "./value.ts"

/** String i is the bytes from `starts[i]` up to `ends[i]`. */
export interface Pieces {
  readonly bytes: Uint8Array
  readonly starts: Int32Array
  readonly ends: Int32Array
}

/** Fewer strings are made at once. */
export const MANY = 1024

class Strings extends List {
  constructor(public pieces: Pieces | undefined) {
    super([])
    Object.defineProperty(this, "v", { configurable: true, enumerable: true, get: () => this.made() })
  }

  override get length(): number {
    return this.pieces === undefined ? this.v.length : this.pieces.ends.length
  }

  private made(): Value[] {
    const items = itemsOf(this.pieces!)
    Object.defineProperty(this, "v", { configurable: true, enumerable: true, writable: true, value: items })
    this.pieces = undefined
    return items
  }
}

const itemsOf = ({ bytes, starts, ends }: Pieces): Value[] => {
  const n = ends.length
  alloc(64 * n)
  const items: Value[] = []
  for (let i = 0; i < n; i++) {
    tick()
    push(items, new Chars(copied(bytes, starts[i]!, ends[i]!)))
  }
  return items
}

const copied = (bytes: Uint8Array, from: number, to: number): Uint8Array => {
  const copy = new Uint8Array(to - from)
  transfer(copy, 0, bytes, from, to)
  return copy
}

/** A list of these strings; there is one at least. */
export const stringsOf = (pieces: Pieces): List => (pieces.ends.length < MANY ? new List(itemsOf(pieces)) : new Strings(pieces))

/** Where its strings lie, when that is all there is of it. */
export const piecesOf = (x: Value): Pieces | undefined => (x instanceof Strings ? x.pieces : undefined)

/** The first strings, so many at most, and of each as many bytes at most, as a list that has them as items. */
export const firstOf = (x: Pieces, n: number): List => {
  const starts = x.starts.subarray(0, n)
  return new List(itemsOf({ bytes: x.bytes, starts, ends: starts.map((start, i) => Math.min(x.ends[i]!, start + n)) }))
}

/** The length that all of them have; undefined when they differ. */
export const commonLengthOf = ({ starts, ends }: Pieces): number | undefined => {
  const n = ends[0]! - starts[0]!
  let same = true
  blocks(ends.length, (from, to) => {
    for (let i = from; i < to && same; i++) same = n === ends[i]! - starts[i]!
  })
  return same ? n : undefined
}

/** Strings that are written one after the other. */
export class StringsWriter {
  private bytes: Uint8Array
  private readonly starts: Int32Array
  private readonly ends: Int32Array
  private at = 0
  private i = 0

  /** There will be n strings; `size` is a guess at their bytes. */
  constructor(n: number, size: number) {
    this.bytes = unfilledBytes(Math.max(64, size))
    this.starts = unfilledInts(n)
    this.ends = unfilledInts(n)
  }

  /** Makes room for so many more bytes. */
  private room(n: number): void {
    if (this.at + n <= this.bytes.length) return
    const wider = unfilledBytes(2 * this.at + n)
    transfer(wider, 0, this.bytes, 0, this.at)
    this.bytes = wider
  }

  /** Goes on with some bytes. */
  put(from: Uint8Array, start: number, end: number): void {
    const n = end - start
    if (this.at + n > this.bytes.length) this.room(n)
    const { bytes, at } = this
    if (n > 64) transfer(bytes, at, from, start, end)
    else for (let i = 0; i < n; i++) bytes[at + i] = from[start + i]!
    this.at = at + n
  }

  /** The same of a text. */
  text(s: string): void {
    const n = s.length
    this.room(n)
    const { bytes, at } = this
    tick(1 + (n >> 3))
    for (let i = 0; i < n; i++) bytes[at + i] = s.charCodeAt(i)
    this.at = at + n
  }

  /** Ends a string. */
  end(): void {
    this.starts[this.i] = this.i === 0 ? 0 : this.ends[this.i - 1]!
    this.ends[this.i++] = this.at
  }

  value(): List {
    return stringsOf({ bytes: this.bytes, starts: this.starts, ends: this.ends })
  }
}

const sizeOf = ({ starts, ends }: Pieces): number => {
  let size = 0
  blocks(ends.length, (from, to) => {
    for (let i = from; i < to; i++) size += ends[i]! - starts[i]!
  })
  return size
}

const whole = (bytes: Uint8Array, n: number): Pieces => {
  const starts = new Int32Array(n)
  return { bytes, starts, ends: new Int32Array(n).fill(bytes.length) }
}

/** The strings of x, each with that of y behind it. One string stands for as many as the other has. */
export const joinedStrings = (x: Pieces | Uint8Array, y: Pieces | Uint8Array): List => {
  const n = x instanceof Uint8Array ? (y as Pieces).ends.length : x.ends.length
  alloc(16 * n)
  const a = x instanceof Uint8Array ? whole(x, n) : x
  const b = y instanceof Uint8Array ? whole(y, n) : y
  const out = new StringsWriter(n, sizeOf(a) + sizeOf(b))
  blocks(n, (from, to) => {
    for (let i = from; i < to; i++) {
      out.put(a.bytes, a.starts[i]!, a.ends[i]!)
      out.put(b.bytes, b.starts[i]!, b.ends[i]!)
      out.end()
    }
  })
  return out.value()
}
