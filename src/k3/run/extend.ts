/** An atom beside a list counts as a list of itself, of any length. */
import { tick } from "./budget.ts"
import { unequal } from "./mismatch.ts"
import { count, isAtom, item, type Value } from "../values/value.ts"

/** The common length of the lists among these; -1 when all are atoms; a length error when lengths differ. */
export const commonLength = (xs: readonly Value[], things?: string): number => {
  let n = -1
  for (let i = 0; i < xs.length; i++) {
    if ((i & 8191) === 8191) tick(8192 >> 2)
    const x = xs[i]!
    if (isAtom(x)) continue
    const m = count(x)
    if (n >= 0 && m !== n) throw unequal(n, m, things)
    n = m
  }
  return n
}

/** The item of a list at an index that the caller has checked; an atom at any index. */
export const extended = (x: Value, i: number): Value => (isAtom(x) ? x : item(x, i))
