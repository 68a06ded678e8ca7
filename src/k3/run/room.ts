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

/** By their count; floats by their negative count. */
const spares = new Map<number, (Int32Array | Float64Array)[]>()
let kept = 0

const taken = (key: number): Int32Array | Float64Array | undefined => {
  const spare = Math.abs(key) < SHORT ? undefined : spares.get(key)?.pop()
  kept -= spare?.byteLength ?? 0
  return spare
}

export const ints = (n: number): Int32Array => (taken(n) as Int32Array | undefined) ?? unfilledInts(n)
export const floats = (n: number): Float64Array => (taken(-n) as Float64Array | undefined) ?? unfilledFloats(n)

/** Frees the released arrays. True when there were any. */
export const giveBackSpares = (): boolean => {
  const had = kept > 0
  spares.clear()
  kept = 0
  return had
}

/** Takes an array for reuse. The caller is its last holder, and must not read it again. */
export const release = (v: Int32Array | Float64Array): void => {
  if (v.length < SHORT || v.byteLength !== v.buffer.byteLength || v.byteLength > KEPT) return
  if (kept + v.byteLength > KEPT) giveBackSpares()
  kept += v.byteLength
  const key = v instanceof Int32Array ? v.length : -v.length
  const alike = spares.get(key)
  if (alike === undefined) spares.set(key, [v])
  else alike.push(v)
}
