/** Laws of numbers, said in K: remainders, quotients, comparison, searches and digits, on extremes, near values, nulls and empties. */
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { assign, double, float, floats, floatText, holds, int, ints, number, numbers, printed, someNumbers } from "./lawsText.ts"

const truth = "1\n"

describe("remainder and quotient", () => {
  it("of ints: the remainder has the divisor's range and sign, and makes the dividend with the quotient, wrapping", () =>
    holds(
      { x: ints, y: int },
      ["(y=0)|x~(x!y)+y*x _div y", "1"],
      ["&/(y=0)|(0=x!y)|(0>y)=0>x!y", "1"],
      ["&/(y=0)|(y=0N)|(x=0N)|(_abs x!y)<_abs y", "1"],
    ))
  it("of floats: the same, within the tolerance", () =>
    holds(
      { x: floats, y: float.filter((text) => !/n|i|^-?0\.0$/.test(text)) },
      ["&/(0=x!y)|(x=-0i)|(x=0i)|(0n~'x)|(0>y)=0>x!y", "1"],
      ["&/(x=-0i)|(x=0i)|(0n~'x)|(0=x!y)|~(_abs x!y)>_abs y", "1"],
    ))
  it("of floats whose quotient is an int: y times the quotient plus the remainder is x", () =>
    fc.assert(
      fc.property(double, double, (x, y) => {
        fc.pre(Number.isFinite(x) && Number.isFinite(y) && y !== 0 && Math.abs(x / y) < 2147483646)
        assign({ x: floatText(x), y: floatText(y) })
        expect(printed("2e-13>(_abs x-(x!y)+y*x _div y)%(_abs x)|_abs y")).toBe(truth)
      }),
    ))
  it("of vectors are those of their items", () =>
    holds({ x: someNumbers, y: number }, ["x!y", "x!\\:y"], ["x _div y", "x _div\\:y"], ["y _div x", "y _div/:x"]))
  it("a floor is the quotient by 1", () => holds({ x: ints }, ["_ x", "x _div 1"], ["_ x", "x"]))
  it("a floor does not exceed its number but for a few roundings, and is less than 1 below it", () =>
    holds({ x: floats }, ["&/(2147483645<_abs x)|(0n~'x)|(~1<x-_ x)&~0<((_ x)-x)-1e-15*_abs x", "1"]))
})

describe("comparison", () => {
  it("goes both ways", () =>
    holds({ x: number, y: number }, ["x<y", "y>x"], ["x=y", "y=x"], ["x=y", "~(x<y)|x>y"], ["x&y", "y&x"], ["x|y", "y|x"]))
  it("is one with min and max", () =>
    holds({ x: ints, y: int }, ["x&y", ":[0=#x;x;{:[x<y;x;y]}[;y]'x]"], ["x|y", ":[0=#x;x;{:[x>y;x;y]}[;y]'x]"]))
  it("of numbers far apart is order", () =>
    fc.assert(
      fc.property(double, double, (x, y) => {
        fc.pre(Math.abs(x - y) > 1e-12 * Math.max(Math.abs(x), Math.abs(y)))
        assign({ x: floatText(x), y: floatText(y) })
        expect(printed("(x<y;x>y;x=y)")).toBe(x < y ? "1 0 0\n" : "0 1 0\n")
      }),
    ))
  it("tolerates a relative 1e-14 and no 1e-12", () =>
    fc.assert(
      fc.property(fc.double({ min: 1e-290, max: 1e290, noNaN: true }), fc.boolean(), (v, negative) => {
        const x = negative ? -v : v
        assign({ x: floatText(x), y: floatText(x * (1 + 1e-14)), z: floatText(x * (1 + 1e-12)) })
        expect(printed("(x=y;x~y;(,x)?y;y _in,x;#(,x)_dv y;x=z;x~z;(,x)?z;z _in,x;#(,x)_dv z)")).toBe("1 1 0 1 0 0 0 1 0 1\n")
        expect(printed("((,x)_bin y;(,x)_bin z;(,z)_bin x;(,y)_bin x)")).toBe(negative ? "0 0 1 0\n" : "0 1 0 0\n")
      }),
    ))
})

describe("searching", () => {
  it("_dv is _dvl of one item, and _dvl is _dv of each", () =>
    holds({ x: fc.oneof(ints, floats), y: number, z: numbers }, ["x _dv y", "x _dvl,y"], ["x _dvl z", "x _dv/z"]))
  it("_dvl keeps what _lin does not find, and ? does not either", () =>
    holds({ x: someNumbers, y: numbers }, ["x _dvl y", "x@&~x _lin y"], ["x _lin y", "{(#y)>y?x}[;y]'x"], ["x _lin y", "x _in\\:y"]))
  it("_bin finds what ? finds in what ascends, and else the place before which it would stand", () =>
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.integer({ min: -99, max: 99 }), { minLength: 1 }),
        fc.boolean(),
        fc.constantFrom(0, 1e-15, -1e-15),
        (v, float, e) => {
          const sorted = v.toSorted((a, b) => a - b)
          const text = (items: readonly number[]): string => `,/(${items.map((n) => (float ? floatText(n * (1 + e)) : n)).join(";")};())`
          assign({ x: `,/(${sorted.map((n) => (float ? `${n}.0` : n)).join(";")};())`, y: text(v) })
          expect(printed("x _binl y")).toBe(printed("x?/:y"))
          expect(printed("x _binl y+0.5")).toBe(printed("{+/x>y}[;x]'y+0.5"))
          expect(printed("x _binl y")).toBe(printed("x _bin/:y"))
        },
      ),
    ))
})

describe("digits", () => {
  // Zeros alone have no digits, which does not tell how many they are.
  const numbers = fc.array(fc.nat({ max: 2147483646 }), { minLength: 1 }).filter((v) => v.some((n) => n > 0))
  it("a number is the value of its digits", () =>
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 99 }), numbers, (base, v) => {
        assign({ x: String(base), y: `,/(${v.join(";")};())` })
        expect(printed("x _sv x _vs y")).toBe(printed("y"))
        expect(printed("&/x>,//x _vs y")).toBe(truth)
        expect(printed("{x _sv x _vs y}[x]'y")).toBe(printed("y"))
      }),
    ))
  it("in mixed bases too", () => holds({ x: fc.integer({ min: 0, max: 604799 }).map(String) }, ["7 24 60 60 _sv 7 24 60 60 _vs x", "x"]))
  it("a day is the day of its date from the year 1 on, and dates ascend with days", () =>
    fc.assert(
      fc.property(fc.integer({ min: -742_900, max: 2_900_000 }), (day) => {
        assign({ x: String(day) })
        expect(printed("_jd _dj x")).toBe(printed("x"))
        expect(printed("(_dj x)<_dj x+1")).toBe(truth)
      }),
    ))
})
