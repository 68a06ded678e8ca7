/** Sorts by digits: keys of any range, in linear time. */
import { blocks, unfilledInts } from "../run/budget.ts"
import { intsBelow } from "./enumerate.ts"

/** An array that the caller writes whole. */
export const unsigned = (n: number): Uint32Array => new Uint32Array(unfilledInts(n).buffer)

/**
 * The places in order of unsigned keys. A key has one or more words, the least significant first; `bits` low bits of each count. Sorts by
 * the least significant digit first. Keys move along with their places, so that each pass reads in order.
 */
export const radix = (words: readonly Uint32Array[], bits: number): Int32Array => {
  const n = words[0]!.length
  const passes = Math.ceil(bits / 11)
  const width = Math.ceil(bits / passes)
  const mask = (1 << width) - 1
  let order: Int32Array = intsBelow(n)
  let spareOrder: Int32Array = unfilledInts(n)
  let keys = words[0]!
  let spareKeys: Uint32Array = unsigned(n)
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
