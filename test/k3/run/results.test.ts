/** The results of a loop are the value that a list of them makes, whatever their kinds, at numbers around those at which vectors are collected. */
import * as fc from "fast-check"
import { expect, it } from "vitest"
import { dimensions, first } from "../../../src/k3/primitives/structure.ts"
import { gathered } from "../../../src/k3/run/Results.ts"
import { imageOf, imageSize } from "../../../src/k3/values/image.ts"
import { match } from "../../../src/k3/values/match.ts"
import { preview } from "../../../src/k3/values/preview.ts"
import { partsOf } from "../../../src/k3/values/Parts.ts"
import { collapse, count, EMPTY_LIST, Float, item, List, NIL, sym, typeOf, vectorOf, type Value } from "../../../src/k3/values/value.ts"

const symbols = ["", "a", "results"].map((text) => sym(text).id)
const numbers: Readonly<Record<number, fc.Arbitrary<number>>> = {
  1: fc.oneof(fc.integer(), fc.constantFrom(0, -2147483648, -2147483647, 2147483647)),
  2: fc.oneof(fc.double(), fc.constantFrom(0, -0, NaN, Infinity, -Infinity, 1 + 1e-14)),
  3: fc.nat(255),
  4: fc.constantFrom(...symbols),
}
/** Lengths around those up to which vectors are collected, in items of 1, 4 and 8 bytes. */
const lengths = fc.constantFrom(0, 0, 1, 2, 3, 7, 31, 32, 33, 63, 64, 65, 255, 256, 257)
const vectors = (t: number): fc.Arbitrary<Value> =>
  fc.tuple(lengths, fc.array(numbers[t]!, { minLength: 1, maxLength: 5 })).map(([n, some]) => {
    const x = vectorOf(t, n)
    for (let i = 0; i < n; i++) x.v[i] = some[i % some.length]!
    return x
  })
const lists = (t: number): fc.Arbitrary<Value> =>
  fc.oneof(
    fc.array(vectors(t), { maxLength: 4 }).map((items) => (items.length === 0 ? EMPTY_LIST : new List(items))),
    vectors(t).map((x) => new List(Array.from({ length: 65 }, () => x))),
  )
const others: readonly Value[] = [0, new Float(NaN), NIL, EMPTY_LIST, new List([1, NIL]), new List([new List([])])]
const types = fc.constantFrom(1, 2, 3, 4)
const kinds = fc.oneof(
  types.chain((t) => fc.array(vectors(t), { minLength: 1, maxLength: 9 })),
  types.chain((t) => fc.array(lists(t), { minLength: 1, maxLength: 9 })),
  fc.array(fc.oneof(types.chain(vectors), types.chain(lists), fc.constantFrom(...others)), { minLength: 1, maxLength: 9 }),
)

/** Compared as bytes: the runner compares large arrays slowly. */
const isSame = (x: Value, y: Value): boolean => Buffer.compare(imageOf(x), imageOf(y)) === 0

it("of any kinds", () => {
  fc.assert(
    fc.property(
      kinds,
      fc.constantFrom(...others, undefined),
      fc.constantFrom(0, 1, 1023, 1024, 1025, 3000),
      fc.nat(3000),
      (some, other, n, at) => {
        const each = (i: number): Value => (i === at && other !== undefined ? other : some[(i * 7) % some.length]!)
        const wanted = collapse(Array.from({ length: n }, (_, i) => each(i)))
        const given = gathered(n, each)
        expect([typeOf(given), count(given)]).toEqual([typeOf(wanted), n])
        expect(imageSize(given)).toBe(imageSize(wanted))
        expect(isSame(given, wanted)).toBe(true)
        expect(imageSize(given, 1000) > 1000).toBe(imageSize(wanted) > 1000)
        expect(dimensions(given)).toEqual(dimensions(wanted))
        expect(preview(given, 7).slice(0, 20)).toBe(preview(wanted, 7).slice(0, 20))
        expect(match(first(given), first(wanted))).toBe(true)
        for (const i of [0, at, n - 1].filter((i) => i >= 0 && i < n)) expect(isSame(item(given, i), item(wanted, i))).toBe(true)
        expect(isSame(new List(given.t === 0 ? [...given.v] : [given]), new List(wanted.t === 0 ? [...wanted.v] : [wanted]))).toBe(true)
      },
    ),
    { numRuns: 15 },
  )
})

it("short vectors, and lists of them, are parts of one vector", () => {
  const text = vectorOf(3, 5)
  for (const x of [text, new List([text, text])]) {
    expect(partsOf(gathered(1024, () => x))).toBeDefined()
    expect(partsOf(gathered(1023, () => x))).toBeUndefined()
  }
})
