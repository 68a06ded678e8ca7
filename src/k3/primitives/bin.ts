/**
 * Binary search: `_bin _binl`.
 *
 * Guarantees: floats are compared with tolerance, as by `=`; `_binl` gives the result of `_bin` for each item. Many ints are found in an ascending
 * list of ints in linear time.
 * Does not: check that the list ascends. In a list that does not ascend, the result depends on the halving.
 */
import { alloc, blocks, tick, unfilledInts } from "../run/budget.ts"
import { unfit } from "../run/mismatch.ts"
import { EMPTY_LIST, Ints, isAtom, item, type Value } from "../values/value.ts"
import { near, widen } from "../values/tolerance.ts"
import { compareNear } from "../values/match.ts"
import type { SystemRow } from "./Row.ts"

/** The first place from `low` on, and below `high`, whose item is not below y; else `high`. 0n is below every y, which is not 0n. */
export const halve = (v: Int32Array | Float64Array, y: number, low: number, high: number): number => {
  while (low < high) {
    const middle = (low + high) >> 1
    if (v[middle]! >= y || near(v[middle]!, y)) high = middle
    else low = middle + 1
  }
  return low
}

export const bin = (x: Value, y: Value): number => {
  if (isAtom(x)) throw unfit("rank", "binary search wants a list on the left", x)
  tick()
  if (x.t === -1 && typeof y === "number") return halve(x.v, y, 0, x.v.length)
  if (x.t === -2 && (typeof y === "number" || y.t === 2)) {
    const key = typeof y === "number" ? widen(y) : y.v
    return key === key ? halve(x.v, key, 0, x.v.length) : 0
  }
  let [low, high] = [0, x.v.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (compareNear(item(x, middle), y) < 0) low = middle + 1
    else high = middle
  }
  return low
}

export const binEach = (x: Value, y: Value): Value => {
  if (isAtom(y)) return bin(x, y)
  const n = y.v.length
  if (n === 0) return EMPTY_LIST
  const out = unfilledInts(n)
  const suitsBuckets = x instanceof Ints && y instanceof Ints && x.v.length > FEW && n * MANY > x.v.length
  const buckets = suitsBuckets ? bucketsOf(x.v) : undefined
  if (buckets !== undefined) blocks(n, (from, to) => findInBuckets(buckets, (y as Ints).v, out, from, to))
  else for (let i = 0; i < n; i++) out[i] = bin(x, item(y, i))
  return new Ints(out)
}

/** A list so many times as long as the keys is searched faster by halving. */
const MANY = 16
/** So few items are searched faster one by one. */
const FEW = 16

/**
 * Ascending ints in buckets of one range each, up to four buckets for each item. The items of bucket b begin at `starts[b]`. In a dense list a bucket
 * is one int, and `starts` has the answer.
 */
interface Buckets {
  readonly v: Int32Array
  readonly least: number
  readonly greatest: number
  /** A bucket's range is 2 to the power `shift`. */
  readonly shift: number
  readonly starts: Int32Array
}

/** Undefined when v does not ascend. */
const bucketsOf = (v: Int32Array): Buckets | undefined => {
  const n = v.length
  const least = v[0]!
  const greatest = v[n - 1]!
  if (greatest < least) return undefined
  const shift = Math.max(0, Math.clz32(n) - Math.clz32(greatest - least) - 1)
  const last = (greatest - least) >>> shift
  alloc(4 * last)
  const buckets = { v, least, greatest, shift, starts: new Int32Array(last + 2) }
  let ascending = true
  blocks(n, (from, to) => {
    ascending &&= writeStarts(buckets, from, to)
  })
  buckets.starts[last + 1] = n
  return ascending ? buckets : undefined
}

/** Writes the starts of the buckets that begin in this block. False when the block does not ascend. */
const writeStarts = ({ v, least, greatest, shift, starts }: Buckets, from: number, to: number): boolean => {
  let last = from === 0 ? least : v[from - 1]!
  let next = from === 0 ? 0 : ((last - least) >>> shift) + 1
  for (let i = from; i < to; i++) {
    const item = v[i]!
    if (item < last || item > greatest) return false
    last = item
    for (const end = ((item - least) >>> shift) + 1; next < end; next++) starts[next] = i
  }
  return true
}

const findInBuckets = (
  { v, least, greatest, shift, starts }: Buckets,
  keys: Int32Array,
  out: Int32Array,
  from: number,
  to: number,
): void => {
  for (let i = from; i < to; i++) {
    const key = keys[i]!
    if (key <= least) out[i] = 0
    else if (key > greatest) out[i] = v.length
    else {
      const bucket = (key - least) >>> shift
      const start = starts[bucket]!
      out[i] = shift === 0 ? start : halve(v, key, start, starts[bucket + 1]!)
    }
  }
}

// prettier-ignore
export const rows: readonly SystemRow[] = [
  { glyph: "_bin", valence: 2, name: "binary search", class: "search", run: bin, fresh: true,
    doc: "The first place in the ascending list x whose item is not less than y; the count of x if there is none.",
    words: "binary search bisect sorted",
    examples: [["3 4 5 6 _bin 4", "1"], ["1 3 5 _bin 9", "3"]] },
  { glyph: "_binl", valence: 2, name: "each binary search", class: "search", run: binEach, fresh: true,
    doc: "`_bin` of each item of y.",
    examples: [["1 3 5 _binl 1 2 3 4 5", "0 1 1 2 2"], ["`a`c`e _binl `b`e", "1 2"]] },
]
