/**
 * Verbs that rearrange a value without reading its items: `*x |x +x ^x ,x`, rotate.
 *
 * Guarantees: vectors stay vectors of their type; a list whose items become atoms of one type becomes a vector.
 */
import { alloc, blocks, holdsForAll, itemsOf, tick, transfer } from "../run/budget.ts"
import { dictOf } from "../values/dictionary.ts"
import { commonLength, extended } from "../run/extend.ts"
import { outside, unfit } from "../run/mismatch.ts"
import { gathered } from "../run/Results.ts"
import { holding } from "../run/roots.ts"
import { areLists, commonLengthOf, partsOf, type Parts } from "../values/Parts.ts"
import { handOut } from "../values/ownership.ts"
import { mod } from "./arithmetic.ts"
import { placeLoop } from "./loops.ts"
import {
  char,
  collapse,
  count,
  EMPTY_LIST,
  EMPTY_SYMBOL,
  Float,
  Ints,
  isAtom,
  item,
  List,
  NIL,
  typeOf,
  vectorOf,
  type Value,
  type Vector,
} from "../values/value.ts"

/** Items from `from` up to `to` as a new value of the same type. */
export const slice = (x: Vector | List, from: number, to: number): Vector | List => {
  if (x.t === 0) return collapse(itemsOf(x.v, from, to))
  const out = vectorOf(x.t, to - from)
  transfer(out.v, 0, x.v, from, to)
  return out
}

/** A copy of the same type. */
export const copy = (x: Vector | List): Vector | List => (x.t === 0 ? new List(itemsOf(x.v)) : slice(x, 0, x.v.length))

/** One item, shared with its container; an index error when there is none. */
export const itemAt = (x: Vector | List, i: number): Value => {
  if (i < 0 || i >= x.v.length) throw outside(i, x.v.length)
  return x.t === 0 ? handOut(x.v[i]!) : item(x, i)
}

/** The items at many places. */
export const itemsAt = (x: Vector | List, places: Int32Array): Vector | List => {
  if (x.t === 0) return gathered(places.length, (i) => itemAt(x, places[i]!))
  const out = vectorOf(x.t, places.length)
  const pick = picks[-x.t - 1]!()
  blocks(places.length, (from, to) => {
    if (pick(x.v, places, out.v, x.v.length, false, from, to))
      throw outside(
        places.subarray(from, to).find((at) => at < 0 || at >= x.v.length)!,
        x.v.length,
      )
  })
  return out
}

type Pick = (v: Vector["v"], places: Int32Array, out: Vector["v"], n: number, missing: boolean, i: number, end: number) => boolean
/** For each type of vector, a loop that tells whether a place is out of range. */
const picks = [-1, -2, -3, -4].map(() =>
  placeLoop<Pick>(
    "v, places, out, n, missing",
    (i) => `const at = places[${i}]; if (at >= 0 && at < n) out[${i}] = v[at]; else missing = true`,
    "missing",
  ),
)

/** The first item of an empty vector, also used for padding: 0, 0.0, blank, the empty symbol; nil for a list. */
export const fill = (t: number): Value => (t === -1 ? 0 : t === -2 ? new Float(0) : t === -3 ? char(32) : t === -4 ? EMPTY_SYMBOL : NIL)

export const first = (x: Value): Value => (isAtom(x) ? x : count(x) === 0 ? fill(x.t) : item(x, 0))

export const reverse = (x: Value): Value => {
  if (isAtom(x)) return x
  const n = x.v.length
  if (x.t === 0) {
    alloc(8 * n)
    const out: Value[] = []
    for (let i = n - 1; i >= 0; i--) {
      if ((i & 8191) === 0) tick(8192)
      out.push(x.v[i]!)
    }
    return new List(out)
  }
  const out = vectorOf(x.t, n)
  blocks(n, (from, to) => {
    transfer(out.v, from, x.v, n - to, n - from)
    const part = to - from === n ? out.v : out.v.subarray(from, to)
    part.reverse()
  })
  return out
}

/** `x!y` for a list y: the first x items move to the end, x counted modulo the length; with symbols x, a dictionary with the keys x, as in Kona. */
export const rotate = (x: Value, y: Value): Value => {
  if (isAtom(y)) return mod(x, y)
  if (typeof x !== "number") {
    if (x.t === -4) return dictOf(x, y)
    throw unfit("int", "the left of ! is an int when the right is a list", x)
  }
  const n = y.v.length
  if (n === 0) return y
  const k = ((x % n) + n) % n
  if (y.t === 0) {
    tick(n >> 3)
    return new List(y.v.slice(k).concat(y.v.slice(0, k)))
  }
  const out = vectorOf(y.t, n)
  transfer(out.v, 0, y.v, k)
  transfer(out.v, n - k, y.v, 0, k)
  return out
}

/** The columns of a list of rows; atoms among the rows are extended. A value that holds no list stays as it is. */
export const flip = (x: Value): Value => {
  if (typeof x === "number" || x.t !== 0) return x
  const rows = x.v
  const n = commonLength(rows, "items in the rows")
  if (n < 0) return x
  const t = typeOf(rows[0]!)
  if (t < 0 && holdsForAll(rows, (row) => typeOf(row) === t)) return flipVectors(rows as Vector[], n)
  return gathered(n, (i) => gathered(rows.length, (j) => extended(rows[j]!, i)))
}

const flipVectors = (rows: readonly Vector[], n: number): Value => {
  const m = rows.length
  const t = rows[0]!.t
  const columns: Vector[] = []
  holding(columns, () => {
    for (let i = 0; i < n; i++) {
      tick((m >> 4) + 1)
      columns.push(vectorOf(t, m))
    }
  })
  for (let j = 0; j < m; j++) {
    const row = rows[j]!.v
    blocks(n, (from, to) => {
      for (let i = from; i < to; i++) columns[i]!.v[j] = row[i]!
    })
  }
  return n === 0 ? EMPTY_LIST : new List(columns)
}

/** `,x`. */
export const enlist = (x: Value): Value => collapse([x])

/** The common leading dimensions. */
export const shape = (x: Value): Value => new Ints(Int32Array.from(dimensions(x)))

/** The lengths of the levels, outermost first, as far as all items of a level agree. A list that occurs several times is visited once. */
export const dimensions = (x: Value): readonly number[] => {
  if (typeof x !== "number" && x.t < 0) return [count(x)]
  const lengths = lengthsAhead(x)
  if (lengths.length < 2) return lengths
  let agreed = lengths.length
  const seen: Set<Value>[] = []
  const visit = (y: Value, level: number): void => {
    if (level >= agreed || seen[level]?.has(y) === true) return
    const parts = partsOf(y)
    if (isAtom(y) || count(y) !== lengths[level]) agreed = level
    else if (parts !== undefined) agreed = Math.min(agreed, level + 1 + agreeing(parts, lengths, level + 1))
    else if (y.t !== 0) agreed = level + 1
    else {
      // A list whose items need no visit costs only its length.
      if (level + 2 < agreed) (seen[level] ??= new Set()).add(y)
      for (const item of y.v) {
        if (level + 1 >= agreed) break
        tick()
        visit(item, level + 1)
      }
    }
  }
  visit(x, 0)
  return lengths.slice(0, agreed)
}

/** The number of levels below these parts, from `level` on, whose items have these lengths. */
const agreeing = (parts: Parts, lengths: readonly number[], level: number): number => {
  if (commonLengthOf(parts) !== lengths[level]) return 0
  return areLists(parts) ? 1 + agreeing(parts.of, lengths, level + 1) : 1
}

/** The lengths of a value, its first item, that item's first item, and so on. */
const lengthsAhead = (x: Value): number[] => {
  const lengths: number[] = []
  for (let y = x; !isAtom(y); y = first(y)) lengths.push(count(y))
  return lengths
}
