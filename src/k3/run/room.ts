/**
 * Memory for the results of loops over numbers.
 *
 * Guarantees: `ints` and `floats` give an array of exactly that length, announced to the budget, whose items are to be written by the
 * caller, all of them: it may be one that was released before. What is kept for that is bounded.
 * Does not: know when an array is no longer used; who releases one says so.
 *
 * Why: fresh pages for a large array cost as much as a loop over it.
 */
import { unfilledFloats, unfilledInts } from "./budget.ts"

const KEPT = 32 * 1024 * 1024
/** Shorter arrays are cheaper to make than to look for. */
const SHORT = 64

const spareInts = new Map<number, Int32Array[]>()
const spareFloats = new Map<number, Float64Array[]>()
let kept = 0

const taken = <A extends Int32Array | Float64Array>(spares: Map<number, A[]>, n: number): A | undefined => {
  const spare = n < SHORT ? undefined : spares.get(n)?.pop()
  kept -= spare?.byteLength ?? 0
  return spare
}

export const ints = (n: number): Int32Array => taken(spareInts, n) ?? unfilledInts(n)
export const floats = (n: number): Float64Array => taken(spareFloats, n) ?? unfilledFloats(n)

/** Lets go of what is kept for later. Was there anything? */
export const giveBackSpares = (): boolean => {
  const had = kept > 0
  spareInts.clear()
  spareFloats.clear()
  kept = 0
  return had
}

/** Says that nothing holds this array any more but the caller, who will not look at it again. */
export const release = (v: Int32Array | Float64Array): void => {
  if (v.length < SHORT || v.byteLength !== v.buffer.byteLength || v.byteLength > KEPT) return
  if (kept + v.byteLength > KEPT) giveBackSpares()
  kept += v.byteLength
  if (v instanceof Int32Array) keep(spareInts, v)
  else keep(spareFloats, v)
}

const keep = <A extends Int32Array | Float64Array>(spare: Map<number, A[]>, v: A): void => {
  const of = spare.get(v.length)
  if (of === undefined) spare.set(v.length, [v])
  else of.push(v)
}
