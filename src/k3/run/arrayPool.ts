/**
 * A pool of arrays for the results of loops over numbers: fresh pages for a large array cost as much as a loop over it.
 *
 * Guarantees: `ints` and `floats` give an array of exactly that length, announced to the budget; it may be a recycled one, so the caller must write
 * every item. The memory in the pool is bounded. Does not: know when an array is unused; its last holder calls `recycle`.
 */
import { unfilledFloats, unfilledInts } from "./budget.ts"

/** Bytes in the pool. */
const MOST = 32 * 1024 * 1024
/** Shorter arrays are cheaper to make than to look up. */
const SHORT = 64

/** By their count; floats by their negative count. */
const pool = new Map<number, (Int32Array | Float64Array)[]>()
let pooled = 0

const taken = (key: number): Int32Array | Float64Array | undefined => {
  const array = Math.abs(key) < SHORT ? undefined : pool.get(key)?.pop()
  pooled -= array?.byteLength ?? 0
  return array
}

export const ints = (n: number): Int32Array => (taken(n) as Int32Array | undefined) ?? unfilledInts(n)
export const floats = (n: number): Float64Array => (taken(-n) as Float64Array | undefined) ?? unfilledFloats(n)

/** Frees the arrays in the pool. True when there were any. */
export const emptyPool = (): boolean => {
  const had = pooled > 0
  pool.clear()
  pooled = 0
  return had
}

/** Takes an array for reuse. The caller is its last holder, and must not read it again. */
export const recycle = (v: Int32Array | Float64Array): void => {
  if (v.length < SHORT || v.byteLength !== v.buffer.byteLength || v.byteLength > MOST) return
  if (pooled + v.byteLength > MOST) emptyPool()
  pooled += v.byteLength
  const key = v instanceof Int32Array ? v.length : -v.length
  const alike = pool.get(key)
  if (alike === undefined) pool.set(key, [v])
  else alike.push(v)
}
