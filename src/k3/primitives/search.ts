/**
 * Looking for items: `?x =x x?y &x`.
 *
 * Guarantees: items are the same when they match (`~`), floats therefore tolerantly. Ints, chars and symbols go through a table or a
 * hash and take linear time; so do lists, unless they hold many lists of floats that differ in their values alone.
 */
import { alloc, blocks, fillWith, tick } from "../budget.ts"
import { itemless, unfit } from "../mismatch.ts"
import {
  count,
  EMPTY_LIST,
  Ints,
  isAtom,
  List,
  typeOf,
  type Char,
  type Chars,
  type Float,
  type Floats,
  type Sym,
  type Symbols,
  type Value,
  type Vector,
} from "../value.ts"
import { byCounting, grade, range } from "./grade.ts"
import { near, widen } from "./loops.ts"
import { match } from "./match.ts"
import { at } from "./structure.ts"

/** Which items are the same: `of[i]` is the class of item i, classes numbered by first appearance, `firsts` their first places. */
interface Classes {
  readonly of: Int32Array
  readonly firsts: Int32Array
}

/** Numbers from `least` to `greatest`, equal for items that are the same. */
interface Keys {
  readonly v: Int32Array | Uint8Array
  readonly least: number
  readonly greatest: number
}

/** The items as keys, where a table with a place for each there can be is not much longer than they are many. */
const keysOf = (x: Vector | List): Keys | undefined => {
  if (x.t === -3) return { v: x.v, least: 0, greatest: 255 }
  if (x.t === -2) return clusters(x)
  if (x.t === 0) return undefined
  const [least, greatest] = range(x.v)
  return greatest - least <= 4 * x.v.length + 1024 ? { v: x.v, least, greatest } : undefined
}

/** Numbered by size, so that floats that are nearly the same stand together; each number is for what is near its least. */
const clusters = (x: Floats): Keys => {
  const { v } = x
  const n = v.length
  const order = grade(x, false)
  alloc(4 * n)
  const clusterOf = new Int32Array(n)
  let cluster = -1
  let head = 0
  blocks(n, (from, to) => {
    for (let i = from; i < to; i++) {
      const place = order[i]!
      if (cluster < 0 || !near(head, v[place]!)) {
        cluster++
        head = v[place]!
      }
      clusterOf[place] = cluster
    }
  })
  return { v: clusterOf, least: 0, greatest: cluster }
}

/** Where each key first stands. */
const firstPlaces = ({ v, least, greatest }: Keys): Int32Array => {
  const size = greatest - least + 1
  const n = v.length
  alloc(size + 4 * Math.min(n, size))
  const seen = new Uint8Array(size)
  const firsts = new Int32Array(Math.min(n, size))
  let k = 0
  blocks(n, (from, to) => {
    k = appear(v, least, seen, firsts, k, from, to)
  })
  return k === firsts.length ? firsts : firsts.slice(0, k)
}

const appear = (v: Keys["v"], least: number, seen: Uint8Array, firsts: Int32Array, k: number, i: number, end: number): number => {
  for (; i < end; i++) {
    const key = v[i]! - least
    if (seen[key] === 0) {
      seen[key] = 1
      firsts[k++] = i
    }
  }
  return k
}

const classify = (x: Vector | List): Classes => {
  alloc(8 * x.v.length)
  return x.t === 0 ? classifyValues(x.v) : classifyHashed(x.v as Int32Array)
}

/** The length, as a power of two, of an open-addressed table for `n` keys, at most half full. */
const hashBits = (n: number): number => Math.max(4, 33 - Math.clz32(n))

/** Where a key is in a table of places of `v`, each plus one, or the empty slot where it would be. */
const slotOf = (key: number, v: ArrayLike<number>, table: Int32Array, bits: number): number => {
  let slot = Math.imul(key ^ (key >>> 15), 0x9e3779b1) >>> (32 - bits)
  for (let at = table[slot]!; at !== 0 && v[at - 1] !== key; at = table[slot]!) slot = (slot + 1) & (table.length - 1)
  return slot
}

const classifyHashed = (v: Int32Array): Classes => {
  const n = v.length
  const bits = hashBits(n)
  alloc(8 << bits)
  const table = new Int32Array(1 << bits)
  const of = new Int32Array(n)
  const firsts = new Int32Array(n)
  let classes = 0
  blocks(n, (from, to) => {
    for (let i = from; i < to; i++) {
      const slot = slotOf(v[i]!, v, table, bits)
      const place = table[slot]! - 1
      if (place < 0) {
        table[slot] = i + 1
        firsts[classes] = i
        of[i] = classes++
      } else of[i] = of[place]!
    }
  })
  return { of, firsts: firsts.slice(0, classes) }
}

const classifyValues = (items: readonly Value[]): Classes => {
  const n = items.length
  const of = new Int32Array(n)
  const firsts: number[] = []
  const buckets = new Map<number, number[]>()
  for (let i = 0; i < n; i++) {
    tick()
    const x = items[i]!
    const code = hashValue(x)
    let bucket = buckets.get(code)
    if (bucket === undefined) buckets.set(code, (bucket = []))
    let c = -1
    for (const k of bucket) {
      tick()
      if (match(items[firsts[k]!]!, x)) {
        c = k
        break
      }
    }
    if (c < 0) {
      c = firsts.length
      firsts.push(i)
      bucket.push(c)
    }
    of[i] = c
  }
  return { of, firsts: Int32Array.from(firsts) }
}

/** Equal for values that match. A float gives its type alone, since floats that differ may match. */
const hashValue = (x: Value): number => {
  if (typeof x === "number") return x
  switch (x.t) {
    case 2:
      return 2
    case 3:
      return x.v + 0x300
    case 4:
      return x.id + 0x400000
    case 5:
      tick(x.keys.length)
      return hashItems(x.keys.map((key) => key.id))
    case 7:
      return x.text.length + 0x7000
    case -2:
      return x.v.length + 0x2000
    case -1:
    case -3:
    case -4:
      return hashItems(x.v)
    case 0: {
      let h = 17
      for (const y of x.v) {
        tick()
        h = (Math.imul(h, 31) + hashValue(y)) | 0
      }
      return h
    }
    default:
      return x.t
  }
}

const hashItems = (v: ArrayLike<number>): number => {
  let h = v.length
  for (let i = 0; i < v.length; i++) {
    if ((i & 8191) === 0) tick(Math.min(8192, v.length - i) >> 2)
    h = (Math.imul(h, 31) + v[i]!) | 0
  }
  return h
}

const listOf = (x: Value): Vector | List => {
  if (isAtom(x)) throw itemless(x)
  return x
}

/** Items in order of first appearance. */
export const unique = (x: Value): Value => {
  const list = listOf(x)
  if (list.v.length === 0) return at(list, new Int32Array(0))
  const keys = keysOf(list)
  return at(list, keys === undefined ? classify(list).firsts : firstPlaces(keys))
}

/** For each distinct item, in order of first appearance, its places. */
export const group = (x: Value): Value => {
  const list = listOf(x)
  if (list.v.length === 0) return EMPTY_LIST
  const keys = keysOf(list)
  if (keys !== undefined) return grouped(keys, firstPlaces(keys))
  const { of, firsts } = classify(list)
  return grouped({ v: of, least: 0, greatest: firsts.length - 1 }, firsts)
}

const grouped = ({ v, least, greatest }: Keys, firsts: Int32Array): List => {
  alloc(8 * v.length + 64 * firsts.length)
  const { places, ends } = byCounting(v, least, greatest)
  const groups = new Array<Value>(firsts.length)
  for (let c = 0; c < firsts.length; c++) {
    tick()
    const key = v[firsts[c]!]! - least
    groups[c] = new Ints(places.slice(key === 0 ? 0 : ends[key - 1], ends[key]))
  }
  return new List(groups)
}

/** The place of the first item of x that is y, or the count of x. */
export const find = (x: Value, y: Value): number => {
  const t = typeOf(x)
  if (t > 0) throw unfit("domain", "the left of a search is a list", x)
  const n = count(x)
  const u = typeOf(y)
  switch (t) {
    case 0:
      for (let i = 0; i < n; i++) {
        tick()
        if (match((x as List).v[i]!, y)) return i
      }
      return n
    case -1:
      if (u === 1) return placeOf((x as Ints).v, y as number)
      if (u === 2) return placeNear((x as Ints).v, (y as Float).v)
      return n
    case -2:
      return u === 2 ? placeNear((x as Floats).v, (y as Float).v) : u === 1 ? placeNear((x as Floats).v, widen(y as number)) : n
    case -3:
      return u === 3 ? placeOf((x as Chars).v, (y as Char).v) : n
    default:
      return u === 4 ? placeOf((x as Symbols).v, (y as Sym).id) : n
  }
}

/** Items looked through between two looks at the budget. */
const BLOCK = 65536

const placeOf = (v: Int32Array | Uint8Array, key: number): number => {
  const n = v.length
  for (let from = 0; from < n; from += BLOCK) {
    const to = Math.min(n, from + BLOCK)
    tick((to - from) >> 2)
    // The host looks no further than the end of what it is given.
    const i = (to === n ? v : v.subarray(0, to)).indexOf(key, from)
    if (i >= 0) return i
  }
  return n
}

const placeNear = (v: Int32Array | Float64Array, key: number): number => {
  for (let i = 0; i < v.length; i++) {
    if ((i & 8191) === 0) tick(Math.min(8192, v.length - i))
    if (near(v instanceof Int32Array ? widen(v[i]!) : v[i]!, key)) return i
  }
  return v.length
}

/** `x?/:y` for two vectors of one type: where each item of y first stands in x. */
export const finder = (x: Vector, y: Vector): Ints => {
  const m = x.v.length
  const n = y.v.length
  alloc(4 * n)
  const out = new Int32Array(n)
  if (x.t === -2 || m * n < 256) {
    for (let i = 0; i < n; i++) out[i] = x.t === -2 ? placeNear(x.v, (y as Floats).v[i]!) : placeOf(x.v, y.v[i]!)
    return new Ints(out)
  }
  const bits = hashBits(m)
  alloc(4 << bits)
  const table = new Int32Array(1 << bits)
  blocks(m, (from, to) => {
    for (let i = from; i < to; i++) {
      const slot = slotOf(x.v[i]!, x.v, table, bits)
      if (table[slot] === 0) table[slot] = i + 1
    }
  })
  blocks(n, (from, to) => {
    for (let i = from; i < to; i++) {
      const place = table[slotOf(y.v[i]!, x.v, table, bits)]! - 1
      out[i] = place < 0 ? m : place
    }
  })
  return new Ints(out)
}

/** `&x`: each place as often as its item says. */
export const where = (x: Value): Value => {
  if (typeof x === "number") return new Ints(zeros(Math.max(0, x)))
  if (x.t !== -1) {
    if (!isAtom(x) && count(x) === 0) return new Ints(new Int32Array(0))
    throw unfit("int", "where counts with ints", x)
  }
  const { v } = x
  const n = v.length
  let total = 0
  let marks = true
  blocks(n, (from, to) => {
    const ones = onesIn(v, from, to)
    marks &&= ones >= 0
    total += ones >= 0 ? ones : sumOf(v, from, to)
  })
  const out = zeros(total)
  let k = 0
  if (marks)
    blocks(n, (from, to) => {
      k = placesOfOnes(v, out, k, from, to)
    })
  else
    blocks(n, (from, to) => {
      k = placesOf(v, out, k, from, to)
    })
  return new Ints(out)
}

/** How many ones there are where there is nothing but zeros and ones; else -1. */
const onesIn = (v: Int32Array, i: number, end: number): number => {
  let ones = 0
  let seen = 0
  for (; i < end; i++) {
    const c = v[i]!
    seen |= c
    ones += c
  }
  return (seen & ~1) === 0 ? ones : -1
}

const sumOf = (v: Int32Array, i: number, end: number): number => {
  let sum = 0
  for (; i < end; i++) if (v[i]! > 0) sum += v[i]!
  return sum
}

/** Writes every place, the next one over it unless it was of a one: no branch to be guessed wrong. */
const placesOfOnes = (v: Int32Array, out: Int32Array, k: number, i: number, end: number): number => {
  const n = out.length
  for (; i < end && k < n; i++) {
    out[k] = i
    k += v[i]!
  }
  return k
}

const placesOf = (v: Int32Array, out: Int32Array, k: number, i: number, end: number): number => {
  for (; i < end; i++) {
    const c = v[i]!
    if (c === 1) out[k++] = i
    else if (c > 0) {
      fillWith(out, i, k, k + c)
      k += c
    }
  }
  return k
}

const zeros = (n: number): Int32Array => {
  alloc(4 * n)
  return new Int32Array(n)
}
