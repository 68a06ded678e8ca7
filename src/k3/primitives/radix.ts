/** Sorts by digits: keys of any range, in linear time. */
import { blocks, unfilledInts } from "../run/budget.ts"
import { intsBelow } from "./enumerate.ts"

/** An array that the caller writes whole. */
export const unsigned = (n: number): Uint32Array => new Uint32Array(unfilledInts(n).buffer)

/**
 * The places in order of unsigned keys. A key has one or more words, the least significant first; `bits` low bits of each count. Sorts by
 * the least significant digit first.
 */
export const radix = (words: readonly Uint32Array[], bits: number): Int32Array => {
  const passes = Math.ceil(bits / 11)
  const width = Math.ceil(bits / passes)
  const sort = new DigitSort(words[0]!, (1 << width) - 1)
  for (const [w, word] of words.entries()) {
    if (w > 0) sort.take(word)
    for (let pass = 0; pass < passes; pass++) sort.pass(pass * width)
  }
  return sort.places
}

/** Places in the order of the digits so far. The keys move along with their places, so that each pass reads in order. */
class DigitSort {
  places: Int32Array
  private sparePlaces: Int32Array
  private spareKeys: Uint32Array

  /** `keys`: one word of each key, which is overwritten. `mask`: the bits of a digit. */
  constructor(
    private keys: Uint32Array,
    private readonly mask: number,
  ) {
    const n = keys.length
    this.places = intsBelow(n)
    this.sparePlaces = unfilledInts(n)
    this.spareKeys = unsigned(n)
  }

  /** Goes on with the next word of the keys. */
  take(word: Uint32Array): void {
    const { keys, places } = this
    blocks(keys.length, (from, to) => {
      for (let i = from; i < to; i++) keys[i] = word[places[i]!]!
    })
  }

  /** Sorts by the digit that begins at bit `shift`. */
  pass(shift: number): void {
    const { keys, places, mask, spareKeys, sparePlaces } = this
    const n = keys.length
    const starts = new Int32Array(mask + 2)
    blocks(n, (from, to) => {
      for (let i = from; i < to; i++) starts[((keys[i]! >>> shift) & mask) + 1]!++
    })
    if (starts[((keys[0]! >>> shift) & mask) + 1] === n) return
    for (let k = 1; k <= mask; k++) starts[k]! += starts[k - 1]!
    blocks(n, (from, to) => {
      for (let i = from; i < to; i++) {
        const key = keys[i]!
        const at = starts[(key >>> shift) & mask]!++
        spareKeys[at] = key
        sparePlaces[at] = places[i]!
      }
    })
    this.keys = spareKeys
    this.spareKeys = keys
    this.places = sparePlaces
    this.sparePlaces = places
  }
}
