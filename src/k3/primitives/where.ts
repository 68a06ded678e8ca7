/** `&x`: each place as often as the int at it. */
import { fillWith, foldBlocks } from "../run/budget.ts"
import { ints } from "../run/room.ts"
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
    placesInLanes("more", v, 0, v.length, out)
    return new Ints(out)
  }
  const out = ints(foldBlocks(v.length, 0, (total, from, to) => total + sumOf(v, from, to)))
  foldBlocks(v.length, 0, (k, from, to) => placesOf(v, out, k, from, to))
  return new Ints(out)
}

const sumOf = (v: Int32Array, i: number, end: number): number => {
  let sum = 0
  for (; i < end; i++) if (v[i]! > 0) sum += v[i]!
  return sum
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
