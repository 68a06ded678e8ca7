/** Laws that hold for all values: structure, order and search against their definitions, and typed paths against item by item. */
import * as fc from "fast-check"
import { describe, expect, test } from "vitest"
import { display } from "../../../src/k3/values/format.ts"
import { divide, max, min, minus, mod, plus, power, times } from "../../../src/k3/primitives/arithmetic.ts"
import { bin, binEach } from "../../../src/k3/primitives/bin.ts"
import { equal, less, more } from "../../../src/k3/primitives/compare.ts"
import { rows as algebra } from "../../../src/k3/primitives/linearAlgebra.ts"
import { join } from "../../../src/k3/primitives/join.ts"
import type { DyadRow, FastPaths } from "../../../src/k3/primitives/Row.ts"
import { verbs as rows } from "../../../src/k3/primitives/table.ts"
import { floatDiv, floatMod, floor, intDiv, intMod } from "../../../src/k3/primitives/rounding.ts"
import { grade } from "../../../src/k3/primitives/grade.ts"
import { compare, compareFloats, compareNear, match } from "../../../src/k3/values/match.ts"
import { group, unique } from "../../../src/k3/primitives/classes.ts"
import { find } from "../../../src/k3/primitives/search.ts"
import { where } from "../../../src/k3/primitives/where.ts"
import { flip, itemsAt, reverse, rotate, shape } from "../../../src/k3/primitives/structure.ts"
import { drop, take } from "../../../src/k3/primitives/take.ts"
import {
  char,
  chars,
  collapse,
  count,
  Float,
  Floats,
  Ints,
  item,
  List,
  sym,
  type Value,
  type Vector,
} from "../../../src/k3/values/value.ts"

const int = fc.oneof(fc.integer({ min: -9, max: 9 }), fc.integer({ min: -2147483648, max: 2147483647 }))
const double = fc.oneof(fc.integer({ min: -9, max: 9 }), fc.double())
const ints = fc.array(int, { maxLength: 200 }).map((v) => new Ints(Int32Array.from(v)))
const floats = fc.array(double, { maxLength: 200 }).map((v) => new Floats(Float64Array.from(v)))
const string = fc.array(fc.constantFrom(..."abc\0\u00ff"), { maxLength: 40 }).map((v) => chars(v.join("")))
const symbol = fc.constantFrom("", "a", "b", "ab", "b.c").map(sym)
const symbols = fc.array(symbol, { maxLength: 40 }).map((v) => (v.length === 0 ? take(0, sym("")) : collapse(v)) as Vector)
const atom: fc.Arbitrary<Value> = fc.oneof(
  int,
  double.map((v) => new Float(v)),
  fc.constantFrom(97, 98).map(char),
  symbol,
)
const { value, list } = fc.letrec<{ value: Value; list: List }>((tie) => ({
  value: fc.oneof({ maxDepth: 3 }, atom, ints, floats, string, symbols, tie("list")),
  list: fc.array(tie("value"), { maxLength: 12 }).map((v) => {
    const made = collapse(v)
    return made instanceof List ? made : new List([made])
  }),
}))
const sequence: fc.Arbitrary<Vector | List> = fc.oneof(ints, floats, string, symbols, list)

const same = (x: Value, y: Value): void => {
  if (match(x, y)) return
  expect(display(x, 17)).toBe(display(y, 17))
  throw new Error("shown alike, but of different types")
}
const itemsOf = (x: Value): Value[] => Array.from({ length: count(x) }, (_, i) => item(x as Vector, i))
const scan = (verb: (x: Value, y: Value) => Value, start: Value, rest: Value[]): Value[] => {
  const out = [start]
  for (const v of rest) out.push(verb(out[out.length - 1]!, v))
  return out
}
const holds = <A>(arbitrary: fc.Arbitrary<A>, law: (a: A) => void): void => fc.assert(fc.property(arbitrary, law), { numRuns: 200 })

const fastPathsOf = (glyph: string): FastPaths => rows.find((row): row is DyadRow => row.glyph === glyph && row.valence === 2)!.fast!

const dot = algebra.find(({ glyph }) => glyph === "_dot")!.run as (x: Value, y: Value) => Value

const sumOf = (x: Value): Value | undefined => fastPathsOf("+").over!(x as Vector)

/** `+/x*y`, item by item. */
const plain = (x: Vector, y: List): Value => {
  const rows = y.v as Vector[]
  const sum = (i: number, add: (s: number, a: number, b: number) => number, from: number): number =>
    rows.reduce((s, row, j) => add(s, x.v[j]!, row.v[i]!), from)
  return x.t === -1
    ? new Ints(Int32Array.from(rows[0]!.v, (_, i) => sum(i, (s, a, b) => (s + Math.imul(a, b)) | 0, 0)))
    : new Floats(Float64Array.from(rows[0]!.v, (_, i) => sum(i, (s, a, b) => s + a * b, -0)))
}

describe("structure", () => {
  test("reversing twice changes nothing", () => holds(sequence, (x) => same(reverse(reverse(x)), x)))
  test("rotating there and back changes nothing", () =>
    holds(fc.tuple(fc.integer({ min: -50, max: 50 }), sequence), ([n, x]) => same(rotate(-n, rotate(n, x)), x)))
  test("what is taken and what is dropped make the whole", () =>
    holds(fc.tuple(sequence, fc.nat()), ([x, k]) => {
      const n = k % (count(x) + 1)
      same(join(take(n, x), drop(n, x)), count(x) === 0 ? join(x, x) : x)
      same(join(drop(-n, x), take(-n, x)), count(x) === 0 ? join(x, x) : x)
    }))
  test("taking cycles", () =>
    holds(fc.tuple(fc.integer({ min: -99, max: 99 }), sequence), ([n, x]) => {
      const m = count(x)
      fc.pre(m > 0)
      const from = n < 0 ? n : 0
      const places = Int32Array.from({ length: Math.abs(n) }, (_, i) => (((from + i) % m) + m) % m)
      same(take(n, x), itemsAt(x, places))
    }))
  test("flipping a matrix twice changes nothing", () =>
    holds(fc.tuple(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 1, max: 6 }), sequence), ([rows, columns, x]) => {
      fc.pre(count(x) > 0)
      const matrix = take(new Ints(Int32Array.of(rows, columns)), x)
      same(flip(flip(matrix)), matrix)
      expect(Array.from((shape(flip(matrix)) as Ints).v.slice(0, 2))).toEqual([columns, rows])
    }))
  test("join has the items of both", () =>
    holds(fc.tuple(value, value), ([x, y]) => {
      const parts = [x, y].flatMap((v) => (typeof v === "number" || v.t > 0 ? [v] : itemsOf(v)))
      const joined = join(x, y)
      expect(itemsOf(joined)).toHaveLength(parts.length)
      for (const [i, part] of parts.entries()) same(item(joined as List, i), part)
    }))
})

describe("order and search", () => {
  test("a graded value is sorted, equal items in their order", () =>
    holds(fc.tuple(sequence, fc.boolean()), ([x, down]) => {
      const order = Array.from(grade(x, down))
      expect(order.toSorted((a, b) => a - b)).toEqual(order.map((_, i) => i))
      const items = itemsOf(x)
      for (let i = 1; i < order.length; i++) {
        const c = compare(items[order[i - 1]!]!, items[order[i]!]!) * (down ? -1 : 1)
        expect(c < 0 || (c === 0 && order[i - 1]! < order[i]!)).toBe(true)
      }
    }))
  test("long vectors of wide and narrow range are graded as short ones are", () =>
    holds(fc.tuple(fc.constantFrom(100, 30_000, 2 ** 31), fc.integer(), fc.boolean()), ([span, seed, down]) => {
      let state = seed
      const v = Int32Array.from({ length: 500 }, () => (state = (Math.imul(state, 1103515245) + 12345) | 0) % span)
      const expected = Array.from(v.keys()).sort((i, j) => (down ? v[j]! - v[i]! : v[i]! - v[j]!))
      expect(Array.from(grade(new Ints(v), down))).toEqual(expected)
      expect(Array.from(grade(new Floats(Float64Array.from(v, (x) => x / 7)), down))).toEqual(expected)
    }))
  test("groups are the places of each distinct item", () =>
    holds(sequence, (x) => {
      const distinct = itemsOf(unique(x))
      const groups = itemsOf(group(x)) as Ints[]
      expect(groups).toHaveLength(distinct.length)
      const items = itemsOf(x)
      for (const [c, places] of groups.entries()) {
        expect(places.v[0]).toBe(items.findIndex((y) => match(y, distinct[c]!)))
        for (const place of places.v) same(items[place]!, distinct[c]!)
      }
      expect(groups.flatMap((places) => Array.from(places.v)).toSorted((a, b) => a - b)).toEqual(items.map((_, i) => i))
    }))
  test("ints of a wide range are grouped as those of a narrow one", () =>
    holds(fc.array(fc.integer({ min: 0, max: 20 }), { maxLength: 300 }), (v) => {
      same(group(new Ints(Int32Array.from(v, (x) => x * 100_000_007))), group(new Ints(Int32Array.from(v))))
    }))
  test("find gives the first place that matches", () =>
    holds(fc.tuple(sequence, value), ([x, y]) => {
      const items = itemsOf(x)
      for (const sought of [y, ...items.slice(0, 3)]) {
        if (typeof sought === "number" && x.t === -2) continue
        if (typeof sought !== "number" && sought.t === 2 && x.t === -1) continue
        const place = items.findIndex((z) => match(z, sought))
        expect(find(x, sought)).toBe(place < 0 ? items.length : place)
      }
    }))
  test("finding many is finding each", () =>
    holds(fc.tuple(ints, ints), ([x, y]) => {
      fc.pre(count(y) > 0)
      same(fastPathsOf("?").eachRight!(x, y)!, collapse(itemsOf(y).map((v) => find(x, v))))
    }))
  test("a search for many in an ascending list, or in one that is not, is a search for each", () =>
    holds(
      fc.tuple(ints, fc.integer({ min: 1, max: 300 }), fc.constantFrom("wide", "narrow", "any order"), ints),
      ([{ v }, span, kind, y]) => {
        fc.pre(count(y) > 0)
        const x = new Ints(kind === "wide" ? v.toSorted() : kind === "narrow" ? v.map((each) => each % span).sort() : v)
        same(binEach(x, y), collapse(itemsOf(y).map((each) => bin(x, each))))
      },
    ))
  test.each([100, 30_000, 1_000_000, 2 ** 31])("so is one in a long list of ints below %i", (span) => {
    let state = span
    const next = (): number => (state = (Math.imul(state, 1103515245) + 12345) | 0)
    const x = new Ints(Int32Array.from({ length: 20_000 }, () => next() % span).sort())
    const y = new Ints(Int32Array.from({ length: 3_000 }, (_, i) => (i % 2 === 0 ? x.v[i * 6]! : next())))
    expect((binEach(x, y) as Ints).v).toEqual(y.v.map((each) => bin(x, each)))
    x.v[15_000] = x.v[14_000]! - 1
    expect((binEach(x, y) as Ints).v).toEqual(y.v.map((each) => bin(x, each)))
  })
  test("a search among floats finds the first that is not less, numbers going by value", () =>
    holds(fc.tuple(floats, fc.oneof(double, int)), ([{ v }, y]) => {
      const x = new Floats(v.toSorted((a, b) => compareFloats(a, b)))
      for (const key of [new Float(y), ...(Number.isInteger(y) ? [y | 0] : [])]) {
        const place = x.v.findIndex((each) => compareNear(new Float(each), key) >= 0)
        expect(bin(x, key)).toBe(place < 0 ? v.length : place)
      }
    }))
  test("where undoes counting", () =>
    holds(fc.tuple(fc.constantFrom(1, 5), fc.array(fc.integer({ min: -3, max: 5 }), { maxLength: 50 })), ([most, v]) => {
      const counts = v.map((each) => (most === 1 ? each & 1 : each))
      const places = where(new Ints(Int32Array.from(counts))) as Ints
      expect(v.map((_, i) => places.v.filter((place) => place === i).length)).toEqual(counts.map((each) => Math.max(0, each)))
      expect(places.v).toEqual(places.v.toSorted())
    }))
})

describe("atomic verbs", () => {
  const verbs = { plus, minus, times, divide, power, min, max, mod, less, more, equal }
  const numbers = fc.oneof(ints, floats) as fc.Arbitrary<Vector>
  for (const [name, verb] of Object.entries(verbs))
    test(`${name} of vectors is ${name} of their items`, () =>
      holds(fc.tuple(numbers, numbers), ([x, y]) => {
        const n = Math.min(count(x), count(y))
        const [a, b] = [take(n, x), take(n, y)]
        fc.pre(n > 0)
        const before = display(a, 17) + display(b, 17)
        const expected = collapse(itemsOf(a).map((v, i) => verb(v, item(b as Vector, i))))
        expect(display(verb(a, b), 17)).toBe(display(expected, 17))
        expect(display(verb(item(a as Vector, 0), b), 17)).toBe(display(collapse(itemsOf(b).map((v) => verb(item(a as Vector, 0), v))), 17))
        expect(display(verb(new List(itemsOf(a)), b), 17)).toBe(display(expected, 17))
        expect(display(a, 17) + display(b, 17)).toBe(before)
      }))
  test("a remainder lies between 0 and its divisor, and quotient and remainder make the dividend", () =>
    holds(fc.tuple(double, fc.double({ noNaN: true, noDefaultInfinity: true })), ([a, b]) => {
      fc.pre(b !== 0 && Number.isFinite(a))
      const r = floatMod(a, b)
      expect(r === 0 || (r < 0 === b < 0 && Math.abs(r) < Math.abs(b))).toBe(true)
      const q = floatDiv(a, b)
      if (Math.abs(q) < 2147483647) expect(Math.abs(q * b + r - a)).toBeLessThanOrEqual(2e-13 * Math.max(Math.abs(a), Math.abs(b)))
    }))
  test("the remainder of whole floats is exact", () =>
    holds(fc.tuple(fc.maxSafeInteger(), fc.maxSafeInteger(), fc.integer({ min: 0, max: 900 })), ([m, b, shift]) => {
      fc.pre(b !== 0)
      const a = m * 2 ** shift
      const [x, y] = [BigInt(a), BigInt(b)]
      expect(floatMod(a, b)).toBe(Number(((x % y) + y) % y))
    }))
  test("quotient and remainder of ints make the dividend", () =>
    holds(fc.tuple(int, int), ([a, b]) => {
      expect((Math.imul(intDiv(a, b), b) + intMod(a, b)) | 0).toBe(a)
    }))
  test("a floor is not above its float by more than a few roundings", () =>
    holds(double, (a) => {
      fc.pre(Math.abs(a) < 2147483647)
      const slack = 3 * Number.EPSILON * Math.abs(a)
      expect(floor(a) - a).toBeLessThanOrEqual(slack)
      expect(a - floor(a)).toBeLessThanOrEqual(1)
      const whole = Math.round(a) + 0
      expect(floor(whole * (1 - Math.sign(whole) * Number.EPSILON))).toBe(whole)
    }))
  test("comparison is a total order", () =>
    holds(fc.tuple(atom, atom), ([x, y]) => {
      fc.pre(typeof x === "number" || typeof y === "number" ? typeof x === typeof y : x.t === y.t)
      expect((less(x, y) as number) + (more(x, y) as number) + (equal(x, y) as number)).toBe(1)
    }))
})

describe("folds", () => {
  const verbs = { "+": plus, "-": minus, "*": times, "&": min, "|": max }
  const numbers = fc.oneof(ints, floats) as fc.Arbitrary<Vector>
  for (const [glyph, verb] of Object.entries(verbs))
    test(`${glyph}/ and ${glyph}\\ are the verb between items`, () =>
      holds(
        fc.tuple(
          numbers,
          fc.oneof(
            int,
            double.map((v) => new Float(v)),
          ),
        ),
        ([x, start]) => {
          fc.pre(count(x) > 0)
          const [first, ...rest] = itemsOf(x)
          const all = scan(verb, first!, rest)
          expect(display(fastPathsOf(glyph).over!(x)!, 15)).toBe(display(all[all.length - 1]!, 15))
          expect(display(fastPathsOf(glyph).scan!(x)!, 15)).toBe(display(collapse(all), 15))
          const from = scan(verb, start, itemsOf(x))
          expect(display(fastPathsOf(glyph).overFrom!(start, x)!, 15)).toBe(display(from[from.length - 1]!, 15))
          // An int that starts floats stays one, which is left to the general loop; only sums make it a float.
          const widened = typeof start === "number" && typeof from[1] !== "number"
          if (widened) from[0] = new Float(start)
          const scanned = fastPathsOf(glyph).scanFrom!(start, x)
          if (widened && glyph !== "+") expect(scanned).toBe(undefined)
          else expect(display(scanned!, 15)).toBe(display(collapse(from), 15))
        },
      ))
  test("each prior is the verb between neighbours", () =>
    holds(numbers, (x) => {
      fc.pre(count(x) > 1)
      const items = itemsOf(x)
      for (const [glyph, verb] of Object.entries({ ...verbs, "%": divide, "!": mod, "<": less, "=": equal }))
        expect(display(fastPathsOf(glyph).eachPrior!(x)!, 17)).toBe(display(collapse(items.slice(1).map((v, i) => verb(v, items[i]!))), 17))
    }))
  test("joining over is joining one after the other", () =>
    holds(list, (x) => {
      fc.pre(count(x) > 0)
      const [first, ...rest] = itemsOf(x)
      same(
        fastPathsOf(",").over!(x)!,
        rest.reduce((made, v) => join(made, v), first!),
      )
    }))
  test("the sum of what is joined is the sum of the sums", () =>
    holds(fc.tuple(ints, ints), ([x, y]) => {
      fc.pre(count(x) > 0 && count(y) > 0)
      expect(sumOf(join(x, y))).toBe(plus(sumOf(x)!, sumOf(y)!))
    }))
  test("so is one of many products, in the same order, to the last bit", () =>
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 600 }),
        fc.constantFrom(32, 33, 63, 200, 4097, 9001),
        fc.integer(),
        fc.boolean(),
        (rows, columns, seed, asFloats) => {
          fc.pre(rows * columns < 300_000)
          const some = (n: number, step: number): Vector =>
            asFloats
              ? new Floats(Float64Array.from({ length: n }, (_, i) => (i % 97 === 5 ? Infinity : 1 / (((seed ^ (i * step)) % 1009) + 0.5))))
              : new Ints(Int32Array.from({ length: n }, (_, i) => Math.imul(seed ^ i, step)))
          const x = some(rows, 7919)
          const matrix = new List(Array.from({ length: rows }, (_, j) => some(columns, 2 * j + 104729)))
          const expected = plain(x, matrix)
          expect(dot(x, matrix)).toEqual(expected)
        },
      ),
      { numRuns: 60 },
    ))
  test("a sum of products is the products summed", () =>
    holds(
      fc.tuple(fc.array(int, { minLength: 1, maxLength: 9 }), fc.integer({ min: 1, max: 9 }), fc.boolean()),
      ([v, columns, asFloats]) => {
        const x: Vector = asFloats ? new Floats(Float64Array.from(v)) : new Ints(Int32Array.from(v))
        const matrix = take(new Ints(Int32Array.of(v.length, columns)), x)
        expect(display(dot(x, matrix), 12)).toBe(display((times(x, matrix) as List).v.reduce(plus), 12))
        expect(display(dot(x, x), 12)).toBe(display(sumOf(times(x, x))!, 12))
      },
    ))
})
