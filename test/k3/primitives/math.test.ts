import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { printed } from "../../lib/printed.ts"
import { printed as limited } from "../../lib/session.ts"

describe("elementary functions", () => {
  it.each([
    ["_sqrt (1 4;9)", "(1 2.0\n 3.0)"],
    ["_sin ()", "()"],
    ["_exp 0N 0I", "0 0i"],
    ["0N 1 _dot 1.5 2", "-3.221225e+09"],
    ["((!0) _dot 1.5;(!0) _dot !0;2.5 _dot 0#0.0;() _dot ())", "(0.0;0;0.0;0)"],
    ["_abs 0I -0I 3", "0I 0I 3"],
    ["@[_sin;`a;:]", '(1;"type")'],
    ["@[_sin;(0;);:]", '(1;"type")'],
    ["-7 _div 2", "-4"],
    ["7 _div 0 -2", "0I -4"],
    ["7.5 _div 2", "3"],
    ["0N 0I _div 1", "0N 0I"],
    ["0N _div -1", "0N"],
    ["0N 5 0 _div 0", "-0I 0I 0N"],
    ["0.3 4.2 100.3 _div 0.1 0.7 0.1", "3 6 1003"],
    ["-1e-14 2.9999999999999 _div 3", "0 1"],
    ["0i 1e20 0n _div 3", "0I 0I 0N"],
  ])("%s", (code, prints) => expect(printed(code)).toBe(prints))
})

describe("linear algebra", () => {
  it.each([
    ["(1 2 3;4 5 6) _dot (7 8 9;10 11 12)", "47 71 99"],
    ["1 2 _dot (3 4;5 6)", "13 16"],
    ["1 2 _dot (!0;!0)", "!0"],
    ["((,-0.0) _dot ,1.0;+/(,-0.0)*,1.0)", "-0 -0.0"],
    ["1 2 _dot (1 2;0.5 1)", "2 4.0"],
    ["2 _dot 1 2 3", "12"],
    ["1.5 2 _dot 2 4", "11.0"],
    ["100000 100000 _dot 100000 100000", "-1474836480"],
    ["10 10 _mul 20 20", "400 400"],
    ["(1 2;3 4) _mul (1 0;0 1.0)", "(1 2.0\n 3 4.0)"],
    ["@[_dot[1 2];1 2 3;:]", '(1;"length")'],
    ["@[_inv;(1 2;2 4);:]", '(1;"domain")'],
    ["@[_inv;(1 2 3;4 5 6;7 8 9);:]", '(1;"domain")'],
    ["@[_inv;(1 2 3;4 5 6);:]", '(1;"length")'],
    ["@[_inv;1 2 3;:]", '(1;"rank")'],
    ["(2 3 4;4 6 8) _lsq (1 1 1;1 2 3)", "(1 1.0\n 2 2.0)"],
    ["@[_lsq[1 2 3];(1 1 1;2 2 2);:]", '(1;"domain")'],
    ["@[_lsq[1 2];(1 1 1;1 2 3);:]", '(1;"length")'],
  ])("%s", (code, prints) => expect(printed(code)).toBe(prints))

  it.each(["m _dot m", "1 _dot m", "m _dot 1"])("%s makes no floats of ints", (code) => {
    expect(limited(`m:300 300#!90000\nr:${code}\n#r`, { steps: 200_000 })).toBe("300")
  })

  it("a matrix times its inverse is the identity", () => {
    const entry = fc.integer({ min: -9, max: 9 })
    fc.assert(
      fc.property(fc.array(fc.tuple(entry, entry, entry), { minLength: 3, maxLength: 3 }), (rows) => {
        // Made diagonally dominant, so that it has an inverse.
        const a = `(${rows.map((row, i) => row.map((v, j) => (i === j ? v + 40 : v)).join(" ")).join(";")})`
        expect(printed(`a:${a}\n1e-9>|/,/_abs (a _mul _inv a)-(1 0 0;0 1 0;0 0 1)`)).toBe("1")
      }),
      { numRuns: 30 },
    )
  })
})
