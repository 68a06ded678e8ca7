/** `!x`: ints below a number, the index pairs of a shape, the keys of a dictionary, the names in a directory of the tree or on disk. */
import { blocks, filledBy, tick, unfilledInts } from "../run/budget.ts"
import type { Kernel } from "../run/kernel.ts"
import { KError } from "../run/KError.ts"
import { unfit } from "../run/mismatch.ts"
import { listed } from "../run/Results.ts"
import { chars, collapse, EMPTY_LIST, Ints, sym, Symbols, text, type Sym, type Value } from "../values/value.ts"
import { countInLanes, suitsLanes } from "./lanes.ts"
import { ints } from "../run/arrayPool.ts"
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

const countFrom = (out: Int32Array, i: number, end: number): void => {
  for (; i < end; i++) out[i] = i
}

/** Every index of an array of that shape, a row each, the last dimension fastest. */
const odometer = (shape: Int32Array): Value => {
  if (shape.length === 0) return EMPTY_LIST
  checkRank(shape)
  if (shape.some((d) => d < 0)) throw new KError("domain", "a dimension is not negative")
  const n = shape.reduce((product, d) => product * d, 1)
  const next = new Int32Array(shape.length)
  const row = (): Ints => {
    tick(shape.length)
    const digits = new Ints(next.slice())
    for (let d = shape.length - 1; d >= 0; d--) {
      if (++next[d]! < shape[d]!) break
      next[d] = 0
    }
    return digits
  }
  return n === 0 ? EMPTY_LIST : listed(n, row, 64 + 4 * shape.length)
}

const symbols = (keys: readonly Sym[]): Symbols => new Symbols(filledBy(unfilledInts(keys.length), (i) => keys[i]!.id))

const namesIn = (name: Sym, k: Kernel): Value => {
  const names = k.variables.namesIn(name.text)
  if (names === undefined) {
    k.variables.lookup(name.text)
    throw new KError("type", "only dictionaries and directories have names in them")
  }
  return symbols(names.map(sym))
}
