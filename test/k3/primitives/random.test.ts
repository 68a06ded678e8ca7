import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { printed } from "../../lib/printed.ts"

describe("_draw", () => {
  it("gives the same numbers for the same seed, others after them", () => {
    expect(printed("\\r 7\na:9 _draw 1000\nb:9 _draw 1000\n\\r 7\n(a~9 _draw 1000;a~b)")).toBe("1 0")
  })
  it("deals different numbers of the range, however sparse", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: 100_000 }), (n, wider) => {
        expect(printed(`x:${n} _draw ${-n - wider}\n((#?x)=#x;&/(x>-1)&x<${n + wider})`)).toBe("1 1")
      }),
      { numRuns: 30 },
    )
  })
  it.each([
    ["x:1000 _draw 3\n?x[<x]", "0 1 2"],
    ["x:1000 _draw 0\n&/(x>-1.0)&x<1", "1"],
    ["^2 3 4 _draw 5", "2 3 4"],
    ["4:2 0 _draw 0", "0"],
    ["#0 _draw 5", "0"],
    ["@[_draw[5];-4;:]", '(1;"length")'],
    ["@[_draw[5];`a;:]", '(1;"type")'],
    ["@[_draw[-5];4;:]", '(1;"domain")'],
  ])("%s", (code, prints) => expect(printed(code)).toBe(prints))
})
