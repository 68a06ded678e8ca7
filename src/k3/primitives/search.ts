/**
 * Searches for an item: `x?y`, and for many items at once.
 *
 * Guarantees: finds the first item that matches (`~`), or for a number the first that equals it. Many items are found through a table or a hash, in
 * linear time; floats, which match with tolerance, in sorted order. Does not: tell lists apart by their floats before it compares them.
 */
import { alloc, blocks, filledBy, inBlocks, tick, unfilledFloats, unfilledInts } from "../run/budget.ts"
import { unfit } from "../run/mismatch.ts"
import { count, Floats, Ints, isAtom, isNumbers, item, stored, typeOf, type List, type Value, type Vector } from "../values/value.ts"
import { halve } from "./bin.ts"
import { direct, tableOf, type Keys } from "./counting.ts"
import { grade } from "./grade.ts"
import { hashBits, hashNear, slotOf, ValueTable } from "./hash.ts"
import { placeLoop } from "./loops.ts"
import { near, widen } from "../values/tolerance.ts"
import { compareFloats, match } from "../values/match.ts"

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

/** Fewer pairs of items are found faster by comparing all of them. */
const FEW_PAIRS = 256
/** So are lists and floats where one side has no more items than this: hashing or sorting the other side takes longer. */
const FEW = 16

/** The first place in a list of each item of y. */
const placesInList = ({ v }: List, y: Vector | List): Int32Array => {
  const table = new ValueTable(v, hashNear)
  for (let i = v.length - 1; i >= 0; i--) table.enter(i)
  return filledBy(unfilledInts(count(y)), (i) => {
    const place = table.find(item(y, i))
    return place < 0 ? v.length : place
  })
}

/** The numbers as floats, as they are compared with floats. */
const widened = (x: Ints | Floats): Floats => (x.t === -2 ? x : new Floats(filledBy(unfilledFloats(x.v.length), (i) => widen(x.v[i]!))))

/** The first place in x of each item of y that is near it. Near floats are neighbours in sorted order. */
const placesNear = (x: Floats, y: Floats): Int32Array => {
  const m = x.v.length
  const order = grade(x, false)
  /** The different floats, and the first place of each. */
  const sorted = unfilledFloats(m)
  const places = unfilledInts(m)
  let k = 0
  inBlocks(m, (i) => {
    const v = x.v[order[i]!]!
    if (k > 0 && compareFloats(sorted[k - 1]!, v) === 0) return
    sorted[k] = v
    places[k++] = order[i]!
  })
  return filledBy(unfilledInts(y.v.length), (i) => {
    const key = y.v[i]!
    let least = m
    for (let j = key === key ? halve(sorted, key, 0, k) : 0; j < k && near(sorted[j]!, key); j++) {
      tick()
      least = Math.min(least, places[j]!)
    }
    return least
  })
}

/** Does `finder` take them: a list x, or vectors that can have an item in common? */
export const areFound = (x: Value, y: Vector | List): x is Vector | List =>
  !isAtom(x) && (x.t === 0 || x.t === y.t || (isNumbers(x) && isNumbers(y)))

/** `x?/:y`: the first place in x of each item of y. */
export const finder = (x: Vector | List, y: Vector | List): Ints => {
  const m = count(x)
  const n = count(y)
  const byKeys = x.t === y.t && x.t !== 0 && x.t !== -2
  if (byKeys ? m * n < FEW_PAIRS : Math.min(m, n) <= FEW) return new Ints(filledBy(unfilledInts(n), (i) => find(x, item(y, i))))
  if (byKeys) return new Ints(placesOf(x.v, (y as typeof x).v))
  return new Ints(x.t === 0 ? placesInList(x, y) : placesNear(widened(x as Ints | Floats), widened(y as Ints | Floats)))
}

const placesOf = (v: Keys, y: Keys): Int32Array => {
  const m = v.length
  const n = y.length
  const out = unfilledInts(n)
  const keys = direct(v, SPREAD * (m + n))
  const bits = hashBits(m)
  const table = tableOf(keys === undefined ? 1 << bits : keys.size)
  if (keys !== undefined) {
    blocks(m, (from, to) => enterAt(v, keys.least, table, m - to, m - from))
    blocks(n, (from, to) => lookUp()(y, keys.least, keys.size, table, m, out, from, to))
    return out
  }
  blocks(m, (from, to) => {
    for (let i = from; i < to; i++) {
      const slot = slotOf(v[i]!, v, table, bits)
      if (table[slot] === 0) table[slot] = i + 1
    }
  })
  blocks(n, (from, to) => {
    for (let i = from; i < to; i++) {
      const place = table[slotOf(y[i]!, v, table, bits)]! - 1
      out[i] = place < 0 ? m : place
    }
  })
  return out
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

/** `y _lin x` for values that `finder` takes: is each item of y an item of x? */
export const members = (x: Vector | List, y: Vector | List): Ints => {
  const n = count(y)
  const keys = x.t === 0 || x.t === -2 || x.t !== y.t ? undefined : direct(x.v, SPREAD * (x.v.length + n))
  const out = unfilledInts(n)
  if (keys === undefined) {
    const { v } = finder(x, y)
    blocks(n, (from, to) => compareTo()(v, count(x), out, from, to))
    return new Ints(out)
  }
  const { least, size } = keys
  alloc(size)
  const seen = new Uint8Array(size)
  blocks(x.v.length, (from, to) => mark()(x.v as Int32Array, least, seen, from, to))
  blocks(n, (from, to) => isMarked()(y.v as Int32Array, least, size, seen, out, from, to))
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
