/**
 * Verbs on vectors of ints, four items at a time (`lanes.wat`).
 *
 * Guarantees: the results of `loops.ts`, in a third to three fifths of the time, or a tenth while the engine has not optimised those loops. Items are
 * copied into the WebAssembly memory block by block, and each block is paid for.
 *
 * Does not: choose; callers ask `suitsLanes`.
 */
import { lazily } from "../lazily.ts"
import { BLOCK, blocks } from "../run/budget.ts"
import { hexadecimal } from "./lanes.wasm.ts"
import { assembly } from "./webAssembly.ts"

/** For shorter vectors the calls cost more than the loop. */
const LEAST = 1024

/** Is a vector of n ints faster here? */
export const suitsLanes = (n: number): boolean => n >= LEAST

/** `mod` needs a single positive y. */
export type LaneVerb = "plus" | "minus" | "times" | "min" | "max" | "less" | "more" | "equal" | "mod"

/** Verbs with a fold and a scan. */
export type LaneFold = "plus" | "min" | "max"

type Functions = Readonly<Record<LaneVerb, (end: number) => void>> &
  Readonly<Record<`${LaneFold}Over` | `${LaneFold}Scan`, (end: number, start: number) => number>> & {
    readonly count: (end: number, from: number) => void
    readonly ones: (end: number) => number
    readonly places: (end: number, from: number) => number
  }

/** The memory of `lanes.wat`: a block of x, one of y, one of results, and a table. */
const lanes = lazily(() => {
  const { memory, functions } = assembly<Functions>(hexadecimal, 12 * BLOCK + 512)
  return { items: new Int32Array(memory), functions }
})

/** Fills `out` from place `at` on; `block` makes the results of a range, counted from there. */
const filled = (out: Int32Array, at: number, block: (from: number, to: number) => void): void => {
  const { items } = lanes()
  blocks(out.length - at, (from, to) => {
    block(from, to)
    out.set(items.subarray(0, to - from), at + from)
  })
}

export const inLanes = (verb: LaneVerb, x: Int32Array | number, y: Int32Array | number, out: Int32Array): void => {
  const { items, functions } = lanes()
  if (typeof y === "number") items.fill(y, BLOCK, 2 * BLOCK)
  filled(out, 0, (from, to) => {
    if (typeof x === "number") items.fill(x, 0, to - from)
    else items.set(x.subarray(from, to), 0)
    if (typeof y !== "number") items.set(y.subarray(from, to), BLOCK)
    functions[verb](4 * (to - from))
  })
}

/** Writes the ints from 0 on. */
export const countInLanes = (out: Int32Array): void => {
  const { functions } = lanes()
  filled(out, 0, (from, to) => functions.count(4 * (to - from), from))
}

/** The scan of the items from `from` on, after `start`, written to `out` from place `at` to its end. */
export const scanInLanes = (verb: LaneFold, v: Int32Array, start: number, from: number, out: Int32Array, at: number): void => {
  const { items, functions } = lanes()
  let s = start
  filled(out, at, (i, to) => {
    items.set(v.subarray(from + i, from + to), 0)
    s = functions[`${verb}Scan`](4 * (to - i), s)
  })
}

/** Items in one turn of the loops. */
const TURN = 16

/** The fold of the items from `from` up to `to`, after `start`, in whole turns: the result so far, and the first item not folded. */
export const overInLanes = (
  verb: LaneFold,
  v: Int32Array,
  start: number,
  from: number,
  to: number,
): readonly [result: number, left: number] => {
  const { items, functions } = lanes()
  let s = start
  const left = to - ((to - from) % TURN)
  blocks(left - from, (i, end) => {
    items.set(v.subarray(from + i, from + end), 0)
    s = functions[`${verb}Over`](4 * (end - i), s)
  })
  return [s, left]
}

/** Fills the rest of the turn after n items with zeros. */
const padded = (items: Int32Array, n: number): Int32Array => items.fill(0, n, n + (-n & (TURN - 1)))

/** The number of ones; -1 when there is anything but zeros and ones. */
export const onesInLanes = (x: Int32Array): number => {
  const { items, functions } = lanes()
  let ones = 0
  blocks(x.length, (from, to) => {
    items.set(x.subarray(from, to), 0)
    padded(items, to - from)
    const more = functions.ones(4 * (to - from))
    ones = ones < 0 || more < 0 ? -1 : ones + more
  })
  return ones
}

/** Writes the places of the ones among zeros and ones. */
export const placesInLanes = (x: Int32Array, out: Int32Array): void => {
  const { items, functions } = lanes()
  let at = 0
  blocks(x.length, (from, to) => {
    items.set(x.subarray(from, to), 0)
    padded(items, to - from)
    const more = functions.places(4 * (to - from), from)
    out.set(items.subarray(2 * BLOCK, 2 * BLOCK + more), at)
    at += more
  })
}
