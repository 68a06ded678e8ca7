/**
 * Reads values from binary images; `image.ts` describes the format.
 *
 * Guarantees: a damaged image is a `damaged` error, never a wrong value or a large allocation. The text of a function is compiled, and run only to
 * make the function; no directory is made for it.
 */
import * as budget from "../run/budget.ts"
import { inBlocks } from "../run/budget.ts"
import type { Kernel } from "../run/kernel.ts"
import { KError } from "../run/KError.ts"
import { char, Dict, Float, Func, List, NIL, Sym, sym, text, vectorOf, type Value, type Vector } from "./value.ts"

/** The types of a function in an image, and of one with captured locals. */
export const FUNCTION = 10
export const CLOSURE = 11
/** Nested values at most. */
export const DEEPEST = 1000

/** Rounds up to a multiple of 8, where items of lists begin. */
export const padded = (n: number): number => (n + 7) & ~7

class Reader {
  private at = 8
  private readonly view: DataView
  constructor(
    private readonly bytes: Uint8Array,
    private readonly k: Kernel,
  ) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }
  private need(n: number): void {
    if (n < 0 || this.at + n > this.bytes.length) throw damaged()
  }
  /** Skips n bytes; gives their offset. */
  private skip(n: number): number {
    this.need(n)
    return (this.at += n) - n
  }
  private int(): number {
    return this.view.getInt32(this.skip(4), true)
  }
  private float(): number {
    return this.view.getFloat64(this.skip(8), true)
  }
  /** A count of items that take at least `size` bytes each. */
  private count(size: number): number {
    const n = this.int()
    if (n < 0) throw damaged()
    this.need(n * size)
    return n
  }
  private vector(t: number, size: number, next: () => number): Vector {
    const x = vectorOf(t, this.count(size))
    inBlocks(x.v.length, (i) => (x.v[i] = next()))
    return x
  }
  private items(depth: number): Value[] {
    const n = this.count(8)
    budget.alloc(8 * n)
    return Array.from({ length: n }, () => this.paddedItem(depth))
  }
  private string(): string {
    const end = this.bytes.indexOf(0, this.at)
    if (end < 0) throw damaged()
    const s = text(this.bytes.subarray(this.at, end))
    this.at = end + 1
    return s
  }
  private paddedItem(depth: number): Value {
    const x = this.item(depth + 1)
    this.at = padded(this.at)
    return x
  }
  item(depth: number): Value {
    budget.tick()
    if (depth > DEEPEST) throw new KError("limit", { what: "depth", most: DEEPEST, of: "values" })
    const t = this.int()
    switch (t) {
      case 1:
        return this.int()
      case 2:
        this.int()
        return new Float(this.float())
      case 3:
        return char(this.int())
      case 4:
        return sym(this.string())
      case 5:
        return dictionary(this.items(depth))
      case 6:
        this.int()
        return NIL
      case FUNCTION:
      case CLOSURE: {
        const where = this.string()
        if (!/^(\.\w+)*$/.test(where)) throw damaged()
        const code = this.string()
        const f = this.k.functionOf(code, where, t === CLOSURE ? locals(this.item(depth + 1)) : undefined)
        if (!(f instanceof Func)) throw damaged()
        return f
      }
      case -1:
        return this.vector(-1, 4, () => this.int())
      case -2:
        return this.vector(-2, 8, () => this.float())
      case -3: {
        const x = vectorOf(-3, this.count(1))
        const n = x.v.length
        const at = this.skip(n + 1)
        budget.transfer(x.v, 0, this.bytes, at, at + n)
        return x
      }
      case -4:
        return this.vector(-4, 1, () => sym(this.string()).id)
      case 0:
        return new List(this.items(depth))
      default:
        throw damaged()
    }
  }
}

const damaged = (): KError => new KError("damaged", "not an image of a value")

const isTriple = (x: Value): x is List => x instanceof List && x.v.length === 3 && x.v[0] instanceof Sym

const dictionary = (entries: readonly Value[]): Dict => {
  if (!entries.every(isTriple)) throw damaged()
  return new Dict(
    entries.map(({ v }) => v[0] as Sym),
    entries.map(({ v }) => v[1]!),
    entries.map(({ v }) => v[2]!),
  )
}

/** Captured locals. The compiler takes their names as they are. */
const locals = (x: Value): ReadonlyMap<string, Value> => {
  if (!(x instanceof Dict) || !x.keys.every(({ text }) => /^[A-Za-z]\w*$/.test(text))) throw damaged()
  return new Map(x.keys.map(({ text }, i) => [text, x.values[i]!]))
}

/** The value of the item after the first eight bytes. */
export const valueAfter8 = (bytes: Uint8Array, k: Kernel): Value => new Reader(bytes, k).item(0)

/** `_db` of these bytes. */
export const valueOf = (bytes: Uint8Array, k: Kernel): Value => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (bytes.length < 12 || view.getInt32(0, true) !== 1 || view.getInt32(4, true) !== bytes.length - 8) throw damaged()
  return valueAfter8(bytes, k)
}
