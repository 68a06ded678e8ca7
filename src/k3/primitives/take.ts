/** `x#y` and `x _ y`: take, reshape, drop, cut. An atom on the right is repeated by take; drop and cut leave it as it is. */
import { fillWith, tick, transfer } from "../run/budget.ts"
import { KError } from "../run/KError.ts"
import { unfit } from "../run/mismatch.ts"
import { gathered, listed } from "../run/Results.ts"
import { count, EMPTY_LIST, isAtom, stored, typeOf, vectorOf, type Ints, type Value } from "../values/value.ts"
import { fill, first, slice } from "./structure.ts"

/** For an int x, that many items, from the end when negative, repeating y as needed. For ints x, reshape. Any empty list is the shape of an atom. */
export const take = (x: Value, y: Value): Value => {
  if (typeof x === "number") return x >= 0 ? cycle(y, 0, x) : cycle(y, x, -x)
  if (!isAtom(x) && x.v.length === 0) return first(y)
  if (x.t === -1) return reshape(x.v, y)
  throw unfit("int", "the left of # is an int or a vector of ints", x)
}

/** `n` items of y from place `from` on, counted modulo its length. */
const cycle = (y: Value, from: number, n: number): Value => {
  if (isAtom(y)) {
    const t = typeOf(y)
    if (t > 4) return n === 0 ? EMPTY_LIST : listed(n, () => y)
    const out = vectorOf(t, n)
    fillWith(out.v, stored(y), 0, n)
    return out
  }
  const m = y.v.length
  if (m === 0) return cycle(fill(y.t), 0, n)
  const start = ((from % m) + m) % m
  if (start + n <= m) return slice(y, start, start + n)
  if (y.t === 0) return gathered(n, (i) => y.v[(start + i) % m]!)
  const out = vectorOf(y.t, n)
  // Writes one whole cycle, then copies the written part after itself, up to MOVED items at once, until the end.
  transfer(out.v, 0, y.v, start)
  transfer(out.v, m - start, y.v, 0, Math.min(start, n - (m - start)))
  for (let done = m, size = m; done < n; done += size) {
    if (size < MOVED) size = done
    transfer(out.v, done, out.v, 0, Math.min(size, n - done))
  }
  return out
}

const MOVED = 65536

/** Throws `limit` for a shape of more dimensions than values may be nested. */
export const checkRank = (shape: Int32Array): void => {
  if (shape.length > 4096) throw new KError("limit", { what: "dimensions", most: 4096 })
}

const reshape = (shape: Int32Array, y: Value): Value => {
  checkRank(shape)
  const dimensions = Array.from(shape)
  const free = dimensions.indexOf(-1)
  if (free >= 0) {
    const others = dimensions.reduce((product, d, i) => (i === free ? product : product * d), 1)
    dimensions[free] = others === 0 ? 0 : Math.floor(count(y) / others)
  }
  if (dimensions.some((d) => d < 0)) throw new KError("domain", "a dimension is not negative; one -1 is computed")
  let place = 0
  const build = (level: number): Value => {
    const n = dimensions[level]!
    // Kona and K3CSharp have no type for the rows that are not there when their number was computed.
    if (n === 0 && level === free && level < dimensions.length - 1) return EMPTY_LIST
    if (level === dimensions.length - 1 || n === 0) {
      const row = cycle(y, place, n)
      place += n
      return row
    }
    return listed(n, () => build(level + 1))
  }
  return build(0)
}

/** For an int x, all but the first (or, when negative, the last) x items. For ints x, cuts at those places. */
export const drop = (x: Value, y: Value): Value => {
  if (typeof x !== "number") {
    if (x.t === -1) return cut(x, y)
    throw unfit("int", "the left of _ is an int or a vector of ints", x)
  }
  if (isAtom(y)) return y
  const n = y.v.length
  return x >= 0 ? slice(y, Math.min(x, n), n) : slice(y, 0, Math.max(0, n + x))
}

/** The pieces of y that begin at the ascending places x; items before the first place are dropped. */
const cut = (x: Ints, y: Value): Value => {
  if (isAtom(y)) return y
  const [places, n] = [x.v, y.v.length]
  const m = places.length
  for (let i = 0; i < m; i++) {
    tick()
    if (places[i]! < (i === 0 ? 0 : places[i - 1]!)) throw new KError("domain", "the places of a cut ascend from 0")
    if (places[i]! > n) throw new KError("length", { what: "cut", place: places[i]!, count: n })
  }
  return gathered(m, (i) => slice(y, places[i]!, i + 1 < m ? places[i + 1]! : n))
}
