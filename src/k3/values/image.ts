/**
 * Binary images of values: `_bd x`, `_db s`, and the body of a `1:` data file.
 *
 * Guarantees: the bytes are those of Kx's k.exe 3.2, except that the padding of list items to a multiple of 8, arbitrary
 * bytes in Kx, is zeros; `x ~ _db _bd x` for every value; a value nested too deeply to be read back is refused.
 *
 * An image is `01 00 00 00`, the length of the rest as int32, then an item: its type as int32 and
 * - int: 4 bytes; float: an int32 1 and 8 bytes; char: the byte padded to 4; symbol: its text, NUL-ended; nil: 4 zeros;
 * - vector: an int32 count, then the items; chars are NUL-ended as a whole, symbols each;
 * - list (0) and dictionary (5, its items (key;value;attributes)): an int32 count, then items each padded to 8;
 * - function (10): the directory of its globals (empty when it has none, or for the root), NUL, its text, NUL. Kx's image of
 *   other functions is not on record; here it is that of the function's text, with the directory of the functions in it;
 * - function with captured locals (11, not Kx's): the same, then a dictionary of the locals.
 */
import * as budget from "../run/budget.ts"
import { blocks, inBlocks } from "../run/budget.ts"
import { contextsOf, ROOT } from "./contexts.ts"
import { areLists, partsOf, type Parts } from "./Parts.ts"
import { CLOSURE, DEEPEST, FUNCTION, padded, valueOf } from "./imageReader.ts"
import { Lambda } from "./Lambda.ts"
import type { Kernel } from "../run/kernel.ts"
import { KError } from "../run/KError.ts"
import { wrongType } from "../run/mismatch.ts"
import { Chars, symbolOf, typeOf, type Func, type Value, type Vector } from "./value.ts"
import type { SystemRow } from "../primitives/Row.ts"

/** One of them, when the functions in f have several: `TreeCaptures.ts` refuses those. */
const context = (f: Func): string => {
  const [directory = ""] = contextsOf(f)
  return directory === ROOT ? "" : directory
}

/** Walks a value in the order of its image, and counts the bytes, with the first eight. */
class Sizer {
  at = 8
  /** Stops counting beyond so many bytes: lists that share their items may have images far larger than memory. */
  constructor(private readonly most = Infinity) {}
  int(_x: number): void {
    this.at += 4
  }
  float(_x: number): void {
    this.at += 8
  }
  /** A text and a NUL. */
  string(s: string): void {
    this.at += s.length + 1
  }
  /** The items of a vector from `from` up to `to`. */
  items({ t, v }: Vector, from: number, to: number): void {
    if (t === -4)
      blocks(to - from, (i, end) => {
        for (; i < end && this.at <= this.most; i++) this.string(symbolOf(v[from + i]!).text)
      })
    else this.at += v.BYTES_PER_ELEMENT * (to - from) + (t === -3 ? 1 : 0)
  }
  private vector(x: Vector, from: number, to: number): void {
    this.int(to - from)
    this.items(x, from, to)
  }
  /** The items of a list of parts, one at a time, without making them. */
  private parts({ of, starts, ends }: Parts, first = 0, last = ends.length): void {
    this.int(0)
    this.int(last - first)
    blocks(last - first, (from, to) => {
      for (let i = first + from; i < first + to && this.at <= this.most; i++) {
        if ("ends" in of) this.parts(of, starts[i], ends[i])
        else {
          this.int(of.t)
          this.vector(of, starts[i]!, ends[i]!)
        }
        this.at = padded(this.at)
      }
    })
  }
  /** `depth` is the depth of the list itself. */
  private all(items: readonly Value[], depth: number): void {
    this.int(0)
    this.int(items.length)
    for (const x of items) {
      this.item(x, depth + 1)
      this.at = padded(this.at)
    }
  }
  item(x: Value, depth = 0): void {
    if (this.at > this.most) return
    budget.tick()
    const parts = partsOf(x)
    // The parts are nested values too.
    if (depth + (parts === undefined ? 0 : areLists(parts) ? 2 : 1) > DEEPEST)
      throw new KError("limit", { what: "depth", most: DEEPEST, of: "values" })
    if (parts !== undefined) return this.parts(parts)
    if (typeof x !== "number" && x.t === 0) return this.all(x.v, depth)
    const t = typeOf(x)
    const captured = x instanceof Lambda ? x.captured : undefined
    this.int(t !== 7 ? t : captured === undefined ? FUNCTION : CLOSURE)
    if (typeof x === "number") return this.int(x)
    switch (x.t) {
      case 2:
        this.int(1)
        return this.float(x.v)
      case 3:
        return this.int(x.v)
      case 4:
        return this.string(x.text)
      case 6:
        return this.int(0)
      case 7:
        this.string(context(x))
        this.string(x.text)
        if (captured !== undefined) this.item(captured, depth + 1)
        return
      case 5:
        this.int(x.keys.length)
        return x.keys.forEach((key, i) => {
          this.all([key, x.values[i]!, x.attributes[i]!], depth + 1)
          this.at = padded(this.at)
        })
      default:
        return this.vector(x, 0, x.v.length)
    }
  }
}

/** Writes the bytes. */
class Writer extends Sizer {
  private readonly view: DataView
  constructor(readonly bytes: Uint8Array) {
    super()
    this.view = new DataView(bytes.buffer)
  }
  override int(x: number): void {
    this.view.setInt32(this.at, x, true)
    this.at += 4
  }
  override float(x: number): void {
    if (x === x) this.view.setFloat64(this.at, x, true)
    else this.missing(this.at)
    this.at += 8
  }
  /** 0n has its sign bit set in Kx's images. */
  private missing(at: number): void {
    this.view.setUint32(at, 0, true)
    this.view.setUint32(at + 4, 0xfff80000, true)
  }
  /** Copies numbers as they are in memory, which is little-endian on every machine that runs Node. */
  private numbers({ v }: Vector, start: number, n: number): void {
    const size = v.BYTES_PER_ELEMENT
    blocks(n, (from, to) => {
      this.bytes.set(new Uint8Array(v.buffer, v.byteOffset + size * (start + from), size * (to - from)), this.at + size * from)
      if (size === 8) for (let i = from; i < to; i++) if (v[start + i] !== v[start + i]) this.missing(this.at + size * i)
    })
    this.at += size * n
  }
  override string(s: string): void {
    budget.tick(s.length >> 3)
    for (let i = 0; i < s.length; i++) this.bytes[this.at + i] = s.charCodeAt(i)
    super.string(s)
  }
  override items(x: Vector, from: number, to: number): void {
    if (x.t === -1 || x.t === -2) return this.numbers(x, from, to - from)
    if (x.t === -3) budget.transfer(this.bytes, this.at, x.v, from, to)
    super.items(x, from, to)
  }
}

/** The bits of 0n in an image. */
const nan = 0xfff80000n << 32n

/** Compares bytes with a value's image of the same length. Ignores padding. */
class Comparer extends Sizer {
  isSame = true
  private readonly view: DataView
  constructor(private readonly bytes: Uint8Array) {
    super()
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }
  private byte(x: number, at: number): void {
    if (this.bytes[at] !== x) this.isSame = false
  }
  override int(x: number): void {
    if (this.view.getInt32(this.at, true) !== x) this.isSame = false
    this.at += 4
  }
  override float(x: number): void {
    const { view, at } = this
    const isAlike = x === x ? Object.is(view.getFloat64(at, true), x) : view.getBigUint64(at, true) === nan
    if (!isAlike) this.isSame = false
    this.at += 8
  }
  override string(s: string): void {
    budget.tick(s.length >> 3)
    for (let i = 0; i < s.length; i++) this.byte(s.charCodeAt(i), this.at + i)
    this.byte(0, this.at + s.length)
    super.string(s)
  }
  override items(x: Vector, from: number, to: number): void {
    const { v } = x
    if (x.t === -1) inBlocks(to - from, (i) => this.int(v[from + i]!))
    else if (x.t === -2) inBlocks(to - from, (i) => this.float(v[from + i]!))
    else {
      if (x.t === -3) inBlocks(to - from + 1, (i) => this.byte(from + i < to ? v[from + i]! : 0, this.at + i))
      super.items(x, from, to)
    }
  }
}

/** The image with its first eight bytes left to the caller: `_bd` and data files differ only in those. */
export const imageAfter8 = (x: Value): Uint8Array => {
  const n = imageSize(x)
  budget.alloc(n)
  budget.tick(n >> 6)
  const writer = new Writer(new Uint8Array(n))
  writer.item(x)
  return writer.bytes
}

/** The bytes of a value's image; for an image beyond `most` bytes, some number above `most`. */
export const imageSize = (x: Value, most = Infinity): number => {
  const sizer = new Sizer(8 + most)
  sizer.item(x)
  return sizer.at
}

/** `_bd x`. */
export const imageOf = (x: Value): Uint8Array => {
  const bytes = imageAfter8(x)
  const view = new DataView(bytes.buffer)
  view.setInt32(0, 1, true)
  view.setInt32(4, bytes.length - 8, true)
  return bytes
}

/** Are these bytes the image of the value? Makes no other image. */
export const isImageOf = (bytes: Uint8Array, x: Value): boolean => {
  if (imageSize(x, bytes.length) !== bytes.length) return false
  const comparer = new Comparer(bytes)
  comparer.item(x)
  return comparer.isSame
}

const toImage = (x: Value): Value => new Chars(imageOf(x))

const fromImage = (x: Value, k: Kernel): Value => {
  if (typeof x === "number" || x.t !== -3) throw wrongType("an image is a string", x)
  return valueOf(x.v, k)
}

// prettier-ignore
export const rows: readonly SystemRow[] = [
  { glyph: "_bd", valence: 1, name: "bytes from data", class: "system", run: toImage, fresh: true,
    doc: "The binary image of x as a string: what Kx's interpreters send each other and keep in data files.",
    examples: [["_bd 1", '"\\001\\000\\000\\000\\b\\000\\000\\000\\001\\000\\000\\000\\001\\000\\000\\000"'],
      ["_ic _bd `A", "1 0 0 0 6 0 0 0 4 0 0 0 65 0"]] },
  { glyph: "_db", valence: 1, name: "data from bytes", class: "system", run: fromImage, fresh: true,
    doc: "The value a binary image made by `_bd` stands for.",
    examples: [['_db _bd (1;2.5;"abc")', '(1;2.5;"abc")'], ["_db _bd {x+y}", "{x+y}"]] },
]
