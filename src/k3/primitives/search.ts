/**
 * Looking for items: `?x =x x?y &x`.
 *
 * Guarantees: items are the same when they match (`~`), floats therefore tolerantly. Ints, chars and symbols go through a table or a
 * hash and take linear time; so do lists, unless they hold many lists of floats that differ in their values alone.
 */
import { KError } from "../KError.ts"
import { alloc, blocks, fillWith, tick } from "../budget.ts"
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
import { grade, range } from "./grade.ts"
import { near, widen } from "./loops.ts"
import { match } from "./match.ts"
import { at } from "./structure.ts"

/** Which items are the same: `of[i]` is the class of item i, classes numbered by first appearance, `firsts` their first places. */
interface Classes {
  readonly of: Int32Array
  readonly firsts: Int32Array
}

const classify = (x: Value): Classes => {
  if (isAtom(x)) throw new KError("rank", "an atom has no items")
  const v = x as Vector | List
  alloc(8 * v.v.length)
  switch (v.t) {
    case -1:
    case -4:
      return classifyInts(v.v)
    case -3:
      return classifyBytes(v.v, 0, 255)
    case -2:
      return classifyFloats(v)
    default:
      return classifyValues(v.v)
  }
}

const classifyInts = (v: Int32Array): Classes => {
  const n = v.length
  if (n === 0) return { of: new Int32Array(0), firsts: new Int32Array(0) }
  const [least, greatest] = range(v)
  return greatest - least <= 4 * n + 1024 ? classifyBytes(v, least, greatest) : classifyHashed(v)
}

/** Through a table with a place for every value there can be. */
const classifyBytes = (v: Int32Array | Uint8Array, least: number, greatest: number): Classes => {
  const n = v.length
  alloc(4 * (greatest - least))
  const seen = new Int32Array(greatest - least + 1)
  const of = new Int32Array(n)
  const firsts = new Int32Array(Math.min(n, seen.length))
  let classes = 0
  blocks(n, (from, to) => {
    for (let i = from; i < to; i++) {
      const key = v[i]! - least
      let c = seen[key]!
      if (c === 0) {
        firsts[classes] = i
        c = seen[key] = ++classes
      }
      of[i] = c - 1
    }
  })
  return { of, firsts: firsts.slice(0, classes) }
}

/** Room for `n` keys in an open-addressed table, at most half full. */
const hashBits = (n: number): number => Math.max(4, 33 - Math.clz32(n))
const hash = (key: number, bits: number): number => Math.imul(key ^ (key >>> 15), 0x9e3779b1) >>> (32 - bits)

const classifyHashed = (v: Int32Array): Classes => {
  const n = v.length
  const bits = hashBits(n)
  const mask = (1 << bits) - 1
  alloc(8 << bits)
  const classAt = new Int32Array(1 << bits)
  const of = new Int32Array(n)
  const firsts = new Int32Array(n)
  let classes = 0
  blocks(n, (from, to) => {
    for (let i = from; i < to; i++) {
      const key = v[i]!
      let slot = hash(key, bits)
      let c = classAt[slot]!
      while (c !== 0 && v[firsts[c - 1]!] !== key) {
        slot = (slot + 1) & mask
        c = classAt[slot]!
      }
      if (c === 0) {
        firsts[classes] = i
        c = classAt[slot] = ++classes
      }
      of[i] = c - 1
    }
  })
  return { of, firsts: firsts.slice(0, classes) }
}

/** In order of size, so that floats that are nearly the same stand together; each class is what is near its least member. */
const classifyFloats = (x: Floats): Classes => {
  const { v } = x
  const n = v.length
  const order = grade(x, false)
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
  return classifyInts(clusterOf)
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

/** Items in order of first appearance. */
export const unique = (x: Value): Value => at(x as Vector, classify(x).firsts)

/** For each distinct item, in order of first appearance, its places. */
export const group = (x: Value): Value => {
  const { of, firsts } = classify(x)
  const n = of.length
  const m = firsts.length
  if (m === 0) return EMPTY_LIST
  alloc(8 * n + 64 * m)
  const ends = new Int32Array(m + 1)
  blocks(n, (from, to) => {
    for (let i = from; i < to; i++) ends[of[i]! + 1]!++
  })
  blocks(m, (from, to) => {
    for (let c = Math.max(1, from); c < to; c++) ends[c]! += ends[c - 1]!
  })
  const places = new Int32Array(n)
  blocks(n, (from, to) => {
    for (let i = from; i < to; i++) places[ends[of[i]!]!++] = i
  })
  // Each count has moved to where the next class begins.
  return new List(
    Array.from(firsts, (_, c) => {
      tick()
      return new Ints(places.slice(c === 0 ? 0 : ends[c - 1], ends[c]))
    }),
  )
}

/** The place of the first item of x that is y, or the count of x. */
export const find = (x: Value, y: Value): number => {
  const t = typeOf(x)
  if (t > 0) throw new KError("domain", "the left of a search is a list")
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
  const mask = (1 << bits) - 1
  alloc(4 << bits)
  // A place plus one; 0 is an empty slot.
  const places = new Int32Array(1 << bits)
  blocks(m, (from, to) => {
    for (let i = from; i < to; i++) {
      const key = x.v[i]!
      let slot = hash(key, bits)
      while (places[slot] !== 0 && x.v[places[slot]! - 1] !== key) slot = (slot + 1) & mask
      if (places[slot] === 0) places[slot] = i + 1
    }
  })
  blocks(n, (from, to) => {
    for (let i = from; i < to; i++) {
      const key = y.v[i]!
      let slot = hash(key, bits)
      while (places[slot] !== 0 && x.v[places[slot]! - 1] !== key) slot = (slot + 1) & mask
      out[i] = places[slot] === 0 ? m : places[slot]! - 1
    }
  })
  return new Ints(out)
}

/** `&x`: each place as often as its item says. */
export const where = (x: Value): Value => {
  if (typeof x === "number") return new Ints(zeros(Math.max(0, x)))
  if (x.t === 0 && x.v.length === 0) return new Ints(new Int32Array(0))
  if (x.t !== -1) throw new KError("int", "where counts with ints")
  const { v } = x
  const n = v.length
  let total = 0
  blocks(n, (from, to) => {
    for (let i = from; i < to; i++) if (v[i]! > 0) total += v[i]!
  })
  const out = zeros(total)
  let k = 0
  blocks(n, (from, to) => {
    for (let i = from; i < to; i++) {
      const c = v[i]!
      if (c === 1) out[k++] = i
      else if (c > 0) {
        fillWith(out, i, k, k + c)
        k += c
      }
    }
  })
  return new Ints(out)
}

const zeros = (n: number): Int32Array => {
  alloc(4 * n)
  return new Int32Array(n)
}
