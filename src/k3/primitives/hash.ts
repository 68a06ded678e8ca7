/** Hash tables of ints and of values. Guarantees: the hashes of values that match are equal; finding a value compares those of its hash only. */
import { inBlocks, tick, unfilledInts } from "../run/budget.ts"
import { match } from "../values/match.ts"
import type { Value } from "../values/value.ts"
import { tableOf } from "./counting.ts"

/** The length, as a power of two, of an open-addressed table for `n` keys, at most half full. */
export const hashBits = (n: number): number => Math.max(4, 33 - Math.clz32(n))

/** The slot at which the search for a key begins. */
const beginning = (key: number, bits: number): number => Math.imul(key ^ (key >>> 15), 0x9e3779b1) >>> (32 - bits)

/** The slot of a key in a table of places of `v` plus one; for an unknown key, the empty slot for it. */
export const slotOf = (key: number, v: ArrayLike<number>, table: Int32Array, bits: number): number => {
  let slot = beginning(key, bits)
  for (let at = table[slot]!; at !== 0 && v[at - 1] !== key; at = table[slot]!) slot = (slot + 1) & (table.length - 1)
  return slot
}

const hashing = (hashFloat: (v: number) => number): ((x: Value) => number) => {
  const of = (x: Value): number => {
    if (typeof x === "number") return x
    switch (x.t) {
      case 2:
        return hashFloat(x.v)
      case 3:
        return x.v + 0x300
      case 4:
        return x.id + 0x400000
      case 5:
        return hashItems(x.keys, ({ id }) => id) ^ hashItems(x.values, of)
      case 7:
        return x.text.length + 0x7000
      case -2:
        return hashItems(x.v, hashFloat)
      case -1:
      case -3:
      case -4:
        return hashItems(x.v, (item) => item)
      case 0:
        return hashItems(x.v, of)
      default:
        return x.t
    }
  }
  return of
}

const double = new Float64Array(1)
const words = new Int32Array(double.buffer)

/** Equal for 0 and -0, and for all 0n. */
const hashFloat = (v: number): number => {
  double[0] = v === v ? v + 0 : NaN
  const bits = words[0]! ^ words[1]!
  // The low bits of a small whole number are 0 in both words.
  return bits ^ (bits >>> 15)
}

const hashItems = <A>(v: ArrayLike<A>, hash: (item: A) => number): number => {
  let h = v.length
  inBlocks(v.length, (i) => (h = (Math.imul(h, 31) + hash(v[i]!)) | 0))
  return h
}

/** For values that match without tolerance. */
export const hash = hashing(hashFloat)

/** For values that match with tolerance: floats that are near have no hash in common but a constant. */
export const hashNear = hashing(() => 0)

/** Some items of a list, entered one by one, to be found by value. */
export class ValueTable {
  private readonly bits: number
  private readonly hashes: Int32Array
  /** The place plus one that was entered last in each slot, and for each place the one entered in its slot before it. */
  private readonly last: Int32Array
  private readonly before: Int32Array

  /** `same`: are two floats the same? */
  constructor(
    private readonly items: readonly Value[],
    private readonly hash: (x: Value) => number,
    private readonly same?: (a: number, b: number) => boolean,
  ) {
    const n = items.length
    this.bits = hashBits(n)
    this.hashes = unfilledInts(n)
    this.last = tableOf(1 << this.bits)
    this.before = unfilledInts(n)
  }

  enter(place: number): void {
    tick()
    const hash = this.hash(this.items[place]!)
    const slot = beginning(hash, this.bits)
    this.hashes[place] = hash
    this.before[place] = this.last[slot]!
    this.last[slot] = place + 1
  }

  /** The place, entered last, of an item that matches x; -1 without one. */
  find(x: Value): number {
    const hash = this.hash(x) | 0
    let at = this.last[beginning(hash, this.bits)]!
    while (at > 0 && !(this.hashes[at - 1] === hash && match(this.items[at - 1]!, x, this.same))) {
      tick()
      at = this.before[at - 1]!
    }
    return at - 1
  }
}
