/**
 * `x,y`, and `,/x` in one pass.
 *
 * Guarantees: no type is changed; vectors of one type make a vector, and a list whose items come to be atoms of one type becomes one. An empty
 * list beside another type leaves it as it is; of two the second stays.
 */
import { alloc, tick, transfer } from "../run/budget.ts"
import { extended } from "../run/extend.ts"
import {
  collapse,
  count,
  EMPTY_LIST,
  isAtom,
  item,
  stored,
  stringOf,
  typeOf,
  vectorOf,
  type List,
  type Value,
  type Vector,
} from "../values/value.ts"
import { joinedStrings, piecesOf, type Pieces } from "../values/Strings.ts"
import type { FastWays } from "./Row.ts"

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
  // An empty list on either side leaves the other as it is; of two the second.
  if (m === 0 && t <= 0) return y
  if (n === 0 && s <= 0) return x
  alloc(8 * (m + n))
  const out: Value[] = []
  for (let i = 0; i < m; i++) {
    tick()
    out.push(extended(x, i))
  }
  for (let i = 0; i < n; i++) {
    tick()
    out.push(extended(y, i))
  }
  return collapse(out)
}

const put = (out: Vector, x: Value, from: number): void => {
  if (isAtom(x)) out.v[from] = stored(x)
  else transfer(out.v, from, (x as Vector).v)
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

/** A string or char, or the bytes of many strings. */
const textIn = (x: Value): Pieces | Uint8Array | undefined => piecesOf(x) ?? stringOf(x)

/** Many strings, each with a string before it or behind it. */
const joinText = (x: Value, y: Value): Value | undefined => {
  if (piecesOf(x) === undefined && piecesOf(y) === undefined) return undefined
  const a = textIn(x)
  const b = textIn(y)
  return a === undefined || b === undefined ? undefined : joinedStrings(a, b)
}

export const joins: FastWays = {
  // Beside a list the items of a string are joined one by one.
  each: (x, y) => (typeOf(x) === -3 || typeOf(y) === -3 ? undefined : joinText(x, y)),
  eachLeft: (x, y) => (piecesOf(y) === undefined ? joinText(x, y) : undefined),
  eachRight: (x, y) => (piecesOf(x) === undefined ? joinText(x, y) : undefined),
  over: (x) => (x.v.length === 0 ? EMPTY_LIST : joinAll(x)),
  // `()` has no type, and joining it makes a list, as Kona has it.
  overFrom: (start, x) => (x.t === 0 && x.v.length === 0 && isAtom(start) ? collapse([start]) : undefined),
}
