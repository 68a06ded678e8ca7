/**
 * The functions that generated code calls beside the primitives, by their names in it.
 */
import { adverbs } from "../run/adverbs.ts"
import { amend, setItem } from "../run/amend.ts"
import { append } from "../run/append.ts"
import { below, call, call0, call1, call2, index } from "../run/apply.ts"
import { tick } from "../run/budget.ts"
import { Applicable, Projection } from "../values/function.ts"
import { Composition } from "../values/Composition.ts"
import { Derived } from "../values/Derived.ts"
import { Lambda } from "../values/Lambda.ts"
import type { Dyad, Kernel } from "../run/kernel.ts"
import { KError } from "../run/KError.ts"
import { intOf, wrongType } from "../run/mismatch.ts"
import { execute } from "../primitives/execute.ts"
import { vocabulary } from "../primitives/vocabulary.ts"
import { recycle } from "../run/arrayPool.ts"
import { isOff, isOwned, markAfterJoin, ownership, type OwnerMark } from "../values/ownership.ts"
import { collapse, Floats, Ints, List, NIL, Sym, textOf, type Value } from "../values/value.ts"

const truth = (x: Value): boolean => {
  if (typeof x === "number") return x !== 0
  if (x instanceof Ints && x.v.length === 1) return x.v[0] !== 0
  if (x instanceof List && x.v.length === 1) return truth(x.v[0]!)
  throw wrongType("a condition is an int", x)
}
const times = (x: Value): number => intOf(x, "the count of do is an int")
const signal = (x: Value): never => {
  const said = x instanceof Sym ? x.text : textOf(x)
  throw said === undefined ? wrongType("a signal is a text or a symbol", x) : new KError("signal", { what: "signal", text: said })
}
const tooDeep = (depth: { n: number; max: number }): never => {
  throw new KError("stack", { what: "depth", most: depth.max, of: "calls" })
}
const absent = (name: string): never => {
  throw new KError("value", { what: "no-value", name })
}
export const derive = (f: Value, adverb: string): Derived => new Derived(f, adverbs.get(adverb)!)
const section = (f: Applicable, x: Value): Projection => new Projection(f, [x, undefined], true)
const compose = (train: readonly Value[]): Value => {
  const parts = train.map((part) => (part instanceof Applicable ? part : section(vocabulary().verb("@")!, part)))
  return new Composition(parts as [Applicable, ...Applicable[]])
}
/** `a,:y`. */
const joined = (x: Value, mark: OwnerMark, y: Value, join: Dyad, k: Kernel): Value => append(x, isOwned(mark), y) ?? join(x, y, k)

/** Calls whose result is dropped. When such a function ends in an append, the variable remains the only holder of the list. */
const drop1 = (f: Value, x: Value, k: Kernel): Value => (f instanceof Lambda && f.valence === 1 ? f.drop(x) : call1(f, x, k))
const drop2 = (f: Value, x: Value, y: Value, k: Kernel): Value =>
  f instanceof Lambda && f.valence === 2 ? f.drop(x, y) : call2(f, x, y, k)

/** Reuses the memory of numbers that nothing holds any more. */
const recycleNumbers = (x: Value): void => {
  if (x instanceof Ints || x instanceof Floats) recycle(x.v)
}

/** The result of a verb whose argument nothing else held: the argument's memory may be reused. */
const after = (result: Value, x: Value): Value => {
  if (!isOff()) recycleNumbers(x)
  return result
}

/** The mark of a variable that is assigned a fresh value. `x`: its old value, whose memory may be reused when the variable owned it. */
const replaced = (x: Value, mark: OwnerMark): OwnerMark => {
  if (isOwned(mark)) recycleNumbers(x)
  return ownership.now
}

export const runtime = {
  replaced,
  after,
  amend,
  setItem,
  joined,
  markAfterJoin,
  ownership,
  call,
  call0,
  call1,
  call2,
  drop1,
  drop2,
  index,
  below,
  tick,
  derive,
  section,
  compose,
  execute,
  collapse,
  truth,
  times,
  signal,
  tooDeep,
  absent,
  Lambda,
  N: NIL,
} as const
export type RuntimeName = keyof typeof runtime
