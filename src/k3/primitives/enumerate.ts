/** `!x`: ints below a number, the index pairs of a shape, the keys of a dictionary, the names in a directory of the tree or on disk. */
import { alloc, blocks, tick, unfilledInts } from "../run/budget.ts"
import type { Kernel } from "../run/kernel.ts"
import { KError } from "../run/KError.ts"
import { unfit } from "../run/mismatch.ts"
import { hold, release } from "../run/roots.ts"
import { chars, collapse, EMPTY_LIST, Ints, List, sym, Symbols, text, type Sym, type Value } from "../values/value.ts"
import { countInLanes, suitsLanes } from "./lanes.ts"
import { ints } from "../run/room.ts"
import { checkRank } from "./take.ts"

const COUNTS = "! counts up to an int, or over a shape of ints"

export const enumerate = (x: Value, k: Kernel): Value => {
  if (typeof x === "number") return below(x)
  switch (x.t) {
    case 2:
      if (Number.isInteger(x.v) && Math.abs(x.v) < 2 ** 31) return below(x.v)
      throw unfit("int", COUNTS, x)
    case -1:
      return odometer(x.v)
    case 3:
    case -3:
      return collapse(k.host.files.list(x.t === 3 ? String.fromCharCode(x.v) : text(x.v)).map(chars))
    case 4:
      return namesIn(x, k)
    case 5:
      return symbols(x.keys)
    default:
      throw unfit(x.t === 0 ? "domain" : "type", COUNTS, x)
  }
}

const below = (n: number): Ints => {
  if (n < 0) throw new KError("domain", "! counts up to a number that is not negative")
  return new Ints(intsBelow(n))
}

/** The ints from 0 up to n. */
export const intsBelow = (n: number): Int32Array => {
  const out = ints(n)
  if (suitsLanes(n)) countInLanes(out)
  else blocks(n, (from, to) => countFrom(out, from, to))
  return out
}

const countFrom = (out: Int32Array, from: number, to: number): void => {
  let i = from
  for (const even = i + ((to - i) & 3); i < even; i++) out[i] = i
  for (; i < to; i += 4) {
    out[i] = i
    out[i + 1] = i + 1
    out[i + 2] = i + 2
    out[i + 3] = i + 3
  }
}

/** Each place in an array of that shape, last dimension fastest, a row each. */
const odometer = (shape: Int32Array): Value => {
  if (shape.length === 0) return EMPTY_LIST
  checkRank(shape)
  if (shape.some((d) => d < 0)) throw new KError("domain", "a dimension is not negative")
  const n = shape.reduce((product, d) => product * d, 1)
  alloc(n * (64 + 4 * shape.length))
  const rows: Value[] = []
  const place = hold(rows)
  const digits = new Int32Array(shape.length)
  for (let i = 0; i < n; i++) {
    tick(shape.length)
    rows.push(new Ints(digits.slice()))
    for (let d = shape.length - 1; d >= 0; d--) {
      if (++digits[d]! < shape[d]!) break
      digits[d] = 0
    }
  }
  release(place)
  return n === 0 ? EMPTY_LIST : new List(rows)
}

const symbols = (keys: readonly Sym[]): Symbols => {
  const out = unfilledInts(keys.length)
  blocks(keys.length, (from, to) => {
    for (let i = from; i < to; i++) out[i] = keys[i]!.id
  })
  return new Symbols(out)
}

const namesIn = (name: Sym, k: Kernel): Value => {
  const names = k.variables.namesIn(name.text)
  if (names === undefined) {
    k.variables.lookup(name.text)
    throw new KError("type", "only dictionaries and directories have names in them")
  }
  tick(names.length)
  return symbols(names.map(sym))
}
