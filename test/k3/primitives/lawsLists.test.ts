/** Laws of structure, order and text, said in K, on values of all kinds. */
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { anything, assign, float, floats, holds, int, ints, number, numbers, printed, sequence, string } from "./lawsText.ts"

describe("structure", () => {
  it("reversing, rotating, taking and dropping are indexing", () =>
    holds(
      { x: sequence, n: fc.integer({ min: -20, max: 20 }).map(String) },
      ["||x", "x"],
      ["|x", "x@-1+(#x)-!#x"],
      ["n!x", ":[0=#x;x;x@(n+!#x)!\\:#x]"],
      ["(-n)!n!x", "x"],
      ["n#x", ":[(0=n)|0=#x;n#x;x@((:[n<0;n;0])+!_abs n)!\\:#x]"],
      ["n _ x", ":[n<0;(0|n+#x)#x;x@n _ !#x]"],
      [":[0=#x;x;(n#x),n _ x]", ":[0=#x;x;(_abs n)>#x;n#x;n<0;(n#x),n _ x;x]"],
    ))
  it("flipping a matrix twice changes nothing, and turns its indices", () =>
    holds(
      { x: sequence, n: fc.integer({ min: 1, max: 4 }).map(String), k: fc.integer({ min: 1, max: 4 }).map(String) },
      [":[0=#x;0;++(n,k)#x]", ":[0=#x;0;(n,k)#x]"],
      [":[0=#x;0;(+(n,k)#x)[k-1;n-1]]", ":[0=#x;0;((n,k)#x)[n-1;k-1]]"],
    ))
  it("cutting and joining makes the whole", () =>
    holds(
      {
        x: sequence,
        n: fc
          .array(fc.nat({ max: 9 }), { maxLength: 4 })
          .map((v) => `(,/(0;${v.toSorted((a, b) => a - b).join(";")}${v.length > 0 ? ";" : ""}()))`),
      },
      [":[(#x)>|/n;,/n _ x;x]", "x"],
    ))
  it("joining over is joining one by one", () =>
    holds({ s: anything, x: anything }, ["s,/x", "s{(x),y}/x"], ["s,/x@<x", "s{(x),y}/x@<x"], ['s,/("";x;())', 's{(x),y}/("";x;())']))
  it("where is each place as often as is said", () =>
    holds(
      { x: fc.array(fc.nat({ max: 3 }), { minLength: 1, maxLength: 9 }).map((v) => `(,/(${v.join(";")};()))`) },
      ["&x", ",/x#'!#x"],
      ["#&x", "+/x"],
    ))
})

describe("order", () => {
  it("a grade is a permutation that sorts, and its grade undoes it", () =>
    holds(
      { x: sequence },
      ["(<x)@<<x", "!#x"],
      ["(>x)@<>x", "!#x"],
      ["(x@<x)@<<x", "x"],
      ["x@<x", "(x@<x)@<x@<x"],
      ["<x@<x", "!#x"],
      [">x@>x", "!#x"],
    ))
  it("what is sorted ascends, of numbers and strings; what is sorted down is it reversed", () =>
    holds({ x: numbers }, [":[1<#x;|/<':x@<x;0]", "0"], [":[1<#x;|/>':x@>x;0]", "0"], ["(x@>x)~x@|<x", "1"]))
  it("distinct items, groups and places belong together", () =>
    holds(
      { x: sequence },
      ["?x", ":[0=#x;x;x@*:'=x]"],
      ["(,/=x)@<,/=x", ":[0=#x;,/=x;!#x]"],
      ["+/#:'=x", "#x"],
      ["x?/:?x", "*:'=x"],
      ["??x", "?x"],
      ["&/x _in\\:?x", ":[0=#x;&/();1]"],
    ))
  it("what is found stands there", () =>
    holds(
      { x: sequence, y: anything },
      ["x?/:x", ":[0=#x;();(x?/:?x)@(?x)?/:x]"],
      ["(y _in x)=(#x)>x?y", "1"],
      ["x _lin x", ":[0=#x;();(#x)#1]"],
    ))
})

describe("text", () => {
  it("what is shown reads back", () => holds({ x: anything }, [". 5:x", "x"], ["5:. 5:x", "5:x"]))
  it("an image is the value", () => holds({ x: anything }, ["_db _bd x", "x"], ["x~_db _bd x", "1"], ["_bd _db _bd x", "_bd x"]))
  it("numbers are read from what they are formatted as", () => {
    holds({ x: int }, ["0$$x", "x"], ["0$(-20)$x", "x"], ["0$20$x", "x"])
    holds({ x: float }, ["0.0$$x", "x"], ["0.0$(-30)$x", "x"])
    holds({ x: ints, y: floats }, [":[#x;0$$x;x]", "x"], [":[#y;0.0$$y;y]", "y"])
  })
  it("a field has its width, its text at the end or the beginning", () =>
    holds(
      { x: fc.oneof(number, string), n: fc.integer({ min: 25, max: 40 }).map(String) },
      ["#n$x", ":[4:x;n;#n$x]"],
      [":[3=_abs 4:x;0;($x)~(-#$x)#n$x]", ":[3=_abs 4:x;0;1]"],
      [":[3=_abs 4:x;0;($x)~(#$x)#(-n)$x]", ":[3=_abs 4:x;0;1]"],
    ))
  it("chars are their codes; a string is found in what holds it", () =>
    holds(
      { x: string, y: string },
      ["_ci _ic x", "x"],
      ["_ic x,y", "(_ic x),_ic y"],
      [":[#y;(#x)_in(x,y)_ss y;1]", ":[#y;(#x)_in(x,y)_ss y;1]"],
      ['_ssr[x;"b";"b"]', "x"],
    ))
  it("a symbol of a string is the string", () =>
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom("a", "b", " ", ".", "1") }), (name) => {
        assign({ x: `,/("${name}";"")` })
        expect(printed("$`$x")).toBe(printed("x"))
      }),
    ))
})

it("match is equality all the way down, both ways", () =>
  holds(
    { x: anything, y: anything },
    ["x~y", "y~x"],
    ["x~x", "1"],
    ["x~y", ":[(4:x)=4:y;:[@x;x~y;(#x)=#y;:[#x;&/x~'y;x~y];0];0]"],
    ["(,x)~,y", "x~y"],
    ["(x;1)~(y;1)", "x~y"],
  ))
