/**
 * Memory for the results of loops over numbers.
 *
 * Guarantees: `ints` and `floats` give an array of exactly that length, announced to the budget; it may be a released one, so the caller must write
 * every item. The memory kept for reuse is bounded.
 *
 * Does not: know when an array is unused; its last holder calls `release`.
 *
 * Why: fresh pages for a large array cost as much as a loop over it.
 */
import { unfilledFloats, unfilledInts } from "./budget.ts"

const KEPT = 32 * 1024 * 1024
/** Shorter arrays are cheaper to make than to look up. */
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

/** Frees the released arrays. True when there were any. */
export const giveBackSpares = (): boolean => {
  const had = kept > 0
  spareInts.clear()
  spareFloats.clear()
  kept = 0
  return had
}

/** Takes an array for reuse. The caller is its last holder, and must not read it again. */
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
