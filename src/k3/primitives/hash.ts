/** Numbers for values, by which equal values are found: equal for values that match. Does not: tell every two other values apart. */
import { inBlocks } from "../run/budget.ts"
import type { Value } from "../values/value.ts"

const hashing = (hashFloat: (v: number) => number): ((x: Value) => number) => {
  const of = (x: Value): number => {
    if (typeof x === "number") return x
    switch (x.t) {
      case 2:
        return hashFloat(x.v)
      case 3:
        return x.v + 0x300
      case 4:
        return x.id + 0x400000
      case 5:
        return hashItems(x.keys, ({ id }) => id) ^ hashItems(x.values, of)
      case 7:
        return x.text.length + 0x7000
      case -2:
        return hashItems(x.v, hashFloat)
      case -1:
      case -3:
      case -4:
        return hashItems(x.v, (item) => item)
      case 0:
        return hashItems(x.v, of)
      default:
        return x.t
    }
  }
  return of
}

const double = new Float64Array(1)
const words = new Int32Array(double.buffer)

/** Equal for 0 and -0, and for all 0n. */
const hashFloat = (v: number): number => {
  double[0] = v === v ? v + 0 : NaN
  const bits = words[0]! ^ words[1]!
  // The low bits of a small whole number are 0 in both words.
  return bits ^ (bits >>> 15)
}

const hashItems = <A>(v: ArrayLike<A>, hash: (item: A) => number): number => {
  let h = v.length
  inBlocks(v.length, (i) => (h = (Math.imul(h, 31) + hash(v[i]!)) | 0))
  return h
}

/** For values that match without tolerance. */
export const hash = hashing(hashFloat)

/** For values that match with tolerance: floats that are near have no hash in common but a constant. */
export const hashNear = hashing(() => 0)
