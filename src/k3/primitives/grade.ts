/**
 * `<x` and `>x`: the places of the items in ascending or descending order.
 *
 * Guarantees: stable both ways; numbers by value (0n lowest), chars by byte, symbols by text, lists as `compare` orders them. Linear
 * time on vectors: counting where the keys span a small range, else by digits.
 */
import { KError } from "../run/KError.ts"
import { alloc, blocks, filledBy, inBlocks, tick, unfilledInts } from "../run/budget.ts"
import { compare, compareFloats, compareText } from "../values/match.ts"
import { Ints, isAtom, symbolOf, type Floats, type Symbols, type Value } from "../values/value.ts"
import { byCounting, range, SHORT, suitsCounting, type Keys } from "./counting.ts"
import { intsBelow } from "./enumerate.ts"
import { radix, unsigned } from "./radix.ts"

export const gradeUp = (x: Value): Value => new Ints(grade(x, false))
export const gradeDown = (x: Value): Value => new Ints(grade(x, true))

export const grade = (x: Value, down: boolean): Int32Array => {
  if (isAtom(x)) throw new KError("rank", "an atom has no order")
  alloc(4 * x.v.length)
  switch (x.t) {
    case -1:
    case -3:
      return gradeKeys(x.v, down)
    case -2:
      return gradeFloats(x, down)
    case -4:
      return gradeSymbols(x, down)
    default:
      return gradeFew(x.v.length, down, (i, j) => compare(x.v[i]!, x.v[j]!))
  }
}

const gradeKeys = (v: Keys, down: boolean): Int32Array => {
  const n = v.length
  if (n < SHORT) {
    tick(8 * n)
    // Each number holds a key and, in its low bits, the key's place.
    const keys = new Float64Array(n)
    for (let i = 0; i < n; i++) keys[i] = (down ? -v[i]! : v[i]!) * SHORT + i
    keys.sort()
    return filledBy(unfilledInts(n), (i) => keys[i]! & (SHORT - 1))
  }
  const [least, greatest] = range(v)
  if (suitsCounting(n, greatest - least + 1)) return byCounting(v, least, greatest, down)
  const keys = unsigned(n)
  blocks(n, (from, to) => {
    if (down) for (let i = from; i < to; i++) keys[i] = greatest - v[i]!
    else for (let i = from; i < to; i++) keys[i] = v[i]! - least
  })
  return radix([keys], 32 - Math.clz32(greatest - least))
}

const gradeFloats = ({ v }: Floats, down: boolean): Int32Array => {
  const n = v.length
  if (n < SHORT) return gradeFew(n, down, (i, j) => compareFloats(v[i]!, v[j]!))
  const words = new Uint32Array(new Float64Array(1).buffer)
  const double = new Float64Array(words.buffer)
  const high = unsigned(n)
  const low = unsigned(n)
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

const gradeSymbols = ({ v }: Symbols, down: boolean): Int32Array => {
  const seen = new Set<number>()
  blocks(v.length, (from, to) => {
    for (let i = from; i < to; i++) seen.add(v[i]!)
  })
  const inOrder = [...seen].sort((a, b) => {
    tick()
    return compareText(symbolOf(a).text, symbolOf(b).text)
  })
  const ranks = new Map<number, number>()
  inBlocks(inOrder.length, (rank) => ranks.set(inOrder[rank]!, rank))
  const keys = unfilledInts(v.length)
  blocks(v.length, (from, to) => {
    for (let i = from; i < to; i++) keys[i] = ranks.get(v[i]!)!
  })
  return keys.length === 0 ? keys : byCounting(keys, 0, ranks.size - 1, down)
}

/** Places sorted by comparison; the sort of the engine is stable. */
const gradeFew = (n: number, down: boolean, order: (i: number, j: number) => number): Int32Array =>
  intsBelow(n).sort((i, j) => {
    tick()
    return down ? order(j, i) : order(i, j)
  })
