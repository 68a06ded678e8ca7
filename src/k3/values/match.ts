/**
 * `~`: do two values match?
 *
 * Guarantees: types must agree at every depth; floats are compared with tolerance unless told otherwise, functions by their text. Also the order of
 * values in a list, exact for grades, with tolerance for searches.
 */
import { tick } from "../run/budget.ts"
import {
  count,
  item,
  typeOf,
  type Char,
  type Chars,
  type Dict,
  type Float,
  type Floats,
  type Func,
  type Ints,
  type List,
  type Sym,
  type Symbols,
  type Value,
} from "./value.ts"
import { near, widen } from "./tolerance.ts"

/** Are two floats the same? */
type SameFloat = (a: number, b: number) => boolean

export const match = (x: Value, y: Value, same: SameFloat = near): boolean => {
  if (x === y) return true
  if (typeof x === "number" || typeof y === "number" || x.t !== y.t) return false
  switch (x.t) {
    case 2:
      return same(x.v, (y as Float).v)
    case 7:
      return sameText(x.text, (y as Func).text)
    case 5: {
      const d = y as Dict
      return allMatch(x.keys, d.keys, same) && allMatch(x.values, d.values, same) && allMatch(x.attributes, d.attributes, same)
    }
    case -1:
    case -3:
    case -4:
      return sameItems(x.v, (y as Ints | Chars | Symbols).v)
    case -2:
      return sameFloats(x.v, (y as Floats).v, same)
    case 0:
      return allMatch(x.v, (y as List).v, same)
    default:
      return false
  }
}

const allMatch = (a: readonly Value[], b: readonly Value[], same: SameFloat): boolean =>
  a.length === b.length &&
  a.every((x, i) => {
    tick()
    return match(x, b[i]!, same)
  })

/** Items between two payments into the budget, less one. */
const LOOK = 8191

const sameText = (a: string, b: string): boolean => {
  if (a.length !== b.length) return false
  tick(a.length >> 4)
  return a === b
}

/** Do two vectors have the same bytes or int32s? */
const sameItems = (a: Int32Array | Uint8Array, b: Int32Array | Uint8Array): boolean => a.length === b.length && compareBytes(a, b) === 0

const sameFloats = (a: Float64Array, b: Float64Array, same: SameFloat): boolean => {
  const n = a.length
  if (n !== b.length) return false
  for (let i = 0; i < n; i++) {
    if ((i & LOOK) === 0) tick(Math.min(LOOK, n - i) >> 2)
    if (!same(a[i]!, b[i]!)) return false
  }
  return true
}

/**
 * Negative when x comes before y in an ascending grade of a list. Values of different types are ordered by the type's code: vectors, then lists, then
 * atoms. Atoms are ordered by value, strings by their bytes, other lists by their count and then item by item.
 */
export const compare = (x: Value, y: Value, floats = compareFloats): number => {
  const t = typeOf(x)
  if (t !== typeOf(y)) return t - typeOf(y)
  switch (t) {
    case 1:
      return (x as number) - (y as number)
    case 2:
      return floats((x as Float).v, (y as Float).v)
    case 3:
      return (x as Char).v - (y as Char).v
    case 4:
      return compareText((x as Sym).text, (y as Sym).text)
    case -3:
      return compareBytes((x as Chars).v, (y as Chars).v)
  }
  const n = count(x)
  if (t > 0 || n !== count(y)) return t > 0 ? 0 : n - count(y)
  if (t === -1) return compareBytes((x as Ints).v, (y as Ints).v)
  for (let i = 0; i < n; i++) {
    tick()
    const c = compare(item(x as List, i), item(y as List, i), floats)
    if (c !== 0) return c
  }
  return 0
}

/** As `compare`, with floats compared with tolerance, and an int with a float by value. */
export const compareNear = (x: Value, y: Value): number => {
  const [a, b] = [numberOf(x), numberOf(y)]
  return a === undefined || b === undefined ? compare(x, y, compareNearFloats) : compareNearFloats(a, b)
}

const numberOf = (x: Value): number | undefined => (typeof x === "number" ? widen(x) : x.t === 2 ? x.v : undefined)

const compareBytes = (a: Uint8Array | Int32Array, b: Uint8Array | Int32Array): number => {
  const n = Math.min(a.length, b.length)
  for (let i = 0; i < n; i++) {
    if ((i & LOOK) === 0) tick(Math.min(LOOK, n - i) >> 2)
    if (a[i] !== b[i]) return a[i]! - b[i]!
  }
  return a.length - b.length
}

export const compareText = (a: string, b: string): number => {
  tick(Math.min(a.length, b.length) >> 4)
  return a < b ? -1 : a > b ? 1 : 0
}
export const compareFloats = (a: number, b: number): number => (a < b ? -1 : a > b ? 1 : a === b ? 0 : a !== a ? (b !== b ? 0 : -1) : 1)
const compareNearFloats = (a: number, b: number): number => (near(a, b) ? 0 : compareFloats(a, b))
