/**
 * Searches for an item: `x?y`, and for many items at once.
 *
 * Guarantees: finds the first item that matches (`~`), or for a number the first that equals it. Many ints, chars or symbols are found through a
 * table or a hash, in linear time.
 */
import { alloc, blocks, tick, unfilledInts } from "../run/budget.ts"
import { unfit } from "../run/mismatch.ts"
import { Ints, isAtom, stored, typeOf, type Floats, type Value, type Vector } from "../values/value.ts"
import { direct, tableOf, type Keys } from "./counting.ts"
import { placeLoop } from "./loops.ts"
import { near, widen } from "../values/tolerance.ts"
import { match } from "../values/match.ts"

/** The length, as a power of two, of an open-addressed table for `n` keys, at most half full. */
export const hashBits = (n: number): number => Math.max(4, 33 - Math.clz32(n))

/** The slot of a key in a table of places of `v` plus one; for an unknown key, the empty slot for it. */
export const slotOf = (key: number, v: ArrayLike<number>, table: Int32Array, bits: number): number => {
  let slot = Math.imul(key ^ (key >>> 15), 0x9e3779b1) >>> (32 - bits)
  for (let at = table[slot]!; at !== 0 && v[at - 1] !== key; at = table[slot]!) slot = (slot + 1) & (table.length - 1)
  return slot
}

/** The place of the first item of x that matches y; the count of x without one. */
export const find = (x: Value, y: Value): number => {
  if (isAtom(x)) throw unfit("domain", "the left of a search is a list", x)
  const n = x.v.length
  if (x.t === 0) {
    const i = x.v.findIndex((item) => {
      tick()
      return match(item, y)
    })
    return i < 0 ? n : i
  }
  const u = typeOf(y)
  if (x.t <= -3) return u === -x.t ? placeOf(x.v as Keys, stored(y)) : n
  if (u !== 1 && u !== 2) return n
  return x.t === -1 && u === 1
    ? placeOf(x.v, stored(y))
    : placeNear(x.v as Int32Array | Float64Array, typeof y === "number" ? widen(y) : stored(y))
}

/** Items searched between two payments. */
const BLOCK = 65536

const placeOf = (v: Int32Array | Uint8Array, key: number): number => {
  const n = v.length
  for (let from = 0; from < n; from += BLOCK) {
    const to = Math.min(n, from + BLOCK)
    tick((to - from) >> 2)
    // `indexOf` takes no end: a view gives it one.
    const i = (to === n ? v : v.subarray(0, to)).indexOf(key, from)
    if (i >= 0) return i
  }
  return n
}

const placeNear = (v: Int32Array | Float64Array, key: number): number => {
  for (let i = 0; i < v.length; i++) {
    if ((i & 8191) === 0) tick(Math.min(8192, v.length - i))
    if (near(v instanceof Int32Array ? widen(v[i]!) : v[i]!, key)) return i
  }
  return v.length
}

/** A direct-address table may have so many times as many places as there are items. */
const SPREAD = 4

/** `x?/:y` for two vectors of one type: the first place in x of each item of y. */
export const finder = (x: Vector, y: Vector): Ints => {
  const m = x.v.length
  const n = y.v.length
  const out = unfilledInts(n)
  if (x.t === -2 || m * n < 256) {
    for (let i = 0; i < n; i++) out[i] = x.t === -2 ? placeNear(x.v, (y as Floats).v[i]!) : placeOf(x.v, y.v[i]!)
    return new Ints(out)
  }
  const keys = direct(x.v, SPREAD * (m + n))
  const bits = hashBits(m)
  const table = tableOf(keys === undefined ? 1 << bits : keys.size)
  if (keys !== undefined) {
    blocks(m, (from, to) => enterAt(x.v, keys.least, table, m - to, m - from))
    blocks(n, (from, to) => lookUp()(y.v as Int32Array, keys.least, keys.size, table, m, out, from, to))
    return new Ints(out)
  }
  blocks(m, (from, to) => {
    for (let i = from; i < to; i++) {
      const slot = slotOf(x.v[i]!, x.v, table, bits)
      if (table[slot] === 0) table[slot] = i + 1
    }
  })
  blocks(n, (from, to) => {
    for (let i = from; i < to; i++) {
      const place = table[slotOf(y.v[i]!, x.v, table, bits)]! - 1
      out[i] = place < 0 ? m : place
    }
  })
  return new Ints(out)
}

/** From the last to the first, so that the first of equal keys stays. */
const enterAt = (v: Keys, least: number, table: Int32Array, i: number, end: number): void => {
  for (let place = end - 1; place >= i; place--) table[v[place]! - least] = place + 1
}

const lookUp = placeLoop<
  (v: Keys, least: number, size: number, table: Int32Array, absent: number, out: Int32Array, i: number, end: number) => void
>(
  "v, least, size, table, absent, out",
  (i) => `const key = v[${i}] - least, place = key >= 0 && key < size ? table[key] : 0; out[${i}] = place === 0 ? absent : place - 1`,
)

/** `y _lin x` for two vectors of one type: is each item of y an item of x? */
export const members = (x: Vector, y: Vector): Ints => {
  const keys = x.t === -2 ? undefined : direct(x.v, SPREAD * (x.v.length + y.v.length))
  const out = unfilledInts(y.v.length)
  if (keys === undefined) {
    const { v } = finder(x, y)
    blocks(v.length, (from, to) => compareTo()(v, x.v.length, out, from, to))
    return new Ints(out)
  }
  const { least, size } = keys
  alloc(size)
  const seen = new Uint8Array(size)
  blocks(x.v.length, (from, to) => mark()(x.v as Int32Array, least, seen, from, to))
  blocks(y.v.length, (from, to) => isMarked()(y.v as Int32Array, least, size, seen, out, from, to))
  return new Ints(out)
}

const compareTo = placeLoop<(v: Int32Array, absent: number, out: Int32Array, i: number, end: number) => void>(
  "v, absent, out",
  (i) => `out[${i}] = v[${i}] === absent ? 0 : 1`,
)

const mark = placeLoop<(v: Keys, least: number, seen: Uint8Array, i: number, end: number) => void>(
  "v, least, seen",
  (i) => `seen[v[${i}] - least] = 1`,
)

const isMarked = placeLoop<(v: Keys, least: number, size: number, seen: Uint8Array, out: Int32Array, i: number, end: number) => void>(
  "v, least, size, seen, out",
  (i) => `const key = v[${i}] - least; out[${i}] = key >= 0 && key < size ? seen[key] : 0`,
)
