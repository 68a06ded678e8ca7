/** `&x`: each place as often as the int at it. */
import { fillWith, foldBlocks } from "../run/budget.ts"
import { ints } from "../run/arrayPool.ts"
import { foldLoop } from "./foldLoops.ts"
import { unfit } from "../run/mismatch.ts"
import { Ints, isAtom, type Value } from "../values/value.ts"
import { onesInLanes, placesInLanes, suitsLanes } from "./lanes.ts"
import { take } from "./take.ts"

export const where = (x: Value): Value => {
  if (typeof x === "number") return take(Math.max(0, x), 0)
  if (x.t !== -1) {
    if (!isAtom(x) && x.v.length === 0) return new Ints(new Int32Array(0))
    throw unfit("int", "where counts with ints", x)
  }
  const { v } = x
  const ones = suitsLanes(v.length) ? onesInLanes(v) : -1
  if (ones >= 0) {
    const out = ints(ones)
    placesInLanes(v, out)
    return new Ints(out)
  }
  const out = ints(sumOf(v, 0, 0))
  foldBlocks(v.length, 0, (k, from, to) => placesOf(v, out, k, from, to))
  return new Ints(out)
}

const sumOf = foldLoop("a > 0 ? s + a : s")

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
