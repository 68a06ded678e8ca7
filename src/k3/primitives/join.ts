/**
 * `x,y`, and `,/x` and `s,/x` in one pass.
 *
 * Guarantees: no item changes its type; vectors of one type make a vector, and a list whose items are atoms of one type becomes a vector. An empty
 * list beside a value of another type leaves that value as it is; of two empty lists the second stays.
 */
import { alloc, holdsForAll, inBlocks, tick, transfer, unfilledInts } from "../run/budget.ts"
import { extended } from "../run/extend.ts"
import { Results } from "../run/Results.ts"
import {
  collapse,
  count,
  EMPTY_LIST,
  isAtom,
  item,
  stored,
  stringOf,
  typeOf,
  vector,
  vectorOf,
  type List,
  type Value,
  type Vector,
} from "../values/value.ts"
import { areLists, joinedStrings, listOf, partsOf, sizeOf, stringPartsOf, type Parts, type Strings } from "../values/Parts.ts"
import type { FastPaths } from "./Row.ts"

/** `x,y`: atoms and lists put one after the other, without coercion. */
export const join = (x: Value, y: Value): Value => {
  const s = typeOf(x)
  const t = typeOf(y)
  const m = count(x)
  const n = count(y)
  if (s !== 0 && s >= -4 && s <= 4 && Math.abs(s) === Math.abs(t)) {
    const out = vectorOf(s, m + n)
    put(out, x, 0)
    put(out, y, m)
    return out
  }
  // An empty list on either side leaves the other as it is; of two empty ones the second stays.
  if (m === 0 && t <= 0) return y
  if (n === 0 && s <= 0) return x
  alloc(8 * (m + n))
  const out: Value[] = []
  for (let i = 0; i < m + n; i++) {
    tick()
    out.push(i < m ? extended(x, i) : extended(y, i - m))
  }
  return collapse(out)
}

const put = (out: Vector, x: Value, from: number): void => {
  if (isAtom(x)) out.v[from] = stored(x)
  else transfer(out.v, from, (x as Vector).v)
}

/** Copies the ranges of `from`, one after the other, into an array that `make` makes for so many items. */
const joinRanges = <A extends Vector["v"]>(from: A, ranges: Parts, make: (n: number) => A): A => {
  const { starts, ends } = ranges
  const out = make(sizeOf(ranges))
  let k = 0
  inBlocks(ends.length, (i) => {
    transfer(out, k, from, starts[i], ends[i])
    k += ends[i]! - starts[i]!
  })
  return out
}

/** `,/` of many vectors, or of many lists of vectors, without an object for each. */
const joinParts = (x: Parts): Vector | List => {
  if (areLists(x)) {
    const { of, starts, ends } = x.of
    return listOf({ of, starts: joinRanges(starts, x, unfilledInts), ends: joinRanges(ends, x, unfilledInts) })
  }
  const { t, v } = x.of as Vector
  return vector(
    t,
    joinRanges(v, x, (n) => vectorOf(t, n).v),
  )
}

/** `,/x`: all items one after the other, in one pass. */
const joinAll = (x: Vector | List): Value => {
  const whole = partsOf(x)
  if (whole !== undefined) return joinParts(whole)
  if (x.v.length === 1) return item(x, 0)
  if (x.t !== 0) return x
  const parts = x.v
  let total = 0
  for (const part of parts) {
    tick()
    total += count(part)
  }
  if (total === 0) return parts[parts.length - 1]!
  const t = baseOf(parts.find((part) => count(part) > 0)!)
  if (t !== 0 && holdsForAll(parts, (part) => baseOf(part) === t || count(part) === 0)) {
    const out = vectorOf(t, total)
    let k = 0
    for (const part of parts) {
      tick()
      put(out, part, k)
      k += count(part)
    }
    return out
  }
  const out = new Results(total, x)
  for (const part of parts) {
    tick()
    for (let i = 0; i < count(part); i++) {
      tick()
      out.add(extended(part, i))
    }
  }
  return out.value()
}

/** The type of an atom that a vector may hold, or of the items of a vector; 0 for anything else. */
const baseOf = (x: Value): number => {
  const t = Math.abs(typeOf(x))
  return t <= 4 ? t : 0
}

/** A string or char, or many strings. */
const stringsIn = (x: Value): Strings | Uint8Array | undefined => stringPartsOf(x) ?? stringOf(x)

/** Joins a string to each of many strings, before or after it. */
const joinText = (x: Value, y: Value): Value | undefined => {
  if (stringPartsOf(x) === undefined && stringPartsOf(y) === undefined) return undefined
  const a = stringsIn(x)
  const b = stringsIn(y)
  return a === undefined || b === undefined ? undefined : joinedStrings(a, b)
}

export const joins: FastPaths = {
  // Beside a list, each joins the string's single chars.
  each: (x, y) => (typeOf(x) === -3 || typeOf(y) === -3 ? undefined : joinText(x, y)),
  eachLeft: (x, y) => (stringPartsOf(y) === undefined ? joinText(x, y) : undefined),
  eachRight: (x, y) => (stringPartsOf(x) === undefined ? joinText(x, y) : undefined),
  over: (x) => (count(x) === 0 ? EMPTY_LIST : joinAll(x)),
  overFrom: (start, x) => {
    if (count(x) > 0) return join(start, joinAll(x))
    // `()` has no type, and joining to it makes a list, as in Kona.
    return x.t === 0 && isAtom(start) ? collapse([start]) : start
  },
}
