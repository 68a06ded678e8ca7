/**
 * Verbs on vectors of ints, four items at a time (`lanes.wat`).
 *
 * Guarantees: the same as the loops of `loops.ts`, in three fifths of their time, and in a tenth where theirs are not compiled yet. Items
 * are copied to where the code works, in blocks, and steps are paid for each.
 * Does not: choose; who calls asks `suitsLanes`.
 */
import { tick } from "../budget.ts"
import { hexadecimal } from "./lanes.wasm.ts"
import { assembly } from "./webAssembly.ts"

/** Shorter vectors take less than the calls do. */
export const LEAST = 1024
/** Results longer than this are bound by memory, where to copy them costs more than it saves. */
const MOST = 1 << 18

/** Is a vector of n ints made faster here? */
export const suitsLanes = (n: number): boolean => n >= LEAST && n <= MOST

/** `mod` takes one y, more than 0. */
export type LaneVerb = "plus" | "minus" | "times" | "min" | "max" | "less" | "more" | "equal" | "mod"

type Functions = Readonly<Record<LaneVerb, (end: number) => void>> & {
  readonly count: (end: number, from: number) => void
  readonly sum: (end: number) => number
}

/** Items copied at once: as `lanes.wat` has them, x first, then y and the results. */
const BLOCK = 8192

const load = assembly<Functions>(hexadecimal)
let loaded: { readonly items: Int32Array; readonly functions: Functions } | undefined
const lanes = (): NonNullable<typeof loaded> => {
  if (loaded === undefined) {
    const { memory, functions } = load(12 * BLOCK)
    loaded = { items: new Int32Array(memory), functions }
  }
  return loaded
}

/** Fills `out` with the results of `block`, which makes those of `n` items from place `at` on. */
const filled = (out: Int32Array, block: (at: number, n: number) => void): void => {
  const { items } = lanes()
  for (let at = 0; at < out.length; at += BLOCK) {
    const n = Math.min(BLOCK, out.length - at)
    tick(n)
    block(at, n)
    out.set(items.subarray(2 * BLOCK, 2 * BLOCK + n), at)
  }
}

export const inLanes = (verb: LaneVerb, x: Int32Array | number, y: Int32Array | number, out: Int32Array): void => {
  const { items, functions } = lanes()
  if (typeof x === "number") items.fill(x, 0, BLOCK)
  if (typeof y === "number") items.fill(y, BLOCK, 2 * BLOCK)
  filled(out, (at, n) => {
    if (typeof x !== "number") items.set(x.subarray(at, at + n), 0)
    if (typeof y !== "number") items.set(y.subarray(at, at + n), BLOCK)
    functions[verb](4 * n)
  })
}

/** The ints from 0 on. */
export const countInLanes = (out: Int32Array): void => {
  const { functions } = lanes()
  filled(out, (at, n) => functions.count(4 * n, at))
}

/** The sum of them all: wrapping makes the order indifferent. */
export const sumInLanes = (x: Int32Array): number => {
  const { items, functions } = lanes()
  let sum = 0
  for (let at = 0; at < x.length; at += BLOCK) {
    const n = Math.min(BLOCK, x.length - at)
    tick(n)
    items.set(x.subarray(at, at + n), 0)
    items.fill(0, n, n + 3)
    sum = (sum + functions.sum(4 * n)) | 0
  }
  return sum
}
