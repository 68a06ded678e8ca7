/** `&x`: each place as often as the int there says. */
import { blocks, fillWith, unfilledInts } from "../run/budget.ts"
import { unfit } from "../run/mismatch.ts"
import { Ints, isAtom, type Value } from "../values/value.ts"
import { take } from "./take.ts"

export const where = (x: Value): Value => {
  if (typeof x === "number") return take(Math.max(0, x), 0)
  if (x.t !== -1) {
    if (!isAtom(x) && x.v.length === 0) return new Ints(new Int32Array(0))
    throw unfit("int", "where counts with ints", x)
  }
  const { v } = x
  const n = v.length
  let total = 0
  let marks = true
  blocks(n, (from, to) => {
    const ones = onesIn(v, from, to)
    marks &&= ones >= 0
    total += ones >= 0 ? ones : sumOf(v, from, to)
  })
  const out = unfilledInts(total)
  const write = marks ? placesOfOnes : placesOf
  let k = 0
  blocks(n, (from, to) => {
    k = write(v, out, k, from, to)
  })
  return new Ints(out)
}

/** The number of ones; -1 when there is anything but zeros and ones. */
const onesIn = (v: Int32Array, i: number, end: number): number => {
  let ones = 0
  let seen = 0
  for (; i < end; i++) {
    const c = v[i]!
    seen |= c
    ones += c
  }
  return (seen & ~1) === 0 ? ones : -1
}

const sumOf = (v: Int32Array, i: number, end: number): number => {
  let sum = 0
  for (; i < end; i++) if (v[i]! > 0) sum += v[i]!
  return sum
}

/** Writes every place; the next overwrites it unless it was a one's. So there is no branch to mispredict. */
const placesOfOnes = (v: Int32Array, out: Int32Array, k: number, i: number, end: number): number => {
  const n = out.length
  for (; i < end && k < n; i++) {
    out[k] = i
    k += v[i]!
  }
  return k
}

const placesOf = (v: Int32Array, out: Int32Array, k: number, i: number, end: number): number => {
  for (; i < end; i++) {
    const c = v[i]!
    if (c === 1) out[k++] = i
    else if (c > 0) {
      fillWith(out, i, k, k + c)
      k += c
    }
  }
  return k
}
