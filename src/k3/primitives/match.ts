/**
 * `~`: are two values the same thing?
 *
 * Guarantees: types must agree at every depth; floats are compared tolerantly, functions by their text. Also the total order of
 * values that grading lists needs.
 */
import { tick } from "../budget.ts"
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
} from "../value.ts"
import { near, widen } from "./loops.ts"

export const match = (x: Value, y: Value): boolean => {
  if (x === y) return true
  if (typeof x === "number" || typeof y === "number" || x.t !== y.t) return false
  switch (x.t) {
    case 2:
      return near(x.v, (y as Float).v)
    case 7:
      return x.text === (y as Func).text
    case 5: {
      const d = y as Dict
      return (
        x.keys.length === d.keys.length &&
        x.keys.every((key, i) => key === d.keys[i] && match(x.values[i]!, d.values[i]!) && match(x.attributes[i]!, d.attributes[i]!))
      )
    }
    case -1:
    case -3:
    case -4:
      return sameItems(x.v, (y as Ints | Chars | Symbols).v)
    case -2:
      return nearItems(x.v, (y as Floats).v)
    case 0: {
      const [a, b] = [x.v, (y as List).v]
      if (a.length !== b.length) return false
      tick(a.length)
      for (let i = 0; i < a.length; i++) if (!match(a[i]!, b[i]!)) return false
      return true
    }
    default:
      return false
  }
}

const sameItems = (a: Int32Array | Uint8Array, b: Int32Array | Uint8Array): boolean => {
  const n = a.length
  if (n !== b.length) return false
  tick(n >> 6)
  for (let i = 0; i < n; i++) if (a[i] !== b[i]) return false
  return true
}

const nearItems = (a: Float64Array, b: Float64Array): boolean => {
  const n = a.length
  if (n !== b.length) return false
  tick(n >> 4)
  for (let i = 0; i < n; i++) if (!near(a[i]!, b[i]!)) return false
  return true
}

/** Kinds in the order grading puts them: numbers, chars, symbols, then everything that has no order of its own. */
const kind = (t: number): number => (t === 2 ? 1 : t)

/**
 * Below zero when x comes before y in an ascending grade of a list. Atoms compare by value, text by bytes; lists item by item, the
 * shorter first where one begins the other; an atom counts as a list of one.
 */
export const compare = (x: Value, y: Value): number => {
  const s = typeOf(x)
  const t = typeOf(y)
  if (s > 0 && t > 0) {
    if (s === 1 && t === 1) return (x as number) - (y as number)
    if (s <= 2 && t <= 2) return compareFloats(s === 1 ? widen(x as number) : (x as Float).v, t === 1 ? widen(y as number) : (y as Float).v)
    if (s !== t) return kind(s) - kind(t)
    if (s === 3) return (x as Char).v - (y as Char).v
    if (s === 4) return compareText((x as Sym).text, (y as Sym).text)
    return 0
  }
  if (s === -3 && t === -3) return compareBytes((x as Chars).v, (y as Chars).v)
  if (s === -1 && t === -1) return compareBytes((x as Ints).v, (y as Ints).v)
  const n = Math.min(count(x), count(y))
  tick(n)
  for (let i = 0; i < n; i++) {
    const c = compare(s > 0 ? x : item(x as List, i), t > 0 ? y : item(y as List, i))
    if (c !== 0) return c
  }
  return count(x) - count(y) || (s > 0 ? -1 : 0) - (t > 0 ? -1 : 0)
}

const compareBytes = (a: Uint8Array | Int32Array, b: Uint8Array | Int32Array): number => {
  const n = Math.min(a.length, b.length)
  for (let i = 0; i < n; i++) if (a[i] !== b[i]) return a[i]! - b[i]!
  return a.length - b.length
}

export const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
export const compareFloats = (a: number, b: number): number => (a < b ? -1 : a > b ? 1 : a === b ? 0 : a !== a ? (b !== b ? 0 : -1) : 1)
