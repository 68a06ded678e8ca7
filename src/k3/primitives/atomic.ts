/**
 * Atomic verbs: they extend atoms, pair up items and descend into lists.
 *
 * Guarantees: a typed loop (`loops.ts`) takes whole vectors; a list goes item by item, and its results collapse. Unequal counts are a length error,
 * types without a loop a type error.
 */
import { unequal, wrongType } from "../run/mismatch.ts"
import { count, EMPTY_LIST, item, typeOf, type List, type Value, type Vector } from "../values/value.ts"
import { gathered } from "../run/Results.ts"
import type { DyadLoop, MonadLoop } from "./loops.ts"

/** The loop for each pair of item types (codes 1 to 4), the left one's first; a pair without one is a type error. */
export type DyadLoops = readonly (readonly (DyadLoop | undefined)[])[]

/** `rule` says, in errors, which values the verb takes. */
export const atomicDyad = (rule: string, loops: DyadLoops): ((x: Value, y: Value) => Value) => {
  const table: (DyadLoop | undefined)[] = []
  loops.forEach((row, l) => row.forEach((loop, r) => (table[(l + 1) * 5 + r + 1] = loop)))
  /** Is there any loop for this type? Used when the other side is an empty list. */
  const takes = (t: number): boolean => t === 0 || (t <= 4 && table.slice(t * 5, t * 5 + 5).some((loop) => loop !== undefined))
  const apply = (x: Value, y: Value): Value => {
    const s = typeOf(x)
    const t = typeOf(y)
    if (s === 0 || t === 0) return items(x, y, s, t)
    const loop = s > 4 || t > 4 ? undefined : table[Math.abs(s) * 5 + Math.abs(t)]
    if (loop === undefined) throw wrongType(rule, x, y)
    return loop(x, y)
  }
  const items = (x: Value, y: Value, s: number, t: number): Value => {
    const n = s <= 0 ? count(x) : count(y)
    if (s <= 0 && t <= 0 && n !== count(y)) throw unequal(n, count(y))
    if (n === 0) {
      if (!takes(Math.abs(s === 0 ? t : s))) throw wrongType(rule, x, y)
      return EMPTY_LIST
    }
    return gathered(n, (i) => apply(s <= 0 ? item(x as List, i) : x, t <= 0 ? item(y as List, i) : y))
  }
  return apply
}

/** `loops[t]` is the loop for items of type code `t`. */
export const atomicMonad = (rule: string, loops: readonly (MonadLoop | undefined)[]): ((x: Value) => Value) => {
  const apply = (x: Value): Value => {
    const t = typeOf(x)
    if (t === 0) return each(x as List, apply)
    const loop = t > 4 ? undefined : loops[Math.abs(t)]
    if (loop === undefined) throw wrongType(rule, x)
    return loop(x)
  }
  return apply
}

/** `f` of each item, results collapsed. */
export const each = (x: List | Vector, f: (x: Value) => Value): Value => gathered(count(x), (i) => f(item(x, i)))
