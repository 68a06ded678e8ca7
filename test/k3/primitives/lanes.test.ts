/** Verbs in lanes give the results of their definitions, at every length and for every int. */
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { begin } from "../../../src/k3/run/budget.ts"
import { countInLanes, inLanes, type LaneVerb, overInLanes, scanInLanes } from "../../../src/k3/primitives/lanes.ts"
import { intMod } from "../../../src/k3/primitives/rounding.ts"

const verbs: Readonly<Record<LaneVerb, (x: number, y: number) => number>> = {
  plus: (x, y) => (x + y) | 0,
  minus: (x, y) => (x - y) | 0,
  times: Math.imul,
  min: Math.min,
  max: Math.max,
  less: (x, y) => Number(x < y),
  more: (x, y) => Number(x > y),
  equal: (x, y) => Number(x === y),
  mod: intMod,
}

const extremes = [-2147483648, -2147483647, -1, 0, 1, 2147483646, 2147483647]
const int = fc.oneof(fc.integer({ min: -9, max: 9 }), fc.integer(), fc.constantFrom(...extremes))
/** Of some length, or as many as three blocks hold: `n` items, with those given among them. */
const pairs = fc
  .tuple(fc.array(fc.tuple(int, int), { minLength: 1, maxLength: 40 }), fc.constantFrom(1, 3, 1024, 8191, 8192, 8193, 20001))
  .map(([some, n]) => ({
    x: Int32Array.from({ length: n }, (_, i) => some[i % some.length]![0]),
    y: Int32Array.from({ length: n }, (_, i) => some[(i * 7) % some.length]![1]),
  }))

describe.each(Object.keys(verbs) as LaneVerb[])("%s", (verb) => {
  const given = (x: Int32Array | number, y: Int32Array | number, n: number): readonly number[] => {
    const out = new Int32Array(n)
    inLanes(verb, x, y, out)
    return [...out]
  }
  const wanted = (x: Int32Array | number, y: Int32Array | number, n: number): readonly number[] =>
    Array.from({ length: n }, (_, i) => verbs[verb](typeof x === "number" ? x : x[i]!, typeof y === "number" ? y : y[i]!))

  it("of vectors and atoms", () => {
    fc.assert(
      fc.property(pairs, int, ({ x, y }, atom) => {
        const n = x.length
        const divisor = Math.max(1, atom === -2147483648 ? 1 : Math.abs(atom))
        const operands =
          verb === "mod"
            ? ([[x, divisor]] as const)
            : ([
                [x, y],
                [x, atom],
                [atom, y],
              ] as const)
        for (const [left, right] of operands) expect(given(left, right, n)).toEqual(wanted(left, right, n))
      }),
      { numRuns: 12 },
    )
  })
})

it("x mod y, for every y next to a power of two and x next to its multiples", () => {
  const divisors = Array.from({ length: 31 }, (_, bit) => [2 ** bit - 1, 2 ** bit, 2 ** bit + 1])
    .flat()
    .filter((y) => y > 0 && y < 2 ** 31)
  for (const y of divisors) {
    const most = Math.floor(2147483646 / y)
    const multiples = Array.from({ length: 40 }, (_, i) => (i < 20 ? i : most - (i - 20)) * y)
    const x = Int32Array.from([...multiples.flatMap((m) => [m - 1, m, m + 1, -m - 1, -m, 1 - m]), ...extremes])
    const out = new Int32Array(x.length)
    inLanes("mod", x, y, out)
    expect([...out]).toEqual(Array.from(x, (each) => intMod(each, y)))
  }
})

describe.each(["plus", "min", "max"] as const)("%s so far", (verb) => {
  const scanned = (x: Int32Array, start: number): readonly number[] => {
    let s = start
    return Array.from(x, (each) => (s = verbs[verb](s, each)))
  }
  const from = fc.constantFrom(0, 1, 5)

  it("of all", () => {
    fc.assert(
      fc.property(pairs, int, from, ({ x }, start, from) => {
        const [so, left] = overInLanes(verb, x, start, Math.min(from, x.length), x.length)
        expect(x.length - left).toBeLessThan(16)
        expect(so).toBe(scanned(x.subarray(Math.min(from, x.length), left), start).at(-1) ?? start)
      }),
      { numRuns: 30 },
    )
  })

  it("of each and those before it", () => {
    fc.assert(
      fc.property(pairs, int, from, fc.integer({ min: 0, max: 2 }), ({ x }, start, from, at) => {
        const rest = x.subarray(Math.min(from, x.length))
        const out = new Int32Array(at + rest.length)
        scanInLanes(verb, x, start, x.length - rest.length, out, at)
        expect([...out]).toEqual([...new Int32Array(at), ...scanned(rest, start)])
      }),
      { numRuns: 30 },
    )
  })
})

it("the ints from 0 on", () => {
  const out = new Int32Array(20001)
  countInLanes(out)
  expect(out.every((v, i) => v === i)).toBe(true)
})

it("an interrupt stops between blocks", () => {
  begin({ interrupted: () => true, memory: Infinity, room: () => true, steps: Infinity })
  const many = new Int32Array(200_000)
  expect(() => inLanes("plus", many, 2, new Int32Array(200_000))).toThrow("break")
  expect(() => overInLanes("max", many, 0, 0, many.length)).toThrow("break")
  expect(() => scanInLanes("max", many, 0, 0, new Int32Array(200_000), 0)).toThrow("break")
  begin({ interrupted: () => false, memory: Infinity, room: () => true, steps: Infinity })
})
