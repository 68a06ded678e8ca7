/** The variables that names in a script stand for. */
import { describe, expect, it } from "vitest"
import { analysisOf } from "../../src/lsp/Analysis.ts"

const seen = (text: string): readonly string[] =>
  analysisOf(text).occurrences.map(
    ({ path, start, scope, assigns }) => `${start}${scope === undefined ? "" : " local"} ${path}${assigns ? ":" : ""}`,
  )

describe("E2 a script", () => {
  it("recognises the local names of a function", () => {
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

  it("of very many parameters, or of brackets that nothing closes, is analysed", () => {
    expect(analysisOf(`f:{[a${";b".repeat(200_000)}]a}`).definitions[0]!.parameters).toHaveLength(200_001)
    expect(analysisOf("a[".repeat(200_000)).occurrences).toHaveLength(200_000)
  })

  it("gives a function without a list the parameters x, y and z up to the last used one", () => {
    const { definitions } = analysisOf("f:{x+y}\ng:{[]1}\nh:{z}\ni:{{y}[1;2]}\nj:f'\nk:5 6")
    expect(definitions.map(({ name, parameters, isLiteral }) => [name, parameters, isLiteral])).toEqual([
      ["f", ["x", "y"], false],
      ["g", [], false],
      ["h", ["x", "y", "z"], false],
      ["i", ["x", "y"], false],
      ["j", undefined, false],
      ["k", undefined, true],
    ])
  })

  it("follows \\d, and gives each variable one path", () => {
    expect(analysisOf("\\d .lib\nf:1\n\\d ^\n.lib.f\n\\d .k\nlib.f").occurrences.map(({ path }) => path)).toEqual([
      ".lib.f",
      ".lib.f",
      ".k.lib.f",
    ])
    expect(analysisOf("\\d ^\na:1\n\\d .k\n.a").occurrences.map(({ path }) => path)).toEqual([".a", ".a"])
  })

  it("ignores strings, comments, symbols and control words", () => {
    expect(seen('s:"a b" / c d\nif[s;`e`f]\n/ g')).toEqual(["0 .k.s:", "17 .k.s"])
  })

  it("finds loaded scripts, also after text that cannot be parsed", () => {
    expect(analysisOf("f:{x+(1\n").definitions.map(({ name }) => name)).toEqual(["f"])
    expect(analysisOf("\\l lib\n\\l a.k\n").loads).toEqual([
      { name: "lib", start: 3, end: 6 },
      { name: "a.k", start: 10, end: 13 },
    ])
  })

  it("is analysed in time that grows with its length, however deep its functions are nested or many there are", () => {
    const many = 20_000
    expect(analysisOf(`${"{".repeat(many)}a`).occurrences).toHaveLength(1)
    expect(analysisOf(`(${"{[a]b:a};".repeat(many)}1)`).occurrences).toHaveLength(3 * many)
    expect(analysisOf(`(${"a:1;".repeat(3 * many)}1)`).definitions).toHaveLength(3 * many)
  }, 30_000)
})
