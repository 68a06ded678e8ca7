/**
 * Verbs on vectors of ints, four items at a time (`lanes.wat`).
 *
 * Guarantees: the results of `loops.ts`, in three fifths of the time, or a tenth while the engine has not optimised those loops. Items are
 * copied into the code's memory block by block, and each block is paid for.
 * Does not: choose; callers ask `suitsLanes`.
 */
import { BLOCK, blocks } from "../run/budget.ts"
import { hexadecimal } from "./lanes.wasm.ts"
import { assembly } from "./webAssembly.ts"

/** For shorter vectors the calls cost more than the loop. */
export const LEAST = 1024

/** Is a vector of n ints faster here? */
export const suitsLanes = (n: number): boolean => n >= LEAST

/** `mod` takes one y, more than 0. */
export type LaneVerb = "plus" | "minus" | "times" | "min" | "max" | "less" | "more" | "equal" | "mod"

type Functions = Readonly<Record<LaneVerb, (end: number) => void>> & {
  readonly count: (end: number, from: number) => void
  readonly sum: (end: number) => number
  readonly ones: (end: number) => number
  readonly places: (end: number, from: number) => number
}

/** The memory of `lanes.wat`: a block of x, one of y, one of results, and its table. */
const load = assembly<Functions>(hexadecimal)
let loaded: { readonly items: Int32Array; readonly functions: Functions } | undefined
const lanes = (): NonNullable<typeof loaded> => {
  if (loaded === undefined) {
    const { memory, functions } = load(12 * BLOCK + 512)
    loaded = { items: new Int32Array(memory), functions }
  }
  return loaded
}

/** Fills `out`; `block` makes the results of a range of places. */
const filled = (out: Int32Array, block: (from: number, to: number) => void): void => {
  const { items } = lanes()
  blocks(out.length, (from, to) => {
    block(from, to)
    out.set(items.subarray(2 * BLOCK, 2 * BLOCK + to - from), from)
  })
}

export const inLanes = (verb: LaneVerb, x: Int32Array | number, y: Int32Array | number, out: Int32Array): void => {
  const { items, functions } = lanes()
  if (typeof x === "number") items.fill(x, 0, BLOCK)
  if (typeof y === "number") items.fill(y, BLOCK, 2 * BLOCK)
  filled(out, (from, to) => {
    if (typeof x !== "number") items.set(x.subarray(from, to), 0)
    if (typeof y !== "number") items.set(y.subarray(from, to), BLOCK)
    functions[verb](4 * (to - from))
  })
}

/** The ints from 0 on. */
export const countInLanes = (out: Int32Array): void => {
  const { functions } = lanes()
  filled(out, (from, to) => functions.count(4 * (to - from), from))
}

/** Calls `work` for each block of x, which lies in the memory, with zeros up to a whole four. */
const inBlocks = (x: Int32Array, work: (functions: Functions, from: number, to: number) => void): void => {
  const { items, functions } = lanes()
  blocks(x.length, (from, to) => {
    items.set(x.subarray(from, to), 0)
    items.fill(0, to - from, to - from + 3)
    work(functions, from, to)
  })
}

/** The sum. It wraps, so the order does not matter. */
export const sumInLanes = (x: Int32Array): number => {
  let sum = 0
  inBlocks(x, (functions, from, to) => {
    sum = (sum + functions.sum(4 * (to - from))) | 0
  })
  return sum
}

/** How many ones there are; -1 where there is anything but zeros and ones. */
export const onesInLanes = (x: Int32Array): number => {
  let ones = 0
  inBlocks(x, (functions, from, to) => {
    const more = functions.ones(4 * (to - from))
    ones = ones < 0 || more < 0 ? -1 : ones + more
  })
  return ones
}

/** The places of the ones among zeros and ones; `out` has as many. */
export const placesInLanes = (x: Int32Array, out: Int32Array): void => {
  const { items } = lanes()
  let at = 0
  inBlocks(x, (functions, from, to) => {
    const n = functions.places(4 * (to - from), from)
    out.set(items.subarray(2 * BLOCK, 2 * BLOCK + n), at)
    at += n
  })
}
