import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { display, numberText } from "../../../src/k3/values/format.ts"
import { char, chars, Dict, Float, Floats, Ints, List, NIL, NULL_INT, sym, Symbols, type Value } from "../../../src/k3/values/value.ts"

const ints = (...v: number[]) => new Ints(Int32Array.from(v))
const floats = (...v: number[]) => new Floats(Float64Array.from(v))
const symbols = (...v: string[]) => new Symbols(Int32Array.from(v, (s) => sym(s).id))
const list = (...v: Value[]) => new List(v)
const dict = (entries: Record<string, Value>) =>
  new Dict(
    Object.keys(entries).map(sym),
    Object.values(entries),
    Object.keys(entries).map(() => NIL),
  )

const shown: readonly (readonly [rule: string, value: Value, text: string])[] = [
  ["1 nil is nothing", NIL, ""],
  ["2 ints", ints(1, -2, NULL_INT, 2147483647, -2147483647), "1 -2 0N 0I -0I"],
  ["3 a float is marked", new Float(3), "3.0"],
  ["3 minus zero", new Float(-0), "-0.0"],
  ["3 seven digits", new Float(1 / 3), "0.3333333"],
  ["3 a million", new Float(1e6), "1000000.0"],
  ["3 large", new Float(1e15), "1e+15"],
  ["3 large by rounding", new Float(9999999.5), "1e+07"],
  ["3 small", new Float(1e-5), "1e-05"],
  ["3 small but shown in full", new Float(0.0001), "0.0001"],
  ["3 names", floats(NaN, Infinity, -Infinity), "0n 0i -0i"],
  ["4 the last item is marked when none shows", floats(2, 4, 6), "2 4 6.0"],
  ["4 no mark when one shows", floats(8.25, 12, 9), "8.25 12 9"],
  ["4 a null shows", floats(10, NaN, 10), "10 0n 10"],
  ["5 escapes", chars('a\n\t\r\b"\\\x01\xff'), '"a\\n\\t\\r\\b\\"\\\\\\001\\377"'],
  ["5 an atom and a vector of one", list(char(97), chars("a")), '("a";,"a")'],
  ["6 symbols", symbols("a", "a.b", "_x", ".k.a", "", "a b", "1a", "."), '`a `a.b `_x `.k.a ` `"a b" `"1a" `"."'],
  ["6 escapes in symbols", sym("hello\nworld"), '`"hello\\nworld"'],
  ["7 one item", list(list(ints(1))), ",,,1"],
  ["8 atoms and strings on one line", list(1, new Float(2.5), chars("hello")), '(1;2.5;"hello")'],
  ["8 strings alone by lines", list(chars("ab"), chars("cd")), '("ab"\n "cd")'],
  ["8 a vector breaks", list(0, ints(4, 6)), "(0\n 4 6)"],
  ["8 empties do not", list(ints(), list(), 1), "(!0;();1)"],
  ["8 nils", list(NIL, NIL, NIL), "(;;)"],
  ["9 depth", list(list(ints(1, 4), ints(1, 5)), list(ints(2, 4), ints(2, 5))), "((1 4\n  1 5)\n (2 4\n  2 5))"],
  ["9 a comma is a column", list(list(ints(1, 2), ints(3, 4))), ",(1 2\n  3 4)"],
  ["9 nil on a line of its own", list(NIL, dict({ x: 2, y: 3 })), "(\n .((`x;2;)\n   (`y;3;)))"],
  ["10 dictionary", dict({ a: 1, b: 2 }), ".((`a;1;)\n  (`b;2;))"],
  ["10 one entry", dict({ a: 1 }), ".,(`a;1;)"],
  ["10 no entry", dict({}), ".()"],
  ["10 a vector in an entry", dict({ type: -1, shape: ints(4), u: 1 }), ".((`type;-1;)\n  (`shape\n   ,4\n   )\n  (`u;1;))"],
  ["empties", list(ints(), floats(), chars(""), symbols(), list()), '(!0;0#0.0;"";0#`;())'],
]

describe("display, by the rules of section 13", () => {
  it.each(shown)("%s", (_rule, value, text) => expect(display(value, 7)).toBe(text))

  it("takes time in proportion to a long vector", () => {
    const text = display(new Ints(Int32Array.from({ length: 300_000 }, (_, i) => i)), 7)
    expect(text.length).toBe(1_988_889)
  })
})

describe("numberText", () => {
  it("with 17 digits is exact", () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.constantFrom(0, 17), (x, precision) => {
        expect(Number(numberText(x, precision))).toBe(x)
      }),
    )
  })
  it("is within half a unit of the last digit shown", () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e300, max: 1e300 }), fc.integer({ min: 1, max: 16 }), (x, p) => {
        expect(Math.abs(Number(numberText(x, p)) - x)).toBeLessThanOrEqual(Math.abs(x) * 0.50001 * 10 ** (1 - p) + 5e-324)
      }),
    )
  })
  it.each([
    [1e-5, 3, "1e-05"],
    [123456, 3, "1.23e+05"],
    [0.00099999, 2, "0.001"],
    [9.9999e-5, 2, "0.0001"],
    [1e100, 7, "1e+100"],
    [-0, 7, "-0"],
  ])("%d to %d digits is %s, as in C", (x, precision, text) => expect(numberText(x, precision)).toBe(text))
})
