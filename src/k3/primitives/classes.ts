/**
 * The classes of equal items: `?x`, `=x`.
 *
 * Guarantees: items are equal when they match (`~`) without tolerance, which is not transitive. Numbers, chars, symbols and lists use a table or a
 * hash, in linear time; floats use a sort.
 */
import { alloc, foldBlocks, inBlocks, unfilledInts } from "../run/budget.ts"
import { itemless } from "../run/mismatch.ts"
import { EMPTY_LIST, Ints, isAtom, List, type Floats, type Value, type Vector } from "../values/value.ts"
import { distributed, direct, tableOf, type Keys } from "./counting.ts"
import { grade } from "./grade.ts"
import { hash, hashBits, slotOf, ValueTable } from "./hash.ts"
import { placeLoop } from "./loops.ts"
import { compareFloats } from "../values/match.ts"
import { listOf } from "../values/Parts.ts"
import { itemsAt } from "./structure.ts"

/** The classes of items: `of[i]` is the class of item i; classes are numbered by first appearance; `firsts` has their first places. */
interface Classes {
  readonly of: Int32Array
  readonly firsts: Int32Array
}

/** A number for each item, from `least` up to `least + size`; equal items have equal numbers. */
interface Numbered {
  readonly v: Keys
  readonly least: number
  readonly size: number
}

/** Numbers the items for a direct-address table, when its size is at most a few times their count. */
const numbered = (x: Vector | List): Numbered | undefined => {
  if (x.t === -2) return ranked(x)
  const range = x.t === 0 ? undefined : direct(x.v, 4 * x.v.length + 1024)
  return range && { v: x.v as Keys, ...range }
}

const same = (a: number, b: number): boolean => compareFloats(a, b) === 0

/** Numbers the floats by size. */
const ranked = (x: Floats): Numbered => {
  const { v } = x
  const n = v.length
  const order = grade(x, false)
  const ranks = unfilledInts(n)
  let rank = 0
  inBlocks(n, (i) => {
    if (i > 0 && !same(v[order[i - 1]!]!, v[order[i]!]!)) rank++
    ranks[order[i]!] = rank
  })
  return { v: ranks, least: 0, size: rank + 1 }
}

/** The first place of each key. */
const firstPlaces = ({ v, least, size }: Numbered): Int32Array => {
  const n = v.length
  alloc(size)
  const seen = new Uint8Array(size)
  const firsts = unfilledInts(Math.min(n, size) + 1)
  const k = foldBlocks(n, 0, (so, from, to) => keepNewKeys()(v, least, seen, firsts, so, from, to))
  return firsts.subarray(0, k)
}

/** Writes every place, and keeps it when its key is new, without a branch that the processor could not predict. */
const keepNewKeys = placeLoop<(v: Keys, least: number, seen: Uint8Array, firsts: Int32Array, k: number, i: number, end: number) => number>(
  "v, least, seen, firsts, k",
  (i) => `const key = v[${i}] - least; firsts[k] = ${i}; k += 1 - seen[key]; seen[key] = 1`,
  "k",
)

/** Numbers items; `earlier` gives the place of an earlier equal item, or enters this one and gives -1. */
const classified = (n: number, earlier: (i: number) => number): Classes => {
  alloc(8 * n)
  const of = unfilledInts(n)
  const firsts = unfilledInts(n)
  let classes = 0
  inBlocks(n, (i) => {
    const place = earlier(i)
    if (place < 0) firsts[classes] = i
    of[i] = place < 0 ? classes++ : of[place]!
  })
  return { of, firsts: firsts.slice(0, classes) }
}

const classify = (x: Vector | List): Classes => {
  if (x.t === 0) {
    const items = x.v
    const table = new ValueTable(items, hash, same)
    return classified(items.length, (i) => {
      const place = table.find(items[i]!)
      if (place < 0) table.enter(i)
      return place
    })
  }
  const { v } = x
  const bits = hashBits(v.length)
  const table = tableOf(1 << bits)
  return classified(v.length, (i) => {
    const slot = slotOf(v[i]!, v, table, bits)
    const place = table[slot]! - 1
    if (place < 0) table[slot] = i + 1
    return place
  })
}

/** Items in order of first appearance. */
export const unique = (x: Value): Value => {
  if (isAtom(x)) throw itemless(x)
  if (x.v.length === 0) return itemsAt(x, new Int32Array(0))
  const keys = numbered(x)
  return itemsAt(x, keys === undefined ? classify(x).firsts : firstPlaces(keys))
}

/** For each distinct item, in order of first appearance, its places. */
export const group = (x: Value): Value => {
  if (isAtom(x)) throw itemless(x)
  if (x.v.length === 0) return EMPTY_LIST
  const keys = numbered(x)
  if (keys !== undefined) return grouped(keys)
  const { of, firsts } = classify(x)
  return grouped({ v: of, least: 0, size: firsts.length })
}

/** As `keepNewKeys`, with the count of each key in place of a mark. */
const countKeys = placeLoop<(v: Keys, least: number, counts: Int32Array, firsts: Int32Array, k: number, i: number, end: number) => number>(
  "v, least, counts, firsts, k",
  (i) => `const key = v[${i}] - least, many = counts[key]; firsts[k] = ${i}; k += (many - 1) >>> 31; counts[key] = many + 1`,
  "k",
)

const grouped = ({ v, least, size }: Numbered): List => {
  const n = v.length
  const ends = tableOf(size)
  const firsts = unfilledInts(Math.min(n, ends.length) + 1)
  const k = foldBlocks(n, 0, (so, from, to) => countKeys()(v, least, ends, firsts, so, from, to))
  const places = distributed(v, least, ends)
  const starts = unfilledInts(k)
  const last = unfilledInts(k)
  inBlocks(k, (c) => {
    const key = v[firsts[c]!]! - least
    starts[c] = key === 0 ? 0 : ends[key - 1]!
    last[c] = ends[key]!
  })
  return listOf({ of: new Ints(places), starts, ends: last })
}
