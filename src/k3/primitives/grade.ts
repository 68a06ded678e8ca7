/**
 * `<x` and `>x`: the places of the items in ascending or descending order.
 *
 * Guarantees: stable both ways; numbers by value (0n lowest), chars by byte, symbols by text, lists as `compare` orders them. Linear
 * time on vectors: counting where the keys span a small range, else by digits.
 */
import { KError } from "../run/KError.ts"
import { alloc, blocks, fillWith, tick } from "../run/budget.ts"
import { Ints, isAtom, symbolOf, vector, type Floats, type Symbols, type Value } from "../values/value.ts"
import { compare, compareFloats, compareText } from "../values/match.ts"

export const gradeUp = (x: Value): Value => new Ints(grade(x, false))
export const gradeDown = (x: Value): Value => new Ints(grade(x, true))

export const grade = (x: Value, down: boolean): Int32Array => {
  if (isAtom(x)) throw new KError("rank", "an atom has no order")
  alloc(4 * x.v.length)
  switch (x.t) {
    case -1:
      return gradeInts(x.v, down)
    case -2:
      return gradeFloats(x, down)
    case -3:
      return x.v.length < SHORT ? gradeShort(x.v, down) : gradeCounting(x.v, 0, 255, down)
    case -4:
      return gradeSymbols(x, down)
    default:
      return gradeList(x.v, down)
  }
}

/** Least and greatest of a vector that is not empty. */
export const range = (v: Int32Array): readonly [least: number, greatest: number] => {
  const seen: [number, number] = [v[0]!, v[0]!]
  blocks(v.length, (from, to) => widenTo(seen, v, from, to))
  return seen
}

// Loops are small functions, called for a block each and shared where they can be: the host makes such ones fast soonest.

const widenTo = (seen: [number, number], v: Int32Array, i: number, end: number): void => {
  let least = seen[0]
  let greatest = seen[1]
  for (; i < end; i++) {
    const k = v[i]!
    if (k < least) least = k
    if (k > greatest) greatest = k
  }
  seen[0] = least
  seen[1] = greatest
}

type Keys = Int32Array | Uint8Array

/** Four a turn: the machine then waits for four places of a wide table at once. */
const countItems = (v: Keys, least: number, counts: Int32Array, i: number, end: number): void => {
  for (const even = i + ((end - i) & 3); i < even; i++) counts[v[i]! - least]!++
  for (; i < end; i += 4) {
    const a = v[i]! - least
    const b = v[i + 1]! - least
    const c = v[i + 2]! - least
    const d = v[i + 3]! - least
    counts[a]!++
    counts[b]!++
    counts[c]!++
    counts[d]!++
  }
}

/** Turns counts into where each begins, the first of these at `at`; gives where the next begins. */
const sumUp = (counts: Int32Array, at: number, i: number, end: number): number => {
  for (; i < end; i++) {
    const n = counts[i]!
    counts[i] = at
    at += n
  }
  return at
}

const sumDown = (counts: Int32Array, at: number, i: number, end: number): number => {
  for (let k = end - 1; k >= i; k--) {
    const n = counts[k]!
    counts[k] = at
    at += n
  }
  return at
}

/** Deals places out to where their items begin, moving that on. */
const dealPlaces = (v: Keys, least: number, starts: Int32Array, out: Int32Array, i: number, end: number): void => {
  for (const even = i + ((end - i) & 3); i < even; i++) out[starts[v[i]! - least]!++] = i
  for (; i < end; i += 4) {
    const a = v[i]! - least
    const b = v[i + 1]! - least
    const c = v[i + 2]! - least
    const d = v[i + 3]! - least
    out[starts[a]!++] = i
    out[starts[b]!++] = i + 1
    out[starts[c]!++] = i + 2
    out[starts[d]!++] = i + 3
  }
}

/** So few items are sorted by comparing them: tables would be larger than they. */
const SHORT = 64

const gradeShort = (v: Keys, down: boolean): Int32Array => gradeFew(v.length, (i, j) => (down ? v[j]! - v[i]! : v[i]! - v[j]!))

const gradeInts = (v: Int32Array, down: boolean): Int32Array => {
  const n = v.length
  if (n < SHORT) return gradeShort(v, down)
  const [least, greatest] = range(v)
  if (greatest - least < 2 * n + SMALL_RANGE) return gradeCounting(v, least, greatest, down)
  alloc(4 * n)
  const keys = new Uint32Array(n)
  blocks(n, (from, to) => {
    if (down) for (let i = from; i < to; i++) keys[i] = greatest - v[i]!
    else for (let i = from; i < to; i++) keys[i] = v[i]! - least
  })
  return radix([keys], 32 - Math.clz32(greatest - least))
}

/** Counts for so many different keys stay in the cache; beyond, counting still wins while the keys are not much wider than many. */
const SMALL_RANGE = 16384

const gradeCounting = (v: Keys, least: number, greatest: number, down: boolean): Int32Array => byCounting(v, least, greatest, down).places

/** Places in order of the keys that stand there, by counting; those of key `least + k` end before `ends[k]`. */
export const byCounting = (
  v: Keys,
  least: number,
  greatest: number,
  down = false,
): { readonly places: Int32Array; readonly ends: Int32Array } => {
  const n = v.length
  const size = greatest - least + 1
  alloc(4 * size)
  const ends = new Int32Array(size)
  const places = new Int32Array(n)
  blocks(n, (from, to) => countItems(v, least, ends, from, to))
  let at = 0
  blocks(size, (from, to) => {
    at = down ? sumDown(ends, at, size - to, size - from) : sumUp(ends, at, from, to)
  })
  // Each beginning moves to the end.
  blocks(n, (from, to) => dealPlaces(v, least, ends, places, from, to))
  return { places, ends }
}

/** `x[<x]` or `x[>x]` without the places in between, where the items themselves are all it takes; else `undefined`. */
export const sorted = (x: Value, down: boolean): Value | undefined => {
  if (typeof x === "number" || (x.t !== -1 && x.t !== -3) || x.v.length === 0) return undefined
  const { v } = x
  const n = v.length
  if (n < SHORT) {
    tick(8 * n)
    const out = v.slice().sort()
    return vector(x.t, down ? out.toReversed() : out)
  }
  const [least, greatest] = x.t === -3 ? [0, 255] : range(x.v)
  const size = greatest - least + 1
  if (size > 2 * n + SMALL_RANGE) return undefined
  alloc(4 * (size + n))
  const counts = new Int32Array(size)
  blocks(n, (from, to) => countItems(v, least, counts, from, to))
  const out = x.t === -3 ? new Uint8Array(n) : new Int32Array(n)
  let at = 0
  blocks(size, (from, to) => {
    at = down ? layDown(counts, least, out, at, size - to, size - from) : layUp(counts, least, out, at, from, to)
  })
  return vector(x.t, out)
}

/** Places that are filled faster one by one. */
const FEW = 16

/** Writes each key as often as it counts, from place `at` on; gives the place behind. */
const layUp = (counts: Int32Array, least: number, out: Keys, at: number, i: number, end: number): number => {
  for (; i < end; i++) at = lay(out, least + i, at, counts[i]!)
  return at
}

const layDown = (counts: Int32Array, least: number, out: Keys, at: number, i: number, end: number): number => {
  for (let k = end - 1; k >= i; k--) at = lay(out, least + k, at, counts[k]!)
  return at
}

const lay = (out: Keys, key: number, at: number, many: number): number => {
  if (many > FEW) fillWith(out, key, at, at + many)
  else for (let j = at; j < at + many; j++) out[j] = key
  return at + many
}

const gradeFloats = ({ v }: Floats, down: boolean): Int32Array => {
  const n = v.length
  if (n < SHORT) return gradeFew(n, (i, j) => (down ? compareFloats(v[j]!, v[i]!) : compareFloats(v[i]!, v[j]!)))
  alloc(8 * n)
  const words = new Uint32Array(new Float64Array(1).buffer)
  const double = new Float64Array(words.buffer)
  const high = new Uint32Array(n)
  const low = new Uint32Array(n)
  const turn = down ? 0xffffffff : 0
  blocks(n, (from, to) => {
    for (let i = from; i < to; i++) {
      const x = v[i]!
      if (x !== x) {
        high[i] = low[i] = turn
        continue
      }
      // Adding 0 makes -0 the same key as 0.
      double[0] = x + 0
      const sign = words[1]! >>> 31
      high[i] = (sign === 1 ? ~words[1]! : words[1]! | 0x80000000) ^ turn
      low[i] = (sign === 1 ? ~words[0]! : words[0]!) ^ turn
    }
  })
  return radix([low, high], 32)
}

/**
 * Places in order of unsigned keys of one or more words, the first word weighing least, of which the low `bits` bits are used. Least
 * significant digit first; the keys travel with their places, so that each pass reads in order.
 */
const radix = (words: readonly Uint32Array[], bits: number): Int32Array => {
  const n = words[0]!.length
  const passes = Math.ceil(bits / 11)
  const width = Math.ceil(bits / passes)
  const mask = (1 << width) - 1
  alloc(16 * n)
  let order: Int32Array = places(n)
  let spareOrder: Int32Array = new Int32Array(n)
  let keys = words[0]!
  let spareKeys: Uint32Array = new Uint32Array(n)
  for (const [w, word] of words.entries()) {
    if (w > 0) blocks(n, (from, to) => gather(word, order, keys, from, to))
    for (let pass = 0; pass < passes; pass++) {
      const shift = pass * width
      const starts = new Int32Array(mask + 2)
      blocks(n, (from, to) => countDigits(keys, shift, mask, starts, from, to))
      if (starts[((keys[0]! >>> shift) & mask) + 1] === n) continue
      for (let k = 1; k <= mask; k++) starts[k]! += starts[k - 1]!
      blocks(n, (from, to) => deal(keys, order, shift, mask, starts, spareKeys, spareOrder, from, to))
      ;[keys, spareKeys] = [spareKeys, keys]
      ;[order, spareOrder] = [spareOrder, order]
    }
  }
  return order
}

const places = (n: number): Int32Array => {
  const out = new Int32Array(n)
  blocks(n, (from, to) => {
    for (let i = from; i < to; i++) out[i] = i
  })
  return out
}

const gather = (word: Uint32Array, order: Int32Array, keys: Uint32Array, from: number, to: number): void => {
  for (let i = from; i < to; i++) keys[i] = word[order[i]!]!
}

const countDigits = (keys: Uint32Array, shift: number, mask: number, counts: Int32Array, from: number, to: number): void => {
  for (let i = from; i < to; i++) counts[((keys[i]! >>> shift) & mask) + 1]!++
}

const deal = (
  keys: Uint32Array,
  order: Int32Array,
  shift: number,
  mask: number,
  starts: Int32Array,
  outKeys: Uint32Array,
  outOrder: Int32Array,
  from: number,
  to: number,
): void => {
  for (let i = from; i < to; i++) {
    const key = keys[i]!
    const at = starts[(key >>> shift) & mask]!++
    outKeys[at] = key
    outOrder[at] = order[i]!
  }
}

const gradeSymbols = ({ v }: Symbols, down: boolean): Int32Array => {
  const seen = new Set<number>()
  blocks(v.length, (from, to) => {
    for (let i = from; i < to; i++) seen.add(v[i]!)
  })
  const distinct = [...seen]
  const inOrder = distinct.sort((a, b) => {
    tick()
    return compareText(symbolOf(a).text, symbolOf(b).text)
  })
  const ranks = new Map(inOrder.map((id, rank) => [id, rank]))
  const keys = new Int32Array(v.length)
  blocks(v.length, (from, to) => {
    for (let i = from; i < to; i++) keys[i] = ranks.get(v[i]!)!
  })
  return keys.length === 0 ? keys : gradeCounting(keys, 0, ranks.size - 1, down)
}

const gradeList = (items: readonly Value[], down: boolean): Int32Array =>
  gradeFew(items.length, (i, j) => (down ? compare(items[j]!, items[i]!) : compare(items[i]!, items[j]!)))

/** Places sorted by comparison; the sort of the engine is stable. */
const gradeFew = (n: number, order: (i: number, j: number) => number): Int32Array =>
  places(n).sort((i, j) => {
    tick()
    return order(i, j)
  })
