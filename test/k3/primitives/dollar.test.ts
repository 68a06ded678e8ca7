import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { printed } from "../../lib/printed.ts"

describe("w$x pads", () => {
  it.each([
    ["5$42", '"   42"'],
    ["-5$42", '"42   "'],
    ['7$"hello"', '"  hello"'],
    ["8$`hello", '"   hello"'],
    ["2$2.345", '"**"'],
    ["0$1", '""'],
    ["1$1.0", ',"1"'],
    ["5$_n", '"     "'],
    ["3 4$1 2", '("  1"\n "   2")'],
    ["3$(1 2;`a)", '(("  1"\n  "  2")\n "  a")'],
    ['3 4$"ab"', '(" ab"\n "  ab")'],
    ["5$!0", "()"],
    ["@[$[1 2];3 4 5;:]", '(1;"length")'],
  ])("%s", (code, prints) => expect(printed(code)).toBe(prints))
})

describe("w.d$x fixes decimals", () => {
  it.each([
    ["8.2$3.14159", '"    3.14"'],
    ["7.2$714", '" 714.00"'],
    ["-9.2$714", '"7.14e+02 "'],
    ["10.3$1.5 2", '("     1.500"\n "     2.000")'],
    ["0.0$1", ',"1"'],
    ["0.0$2.5", ',"3"'],
    ["8.2$0N", '"      0N"'],
    ["8.2$0n", '"      0n"'],
    ["30.1$1e22", '"     10000000000000000000000.0"'],
    ["4.2$1234.5", '"****"'],
    ["8.2$-0.0 -0.001 0", '("   -0.00"\n "   -0.00"\n "    0.00")'],
    ["-10.2$-0.0", '"-0.00e+00 "'],
  ])("%s", (code, prints) => expect(printed(code)).toBe(prints))
})

describe("a sample on the left reads strings", () => {
  it.each([
    ['0$"123"', "123"],
    ['0$("12";"-7";"x";" 3 ")', "12 -7 0N 3"],
    ['0$"9999999999"', "0I"],
    ['0.0$"3.14"', "3.14"],
    ['0.0$("1e3";"x")', "1000 0n"],
    ['`$("abc";"d")', "`abc `d"],
    ['" "$"ab"', '"ab"'],
    ['(0;(0.0;`))$("23";("23.4";"abc"))', "(23\n (23.4;`abc))"],
    ['a:5\n{}$("a+1";"a*2")', "6 10"],
    ['{}$"{y*z+x}"', "{y*z+x}"],
    ["@[$[`];5;:]", '(1;"type")'],
  ])("%s", (code, prints) => expect(printed(code)).toBe(prints))

  it("reads back every int that was formatted", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -(2 ** 31) + 2, max: 2 ** 31 - 2 }), { minLength: 1, maxLength: 20 }), (v) => {
        expect(printed(`x:(${v.join(";")})\nx~0$$x`)).toBe("1")
      }),
      { numRuns: 30 },
    )
  })
})

describe("$x", () => {
  it.each([
    ["$-2147483647", '"-0I"'],
    ["$0 -10 99 100", '(,"0"\n "-10"\n "99"\n "100")'],
    ["$1.0", ',"1"'],
    ["$`a`bc", '(,"a"\n "bc")'],
    ['$(1;"abc";`d;_n)', '(,"1"\n "abc"\n ,"d"\n "")'],
    ["$.((`a;1);(`b;2))", '".(..)"'],
    ["$(+/)", '"+/"'],
    ["\\p 3\n$1%3", '"0.333"'],
  ])("%s", (code, prints) => expect(printed(code)).toBe(prints))
})
