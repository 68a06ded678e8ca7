/**
 * Inspects a value at a bounded cost: types, counts and texts of some items, figures of a vector from one pass over at most `mostScanned` items, and
 * the bytes of at most `mostWeighed` nested values.
 *
 * Guarantees: an interrupt ends it. Nothing is kept, so that a variable still owns its value. Of a list of parts of a vector (`Parts.ts`), only
 * the shown items are made.
 */
import { inBlocks, tick } from "../run/budget.ts"
import { KError } from "../run/KError.ts"
import { itemless, outside } from "../run/mismatch.ts"
import { listed } from "../run/Results.ts"
import { areLists, partsOf, sizeOf } from "../values/Parts.ts"
import { count, Dict, Func, isAtom, item, List, NIL, NULL_INT, typeOf, vector, view, type Value, type Vector } from "../values/value.ts"

interface Entry {
  readonly name: string
  readonly type: number
  readonly count: number
  readonly preview: string
}

/** A value in figures and texts. */
interface Detail extends Entry {
  /** Bytes of the data with everything nested: exact, or a lower bound; one of the two is present. */
  readonly bytes?: number
  readonly bytesAtLeast?: number
  readonly tail?: string
  readonly least?: number
  readonly greatest?: number
  readonly mean?: number
  readonly distinct?: number
  /** Nulls among the numbers; absent when there are none. */
  readonly nulls?: number
  /** The number of items that the figures are from, evenly spread; absent when they are from all. */
  readonly sampled?: number
  /** The text of a function. */
  readonly text?: string
}

export interface LookRequest {
  readonly path: string
  /** Levels of dictionaries and lists below the value; 1 is its own items. */
  readonly depth: number
  /** Entries to skip, and entries to give. */
  readonly skip: number
  readonly most: number
  /** Items by position; `to` is excluded. */
  readonly range?: readonly [from: number, to: number] | undefined
  /** Positions and names, outermost first. */
  readonly index?: readonly (number | string)[] | undefined
}

export interface Look {
  readonly entries: readonly Entry[]
  /** Entries in all, as far as they were counted. */
  readonly total: number
  readonly value?: Detail
  /** True: the path has no value. */
  readonly absent?: true
}

const mostScanned = 20_000_000
const mostDistinct = 1_000_000
/** Nested values whose bytes are counted. */
const mostWeighed = 1_000_000
/** Entries that are counted at most. */
const mostCounted = 100_000
const shownItems = 30
const shownText = 10_000

/** Bytes of an item in a vector, or of a reference in a list. */
const widths: Readonly<Record<number, number>> = { [-1]: 4, [-2]: 8, [-3]: 1, [-4]: 4, 0: 8 }
const entryWidth = 20

const ownBytes = (x: Value): number => {
  if (x instanceof Dict) return x.keys.length * entryWidth
  return !isAtom(x) ? count(x) * widths[x.t]! : x instanceof Func ? x.text.length : 0
}

/** Nested values, and the next one to weigh. */
interface Open {
  readonly n: number
  readonly get: (i: number) => Value
  at: number
}
const openList = (x: List): Open => ({ n: x.length, get: (i) => x.at(i), at: 0 })
const openItems = (items: readonly Value[]): Open => ({ n: items.length, get: (i) => items[i]!, at: 0 })

/** The bytes of a value; a part that is held twice counts twice. */
const weighed = (value: Value): Pick<Detail, "bytes" | "bytesAtLeast"> => {
  let bytes = 0
  let left = mostWeighed
  const open = [openItems([value])]
  for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
    if (top.at === top.n) {
      open.pop()
      continue
    }
    if (left-- === 0) return { bytesAtLeast: bytes }
    tick()
    const x = top.get(top.at++)
    bytes += ownBytes(x)
    const parts = partsOf(x)
    if (parts !== undefined && !areLists(parts)) bytes += sizeOf(parts) * widths[(parts.of as Vector).t]!
    else if (x instanceof List) open.push(openList(x))
    else if (x instanceof Dict) open.push(openItems(x.values), openItems(x.attributes))
  }
  return { bytes }
}

/** Figures of a vector of numbers, nulls left out, or of symbols. */
const figures = (x: Vector): Pick<Detail, "least" | "greatest" | "mean" | "distinct" | "nulls" | "sampled"> => {
  const { v, t } = x
  if (t === -3 || v.length === 0) return {}
  const most = t === -4 ? mostDistinct : mostScanned
  const step = Math.ceil(v.length / most)
  const looked = Math.ceil(v.length / step)
  const sampled = step === 1 ? {} : { sampled: looked }
  if (t === -4) {
    const seen = new Set<number>()
    inBlocks(looked, (i) => seen.add(v[i * step]!))
    return { distinct: seen.size, ...sampled }
  }
  let least = Infinity
  let greatest = -Infinity
  let sum = 0
  let n = 0
  inBlocks(looked, (i) => {
    const each = v[i * step]!
    if (t === -1 ? each === NULL_INT : each !== each) return
    least = Math.min(least, each)
    greatest = Math.max(greatest, each)
    sum += each
    n++
  })
  const mean = sum / n
  const others = { ...(n < looked && { nulls: looked - n }), ...sampled }
  return n === 0 || !Number.isFinite(least) || !Number.isFinite(greatest) || !Number.isFinite(mean)
    ? others
    : { least, greatest, mean, ...others }
}

const part = (x: Vector | List, from: number, to: number): Value =>
  x.t === 0 ? listed(to - from, (i) => x.at(from + i)) : vector(x.t, view(x.v, from, to))

/** The item at a path of positions and names. */
const at = (value: Value, index: readonly (number | string)[]): Value =>
  index.reduce<Value>((x, place) => {
    if (typeof place === "number") {
      if (isAtom(x)) throw itemless(x)
      if (place < 0 || place >= count(x)) throw outside(place, count(x))
      return item(x, place)
    }
    const found = x instanceof Dict ? x.keys.findLastIndex(({ text }) => text === place) : -1
    if (found < 0) throw new KError("index", { what: "no-key", key: place })
    return (x as Dict).values[found]!
  }, value)

/** The items of a dictionary or list by name, made one at a time. */
const entriesOf = (x: Value): { readonly n: number; readonly get: (i: number) => readonly [name: string, value: Value] } =>
  x instanceof Dict
    ? { n: x.keys.length, get: (i) => [x.keys[i]!.text, x.values[i]!] }
    : x instanceof List
      ? { n: x.length, get: (i) => [`[${i}]`, x.at(i)] }
      : { n: 0, get: () => ["", NIL] }

export const look = (found: Value, { depth, skip, most, range, index }: Omit<LookRequest, "path">, preview: (x: Value) => string): Look => {
  const value = index === undefined ? found : at(found, index)
  const entry = (name: string, x: Value): Entry => ({ name, type: typeOf(x), count: count(x), preview: preview(x) })
  const entries: Entry[] = []
  let total = 0
  const visit = (x: Value, prefix: string, left: number): void => {
    const { n, get } = entriesOf(x)
    for (let i = 0; i < n && total < mostCounted; i++) {
      tick()
      const [name, each] = get(i)
      const path = prefix === "" || name.startsWith("[") ? `${prefix}${name}` : `${prefix}.${name}`
      if (total >= skip && entries.length < most) entries.push(entry(path, each))
      total++
      if (left > 1) visit(each, path, left - 1)
    }
  }
  if (value instanceof Dict) {
    visit(value, "", depth)
    return { entries, total }
  }
  const own = entry("", value)
  if (isAtom(value)) return { entries, total, value: value instanceof Func ? { ...own, text: value.text.slice(0, shownText) } : own }
  const n = count(value)
  if (range !== undefined) {
    const [from, to] = range
    return { entries, total, value: { ...own, preview: preview(part(value, Math.max(0, from), Math.min(n, to))) } }
  }
  if (value instanceof List && depth > 1) visit(value, "", depth - 1)
  const isLong = n > shownItems
  const tail = isLong ? { tail: preview(part(value, n - shownItems / 2, n)) } : {}
  return { entries, total, value: { ...own, ...weighed(value), ...tail, ...(value instanceof List ? {} : figures(value)) } }
}
