/** Atoms beside lists: an atom counts as a list of itself, as long as is wanted. */
import { unequal } from "./mismatch.ts"
import { isAtom, item, type Value } from "../values/value.ts"

/** The one length of the lists among these, -1 when all are atoms; a length error when they differ. */
export const commonLength = (xs: readonly Value[], things?: string): number => {
  let n = -1
  for (const x of xs)
    if (!isAtom(x)) {
      if (n >= 0 && x.v.length !== n) throw unequal(n, x.v.length, things)
      n = x.v.length
    }
  return n
}

/** The item at a place of a list, which the caller has checked; an atom at any. */
export const extended = (x: Value, i: number): Value => (isAtom(x) ? x : item(x, i))
