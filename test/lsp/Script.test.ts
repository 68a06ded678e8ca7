/** Names in a script: which variable each stands for. */
import { describe, expect, it } from "vitest"
import { scriptOf } from "../../src/lsp/Script.ts"

const seen = (text: string): readonly string[] =>
  scriptOf(text).occurrences.map(
    ({ path, start, scope, assigns }) => `${start}${scope === undefined ? "" : " local"} ${path}${assigns ? ":" : ""}`,
  )

describe("E2 a script", () => {
  it("knows which names are a function's own", () => {
    expect(seen("a:1\nf:{[b]c:b+a;d::c;e[0]:1;c}")).toEqual([
      "0 .k.a:",
      "4 .k.f:",
      "8 local b:",
      "10 local c:",
      "12 local b",
      "14 .k.a",
      "16 .k.d:",
      "19 local c",
      "21 .k.e:",
      "28 local c",
    ])
  })

  it("has x, y and z as parameters of a function without a list, as far as they are used", () => {
    const { definitions } = scriptOf("f:{x+y}\ng:{[]1}\nh:{z}\ni:{{y}[1;2]}\nj:f'\nk:5 6")
    expect(definitions.map(({ name, parameters, isLiteral }) => [name, parameters, isLiteral])).toEqual([
      ["f", ["x", "y"], false],
      ["g", [], false],
      ["h", ["x", "y", "z"], false],
      ["i", ["x", "y"], false],
      ["j", undefined, false],
      ["k", undefined, true],
    ])
  })

  it("follows \\d, and gives no path twice", () => {
    expect(scriptOf("\\d .lib\nf:1\n\\d ^\n.lib.f\n\\d .k\nlib.f").occurrences.map(({ path }) => path)).toEqual([
      ".lib.f",
      ".lib.f",
      ".k.lib.f",
    ])
  })

  it("passes over strings, comments, symbols and control words", () => {
    expect(seen('s:"a b" / c d\nif[s;`e`f]\n/ g')).toEqual(["0 .k.s:", "17 .k.s"])
  })

  it("knows what is loaded, also behind what cannot be parsed", () => {
    expect(scriptOf("f:{x+(1\n").definitions.map(({ name }) => name)).toEqual(["f"])
    expect(scriptOf("\\l lib\n\\l a.k\n").loads).toEqual([
      { name: "lib", start: 3, end: 6 },
      { name: "a.k", start: 10, end: 13 },
    ])
  })
})
