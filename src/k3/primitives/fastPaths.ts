/**
 * The fast paths of adverbs over typed vectors, without making an object for each item: `FastPaths` of rows.
 *
 * Guarantees: the result is that of applying the verb item by item.
 */
import { tick } from "../run/budget.ts"
import { count, Float, isAtom, isNumbers, typeOf, vector, vectorOf, view, type List, type Value, type Vector } from "../values/value.ts"
import { partsOf, type Parts } from "../values/Parts.ts"
import type { LaneFold } from "./lanes.ts"
import { foldLoop, scanLoop } from "./foldLoops.ts"
import type { FastPaths } from "./Row.ts"
import { areFound, finder } from "./search.ts"

/** Some items of a vector, by `view`: for verbs that always make a new result. */
const part = (x: Vector, from: number, to: number): Vector => vector(x.t, view(x.v, from, to))

const loops = (expression: string, lanes?: LaneFold) => ({
  over: foldLoop(expression, lanes),
  scan: scanLoop(expression, lanes),
})
type Loops = ReturnType<typeof loops>

interface Folding {
  /** Expressions in `s`, the result so far, and `a`, the next item: over ints an int, over floats a float. */
  readonly ints: string
  readonly floats: string
  /** The fold of ints in lanes. */
  readonly lanes?: LaneFold
  /** `1+\1.5 2` is one vector of floats, as in Kona; with other verbs, an int start stays an int before floats. */
  readonly widensStart?: boolean
}

/** Over and scan of a verb whose folds over ints give an int, and over floats a float. */
export const folding = ({ ints, floats, lanes, widensStart = false }: Folding): FastPaths => {
  const [ofInts, ofFloats] = [loops(ints, lanes), loops(floats)]
  const loopsOf = (isFloats: boolean): Loops => (isFloats ? ofFloats : ofInts)
  /** The start, and each step over the numbers from place `first` on. */
  const steps = ({ v, s, isFloats }: Start, first: 0 | 1): Vector => {
    const out = vectorOf(isFloats ? -2 : -1, 1 + v.length - first)
    out.v[0] = s
    loopsOf(isFloats).scan(v, s, first, out.v, 1)
    return out
  }
  return {
    over: (x) => {
      if (x.v.length === 0) return undefined
      if (x.t === -1) return ofInts.over(x.v, x.v[0]!, 1)
      return x.t === -2 ? new Float(ofFloats.over(x.v, x.v[0]!, 1)) : undefined
    },
    overEach: (x) => {
      const parts = partsOf(x)
      return parts === undefined ? undefined : overParts(parts, loopsOf)
    },
    overFrom: (start, x) => {
      const from = startOf(start, x)
      return from && (from.isFloats ? new Float(ofFloats.over(from.v, from.s, 0)) : ofInts.over(from.v, from.s, 0))
    },
    scan: (x) => (isNumbers(x) && x.v.length > 0 ? steps({ v: x.v, s: x.v[0]!, isFloats: x.t === -2 }, 1) : undefined),
    scanFrom: (start, x) => {
      const from = startOf(start, x)
      return from === undefined || (!widensStart && x.t === -2 && typeof start === "number") ? undefined : steps(from, 0)
    },
  }
}

/** Folds each part of a vector of numbers; not when one is empty, since not every verb has an identity. */
const overParts = ({ of, starts, ends }: Parts, loopsOf: (isFloats: boolean) => Loops): Value | undefined => {
  if ("ends" in of || !isNumbers(of)) return undefined
  const { over } = loopsOf(of.t === -2)
  const out = vectorOf(of.t, ends.length)
  for (let i = 0; i < ends.length; i++) {
    const start = starts[i]!
    const end = ends[i]!
    if (start === end) return undefined
    tick()
    out.v[i] = over(of.v, of.v[start]!, start + 1, end)
  }
  return out
}

/** Numbers to fold, at least one, and a number to start with; `isFloats`: the results are floats. */
interface Start {
  readonly v: Int32Array | Float64Array
  readonly s: number
  readonly isFloats: boolean
}

/** The numbers and the start of a fold; undefined when one of them is something else. */
const startOf = (start: Value, x: Vector | List): Start | undefined => {
  if (!isNumbers(x) || x.v.length === 0) return undefined
  const { v, t } = x
  return typeof start === "number" ? { v, s: start, isFloats: t === -2 } : start.t === 2 ? { v, s: start.v, isFloats: true } : undefined
}

type Dyadic = (x: Value, y: Value) => Value

/** `f':x`: the verb between each item and its predecessor; the result is one shorter than x. */
export const betweenNeighbours = (verb: Dyadic): FastPaths => ({
  eachPrior: (x) => (x.t === 0 || x.v.length < 2 ? undefined : verb(part(x, 1, x.v.length), part(x, 0, x.v.length - 1))),
})

/** The fast paths of a verb that gives for two vectors the results item by item. */
export const itemwise = (verb: Dyadic): FastPaths => ({
  ...betweenNeighbours(verb),
  each: (x, y) => (typeOf(x) >= 0 || typeOf(y) >= 0 || count(x) === 0 ? undefined : verb(x, y)),
  eachLeft: (x, y) => (x.t !== 0 && x.v.length > 0 && isAtom(y) && typeOf(y) <= 4 ? verb(x, y) : undefined),
})

/** `x?/:y`. */
export const finding: FastPaths = {
  eachRight: (x, y) => (count(y) > 0 && areFound(x, y) ? finder(x, y) : undefined),
}
