/** Loops over many items give the results item by item, at lengths around those of blocks and tables. */
import * as fc from "fast-check"
import { expect, it } from "vitest"
import { equal, less, more } from "../../../src/k3/primitives/compare.ts"
import { group, unique } from "../../../src/k3/primitives/classes.ts"
import { finder, find, members } from "../../../src/k3/primitives/search.ts"
import { itemsAt } from "../../../src/k3/primitives/structure.ts"
import { verbs } from "../../../src/k3/primitives/table.ts"
import { where } from "../../../src/k3/primitives/where.ts"
import { makeInterpreter } from "../../../src/k3/k3.ts"
import { begin, stepsTaken } from "../../../src/k3/run/budget.ts"
import type { DyadRow } from "../../../src/k3/primitives/Row.ts"
import { compare as order, match } from "../../../src/k3/values/match.ts"
import { listOf } from "../../../src/k3/values/Parts.ts"
import { memoryHost } from "../../lib/memoryHost.ts"
import {
  char,
  Chars,
  chars,
  count,
  Dict,
  EMPTY_LIST,
  Float,
  Floats,
  Ints,
  item,
  List,
  NIL,
  sym,
  Symbols,
  type Value,
  type Vector,
} from "../../../src/k3/values/value.ts"

const lengths = fc.constantFrom(0, 1, 3, 15, 16, 17, 255, 1023, 1024, 1025, 8191, 8192, 8193, 20_001)
const extremes = fc.constantFrom(-2147483648, -2147483647, 2147483647, 0, -1)
/** Of some length, the items given again and again. */
const repeated = (items: readonly number[], n: number): readonly number[] =>
  Array.from({ length: n }, (_, i) => items[(i * 7) % items.length]!)

it.each([
  ["zeros and ones", fc.nat(1)],
  ["few ones", fc.nat(30).map((x) => (x === 0 ? 1 : 0))],
  ["some others", fc.integer({ min: -2, max: 3 })],
] as const)("where: %s", (_, mark) => {
  fc.assert(
    fc.property(fc.array(mark, { minLength: 1, maxLength: 50 }), lengths, (marks, n) => {
      const v = repeated(marks, n)
      const wanted = v.flatMap((times, i) => Array.from({ length: Math.max(0, times) }, () => i))
      expect((where(new Ints(Int32Array.from(v))) as Ints).v).toEqual(Int32Array.from(wanted))
    }),
    { numRuns: 60 },
  )
})

const names = Array.from({ length: 40 }, (_, i) => sym(`many${i}`).id)
type Kind = readonly [string, fc.Arbitrary<number>, (v: readonly number[]) => Vector]
const ints = (v: readonly number[]): Vector => new Ints(Int32Array.from(v))
const kinds: readonly Kind[] = [
  ["ints of a small range", fc.integer({ min: -20, max: 20 }), ints],
  ["any ints", fc.oneof(fc.integer(), extremes, fc.nat(9)), ints],
  ["chars", fc.nat(255), (v) => new Chars(Uint8Array.from(v))],
  ["symbols", fc.constantFrom(...names), (v) => new Symbols(Int32Array.from(v))],
  ["floats", fc.constantFrom(0, -0, 1, 1 + 1e-14, Number.NaN, Infinity, -Infinity, 2.5), (v) => new Floats(Float64Array.from(v))],
]

/** Finding many items gives what finding one by one gives. */
const expectFound = (x: Vector | List, y: Vector | List): void => {
  const wanted = Array.from({ length: count(y) }, (_, i) => find(x, item(y, i)))
  expect([...finder(x, y).v]).toEqual(wanted)
  expect([...members(x, y).v]).toEqual(wanted.map((place) => (place < count(x) ? 1 : 0)))
}

it.each(kinds)("found and members: %s", (_, one, vector) => {
  const some = fc.array(one, { minLength: 1, maxLength: 50 })
  fc.assert(
    fc.property(some, some, lengths, fc.constantFrom(1, 2, 17, 1025), (these, those, m, n) => {
      const x = vector(repeated(these, Math.min(m, 1025)))
      const y = vector(repeated(those, n))
      expectFound(x, y)
    }),
    { numRuns: 60 },
  )
})

const half = new Floats(Float64Array.of(0.5, 1 + 1e-14))
const items: readonly Value[] = [
  0,
  1,
  -2147483648,
  new Float(1),
  new Float(1 + 1e-14),
  new Float(Number.NaN),
  char(97),
  sym("a"),
  NIL,
  chars("a"),
  chars("ab"),
  chars("ba"),
  chars(""),
  EMPTY_LIST,
  ints([1, 2]),
  ints([2, 1]),
  half,
  new Floats(Float64Array.of(0.5, 1)),
  new List([half, chars("ab")]),
  new List([half, chars("ba")]),
  new Dict([sym("a")], [half], [NIL]),
  new Dict([sym("a")], [1], [NIL]),
]
const listed = (places: readonly number[]): List => new List(places.map((place) => items[place]!))

it("found and members: in lists", () => {
  const some = fc.array(fc.nat(items.length - 1), { minLength: 1, maxLength: 50 })
  const ofAnyType = fc.constantFrom(
    listed,
    (v: readonly number[]) => ints(v),
    (v: readonly number[]) => new Chars(Uint8Array.from(v)),
  )
  fc.assert(
    fc.property(some, some, ofAnyType, lengths, fc.constantFrom(1, 2, 8, 9, 17, 1025), (these, those, vector, m, n) => {
      const x = listed(repeated(these, Math.min(m, 1025)))
      const y = vector(repeated(those, n))
      expectFound(x, y)
    }),
    { numRuns: 60 },
  )
})

it("found and members: ints among floats, and floats among ints", () => {
  const int = fc.oneof(extremes, fc.integer({ min: -20, max: 20 }))
  const float = fc.oneof(int, fc.constantFrom(Number.NaN, Infinity, -Infinity, -0, 3 + 1e-13, 3 - 1e-13, 3 + 2e-13))
  const some = <A>(one: fc.Arbitrary<A>) => fc.array(one, { minLength: 1, maxLength: 50 })
  fc.assert(
    fc.property(some(int), some(float), fc.boolean(), lengths, fc.constantFrom(1, 17, 1025), (these, those, turned, m, n) => {
      const places = Math.min(m, 1025)
      const [x, y] = turned
        ? [new Floats(Float64Array.from(repeated(those, places))), ints(repeated(these, n))]
        : [ints(repeated(these, places)), new Floats(Float64Array.from(repeated(those, n)))]
      expectFound(x, y)
    }),
    { numRuns: 60 },
  )
})

/** Steps of a statement after others. */
const stepsOf = (before: readonly string[], code: string): number => {
  const interpreter = makeInterpreter(memoryHost())
  for (const each of before) expect(interpreter.evaluate(each)).toBeUndefined()
  expect(interpreter.evaluate(code)).toBeUndefined()
  return stepsTaken()
}

it.each(["l?/:|l", "l _lin |l", "l _dvl |l", "f?/:|f", "f _lin |f", "f _lin |x", "x?/:|f", "(l,1)?/:|l"])(
  "finding %s takes steps in proportion to the items",
  (code) => {
    const of = (n: number): number => stepsOf([`n:${n}`, "x:(7919*!n)!n", "l:$x", "f:x%3"], `n:${code};`)
    expect(of(8000)).toBeLessThan(6 * of(2000))
  },
)

it.each(kinds)("the places where a comparison holds: %s", (_, one, vector) => {
  const some = fc.array(one, { minLength: 1, maxLength: 50 })
  fc.assert(
    fc.property(some, some, lengths, fc.constantFrom(less, more, equal), (these, those, n, compare) => {
      const x = vector(repeated(these, n))
      const y = vector(repeated(those, n))
      const atom = item(vector([those[0]!]), 0)
      for (const [left, right] of [
        [x, y],
        [x, atom],
        [atom, y],
      ] as const) {
        const holds = compare(left, right) as Ints
        expect(where(holds)).toEqual(ints(Array.from(holds.v.keys()).filter((i) => holds.v[i] === 1)))
      }
    }),
    { numRuns: 60 },
  )
})

it.each(kinds)("items at places, unique and group: %s", (_, one, vector) => {
  fc.assert(
    fc.property(fc.array(one, { minLength: 1, maxLength: 50 }), lengths, (these, n) => {
      const x = vector(repeated(these, Math.max(1, n)))
      const m = x.v.length
      const firsts: number[] = []
      const placesOf = new Map<number, number[]>()
      for (let i = 0; i < m; i++) {
        const same = firsts.find((place) => order(item(x, place), item(x, i)) === 0)
        if (same !== undefined) placesOf.get(same)!.push(i)
        else placesOf.set(firsts[firsts.push(i) - 1]!, [i])
      }
      expect((unique(x) as Vector).v).toEqual(x.v.filter((_, i) => placesOf.has(i)))
      expect((group(x) as List).v.map((places) => (places as Ints).v)).toEqual(firsts.map((place) => Int32Array.from(placesOf.get(place)!)))
      const places = Int32Array.from({ length: n }, (_, i) => (i * 7919) % m)
      expect(itemsAt(x, places).v).toEqual(x.v.map((_, i) => x.v[places[i % Math.max(1, n)]!]!).slice(0, n))
    }),
    { numRuns: 40 },
  )
})

it.each([-1, -8, 20_001, 2147483647, -2147483648])("there is no item at %d, wherever that stands among places", (missing) => {
  for (const at of [0, 1, 3, 8191, 8192, 20_000]) {
    const places = new Int32Array(20_001)
    places[at] = missing
    expect(() => itemsAt(new Ints(new Int32Array(20_001)), places)).toThrow(expect.objectContaining({ kind: "index" }))
  }
})

/** A list whose items are not made. */
const partsList = (of: Vector, parts: readonly (readonly [start: number, end: number])[]): List =>
  listOf({ of, starts: Int32Array.from(parts, ([start]) => start), ends: Int32Array.from(parts, ([, end]) => end) })
const fastPathsOf = (glyph: string): NonNullable<DyadRow["fast"]> =>
  (verbs.find((row): row is DyadRow => row.valence === 2 && row.glyph === glyph) as DyadRow).fast!

it.each(["+", "-", "*", "|", "&"])("the fold of each part is that of each vector: %s", (glyph) => {
  const { over, overEach } = fastPathsOf(glyph)
  const size = fc.constantFrom(1, 2, 5, 16, 255, 1023, 1024, 1025, 8193, 20_001)
  for (const [name, one, vector] of kinds) {
    if (name === "chars" || name === "symbols") continue
    fc.assert(
      fc.property(fc.array(one, { minLength: 1, maxLength: 50 }), fc.array(size, { minLength: 1, maxLength: 9 }), (these, sizes) => {
        const x = vector(repeated(these, 20_001))
        const parts = Array.from({ length: 1024 }, (_, i) => {
          const n = i < sizes.length ? sizes[i]! : 1 + (i % 7)
          const start = (i * 7919) % (20_002 - n)
          return [start, start + n] as const
        })
        const folded = overEach!(partsList(x, parts)) as Vector
        const wanted = parts.map(([start, end]) => over!(vector([...x.v.subarray(start, end)])))
        expect(wanted.every((each, i) => match(each!, item(folded, i)))).toBe(true)
        expect(folded.t).toBe(x.t)
        expect(overEach!(partsList(x, [...parts, [3, 3]]))).toBeUndefined()
        expect(overEach!(x)).toBeUndefined()
      }),
      { numRuns: 8 },
    )
  }
})

it("an interrupt stops the fold of parts", () => {
  const parts = partsList(
    ints(repeated([1], 20_000)),
    Array.from({ length: 1024 }, () => [0, 20_000] as const),
  )
  begin({ interrupted: () => true, memory: Infinity, room: () => true, steps: Infinity })
  expect(() => fastPathsOf("+").overEach!(parts)).toThrow("break")
  expect(() => fastPathsOf("-").overEach!(parts)).toThrow("break")
  begin({ interrupted: () => false, memory: Infinity, room: () => true, steps: Infinity })
})

it("unique of dictionaries with the same keys takes a few steps for each, as unique of lists does", () => {
  const host = memoryHost()
  const k = makeInterpreter(host, { steps: 200_000 })
  for (const items of ["x,0.5", ".,(`a;x)", ".((`a;x);(`b;1 2))"]) {
    expect(k.evaluate(`#?{${items}}'!2000`)).toBeUndefined()
    expect(host.take()).toBe("2000\n")
  }
})
