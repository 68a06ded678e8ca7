import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { printed } from "../../lib/printed.ts"

describe("_vs and _sv", () => {
  it.each([
    ["2 _vs 0", "!0"],
    ["2 _vs ,0", ",,0"],
    ["2 _sv 2 _vs ,0", ",0"],
    ["2 _sv 2 _vs 0 0", "0 0"],
    ["2 _vs !8", "(0 0 0 0 1 1 1 1\n 0 0 1 1 0 0 1 1\n 0 1 0 1 0 1 0 1)"],
    ["24 60 60 _vs -60", "23 59 0"],
    ["0 100 _vs -100", "-1 0"],
    ["1 1 _vs 0", "0 0"],
    ["24 60 60 _vs 10 1000", "(0 0\n 0 16\n 10 40)"],
    ["10 _sv (1 2;3 4)", "13 24"],
    ["0 1 3 5 _sv 1 2 3 4", "64"],
    ["@[_vs[10];-5;:]", '(1;"domain")'],
    ["@[_vs[1];5;:]", '(1;"domain")'],
    ["@[_vs[10];2.5;:]", '(1;"type")'],
    ["@[_sv[2 2];1 2 3;:]", '(1;"length")'],
  ])("%s", (code, prints) => expect(printed(code)).toBe(prints))

  it("are each other's inverse in one base", () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 1000 }), fc.array(fc.nat(), { minLength: 1, maxLength: 9 }), (base, v) => {
        const x = `(${v.join(" ")})`
        expect(printed(`(${base} _sv ${base} _vs x)~x:,/${x}`)).toBe("1")
      }),
      { numRuns: 30 },
    )
  })
})
