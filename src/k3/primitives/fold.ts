/**
 * What adverbs do with common verbs over typed vectors, without an item being boxed.
 *
 * Guarantees: the result is what applying the verb item by item gives; `undefined` means there is no such path and the adverb's general
 * loop is to be used (empty lists among them, whose results are the adverb's to settle).
 */
import { alloc, tick, transfer } from "../run/budget.ts"
import {
  collapse,
  count,
  Float,
  Floats,
  Ints,
  isAtom,
  item,
  stored,
  typeOf,
  vector,
  vectorOf,
  view,
  type List,
  type Value,
  type Vector,
} from "../values/value.ts"
import { divide, max, min, minus, mod, plus, power, times } from "./arithmetic.ts"
import { equal, less, more } from "./compare.ts"
import { LEAST, sumInLanes } from "./lanes.ts"
import { foldLoop, rowLoop, scanLoop, type FoldLoop, type RowLoop, type ScanLoop } from "./loops.ts"
import { finder } from "./search.ts"

interface Loops {
  readonly over: FoldLoop
  readonly scan: ScanLoop
  readonly rows: RowLoop
}

const loops = (expression: string): Loops => ({ over: foldLoop(expression), scan: scanLoop(expression), rows: rowLoop(expression) })

/** Verbs whose fold over ints gives an int and over floats a float. */
const folds: Record<string, { readonly ints: Loops; readonly floats: Loops }> = {
  "+": { ints: loops("(s + a) | 0"), floats: loops("s + a") },
  "-": { ints: loops("(s - a) | 0"), floats: loops("s - a") },
  "*": { ints: loops("Math.imul(s, a)"), floats: loops("s * a") },
  "&": { ints: loops("s < a ? s : a"), floats: loops("s < a || s !== s ? s : a") },
  "|": { ints: loops("s > a ? s : a"), floats: loops("s > a || a !== a ? s : a") },
}

export const isNumbers = (x: Value): x is Ints | Floats => typeof x !== "number" && (x.t === -1 || x.t === -2)

/** `glyph/x`. */
export const fastOver = (glyph: string, x: Value): Value | undefined => {
  if (isAtom(x) || x.v.length === 0) return undefined
  if (glyph === ",") return joinAll(x)
  const fold = folds[glyph]
  if (fold === undefined) return undefined
  if (glyph === "+" && x.t === -1 && x.v.length >= LEAST) return sumInLanes(x.v)
  if (isNumbers(x)) return x.t === -1 ? fold.ints.over(x.v, x.v[0]!, 1) : new Float(fold.floats.over(x.v, x.v[0]!, 1))
  return x.t === 0 ? overRows(fold, x) : undefined
}

/** Rows of numbers of one type and length, folded into one row. */
const overRows = (fold: { readonly ints: Loops; readonly floats: Loops }, { v }: List): Value | undefined => {
  const first = v[0]!
  if (v.length < 2 || !isNumbers(first)) return undefined
  const n = first.v.length
  for (const row of v) if (typeOf(row) !== first.t || count(row) !== n) return undefined
  const into = first.t === -1 ? new Ints(first.v.slice()) : new Floats(first.v.slice())
  const loop = first.t === -1 ? fold.ints.rows : fold.floats.rows
  for (let i = 1; i < v.length; i++) loop(into.v, (v[i] as Ints | Floats).v)
  return into
}

/** `,/x`: all the items put one after the other, in one pass. */
const joinAll = (x: Vector | List): Value => {
  if (x.v.length === 1) return item(x, 0)
  if (x.t !== 0) return x
  const parts = x.v
  let total = 0
  let t = 0
  let uniform = true
  for (const part of parts) {
    tick()
    const n = count(part)
    total += n
    if (n === 0) continue
    const of = typeOf(part)
    const base = of >= -4 && of <= 4 ? Math.abs(of) : 0
    if (base === 0) uniform = false
    else if (t === 0) t = base
    else if (t !== base) uniform = false
  }
  if (total === 0) return parts[parts.length - 1]!
  if (uniform) {
    const out = vectorOf(t, total)
    let k = 0
    for (const part of parts) {
      tick()
      if (isAtom(part)) out.v[k++] = stored(part)
      else if (part.t !== 0) {
        transfer(out.v, k, part.v)
        k += part.v.length
      }
    }
    return out
  }
  alloc(8 * total)
  const out: Value[] = []
  for (const part of parts) {
    tick()
    if (isAtom(part)) out.push(part)
    else
      for (let i = 0; i < part.v.length; i++) {
        tick()
        out.push(item(part, i))
      }
  }
  return collapse(out)
}

/** A start that folds with a vector of numbers, and whether the results are floats. */
const startOf = (start: Value, x: Ints | Floats): { readonly s: number; readonly floats: boolean } | undefined =>
  typeof start === "number" ? { s: start, floats: x.t === -2 } : start.t === 2 ? { s: start.v, floats: true } : undefined

/** `start glyph/x`. */
export const fastOverFrom = (glyph: string, start: Value, x: Value): Value | undefined => {
  const fold = folds[glyph]
  if (fold === undefined || !isNumbers(x) || x.v.length === 0) return undefined
  const from = startOf(start, x)
  if (from === undefined) return undefined
  return from.floats ? new Float(fold.floats.over(x.v, from.s, 0)) : fold.ints.over(x.v, from.s, 0)
}

/** `glyph\x`. */
export const fastScan = (glyph: string, x: Value): Value | undefined => {
  const fold = folds[glyph]
  if (fold === undefined || !isNumbers(x) || x.v.length === 0) return undefined
  const out = vectorOf(x.t, x.v.length)
  out.v[0] = x.v[0]!
  ;(x.t === -1 ? fold.ints : fold.floats).scan(x.v, x.v[0]!, 1, out.v, 1)
  return out
}

/** `start glyph\x`: one longer than x. An int stays one before floats, but for `+`, whose sums Kona gives as one vector. */
export const fastScanFrom = (glyph: string, start: Value, x: Value): Value | undefined => {
  const fold = folds[glyph]
  if (fold === undefined || !isNumbers(x) || x.v.length === 0) return undefined
  const from = startOf(start, x)
  if (from === undefined || (glyph !== "+" && x.t === -2 && typeof start === "number")) return undefined
  const out = vectorOf(from.floats ? -2 : -1, x.v.length + 1)
  out.v[0] = from.s
  ;(from.floats ? fold.floats : fold.ints).scan(x.v, from.s, 0, out.v, 1)
  return out
}

/** Verbs that give for two vectors what they give item by item. */
const itemwise: Record<string, (x: Value, y: Value) => Value> = {
  "+": plus,
  "-": minus,
  "*": times,
  "%": divide,
  "^": power,
  "&": min,
  "|": max,
  "!": mod,
  "<": less,
  ">": more,
  "=": equal,
}

/** `glyph':x`: the verb between each item and the one before it, one shorter than x. */
export const fastEachPrior = (glyph: string, x: Value): Value | undefined => {
  // On atoms of one type, matching is equality.
  const verb = itemwise[glyph === "~" ? "=" : glyph]
  if (verb === undefined || isAtom(x) || x.t === 0 || x.v.length < 2) return undefined
  return verb(part(x, 1, x.v.length), part(x, 0, x.v.length - 1))
}

/** Some items of a vector, as `view` gives them: for verbs that are known to make a new result. */
export const part = (x: Vector, from: number, to: number): Vector => vector(x.t, view(x.v, from, to))

/** `x glyph'y` on two vectors of one length. */
export const fastEachBoth = (glyph: string, x: Value, y: Value): Value | undefined => {
  const verb = itemwise[glyph]
  if (verb === undefined || typeOf(x) >= 0 || typeOf(y) >= 0 || count(x) === 0) return undefined
  return verb(x, y)
}

/** `x glyph/:y`, the verb having x on its left for each item of y. */
export const fastEachRight = (glyph: string, x: Value, y: Value): Value | undefined =>
  glyph === "?" && typeOf(x) < 0 && typeOf(x) === typeOf(y) && count(y) > 0 ? finder(x as Vector, y as Vector) : undefined

/** `x glyph\:y`: for verbs that extend over vectors, an atom y makes it the verb itself. */
export const fastEachLeft = (glyph: string, x: Value, y: Value): Value | undefined => {
  const verb = itemwise[glyph]
  return verb !== undefined && typeOf(x) < 0 && count(x) > 0 && typeOf(y) > 0 && typeOf(y) <= 4 ? verb(x, y) : undefined
}
