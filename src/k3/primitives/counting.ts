/**
 * Sorts by counting: ints and chars whose range is small compared with their number.
 *
 * Guarantees: linear time, stable in both directions. Loops are small functions over one block, which the engine optimises soonest.
 */
import { alloc, blocks, foldBlocks, unfilledInts } from "../run/budget.ts"
import { foldLoop } from "./foldLoops.ts"
import { placeLoop } from "./loops.ts"

const leastOf = foldLoop("s < a ? s : a", "min")
const greatestOf = foldLoop("s > a ? s : a", "max")

/** Ints, chars, or the ids of symbols. */
export type Keys = Int32Array | Uint8Array

/** Least and greatest of keys, at least one; of chars those that there can be. */
export const range = (v: Keys): readonly [least: number, greatest: number] =>
  v instanceof Uint8Array ? [0, 255] : [leastOf(v, v[0]!, 1), greatestOf(v, v[0]!, 1)]

/** The least of the keys and the size of a direct-address table for them, when that is at most `most`. */
export const direct = (v: Keys, most: number): { readonly least: number; readonly size: number } | undefined => {
  if (v.length === 0) return undefined
  const [least, greatest] = range(v)
  const size = greatest - least + 1
  return size <= most ? { least, size } : undefined
}

/** Four items a turn, so that the processor waits for four places of a wide table at once. */
const countItems = placeLoop<(v: Keys, least: number, counts: Int32Array, i: number, end: number) => void>(
  "v, least, counts",
  (i) => `counts[v[${i}] - least]++`,
)

/** Turns `many` counts, from key k on upwards or downwards, into start places, the first at `at`; gives the place after the last. */
const sumUp = (counts: Int32Array, at: number, k: number, step: 1 | -1, many: number): number => {
  for (; many > 0; many--, k += step) {
    const n = counts[k]!
    counts[k] = at
    at += n
  }
  return at
}

/** Writes each place at the start of its key, and advances that start. */
const distributePlaces = placeLoop<(v: Keys, least: number, starts: Int32Array, out: Int32Array, i: number, end: number) => void>(
  "v, least, starts, out",
  (i) => `out[starts[v[${i}] - least]++] = ${i}`,
)

/** A power of two. Shorter vectors are sorted without a table, which would be larger. */
export const SHORT = 64

/** The counts of so many different keys fit into the processor's cache. */
const SMALL_RANGE = 16384
/** Is counting faster for n keys of so many possible values? True up to twice as many values as keys, or as many as fit the cache. */
export const suitsCounting = (n: number, values: number): boolean => values <= 2 * n + SMALL_RANGE

/** The places in the order of their keys. */
export const byCounting = (v: Keys, least: number, greatest: number, down: boolean): Int32Array => {
  const counts = tableOf(greatest - least + 1)
  blocks(v.length, (from, to) => countItems()(v, least, counts, from, to))
  return distributed(v, least, counts, down)
}

/** A number for each of so many keys. */
export const tableOf = (size: number): Int32Array => {
  alloc(4 * size)
  return new Int32Array(size)
}

/** As `byCounting`, for counted keys. Where the places of key `least + k` end replaces the count of k. */
export const distributed = (v: Keys, least: number, ends: Int32Array, down = false): Int32Array => {
  const n = v.length
  const size = ends.length
  const places = unfilledInts(n)
  foldBlocks(size, 0, (at, from, to) => (down ? sumUp(ends, at, size - 1 - from, -1, to - from) : sumUp(ends, at, from, 1, to - from)))
  // This moves each start to the end of its key's places.
  blocks(n, (from, to) => distributePlaces()(v, least, ends, places, from, to))
  return places
}
