/**
 * C2 a definition is checked before it becomes a tool, and all problems are reported together.
 * C3 no defined tool can hide or imitate one of the server's own.
 */
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { checkDefinition, plainName, toolName } from "../../src/define/definition.ts"
import { tools } from "../../src/mcp/tools/index.ts"

const judge = (given: Partial<Parameters<typeof checkDefinition>[0]>) => checkDefinition({ name: "f", code: "{x}", ...given })
const problems = (given: Partial<Parameters<typeof checkDefinition>[0]>) => judge(given).problems

describe("C2", () => {
  it.each([
    ["{x}", ["x"]],
    ["{[a;b] a+b}", ["a", "b"]],
    ["{z}", ["x", "y", "z"]],
    ["{5}", []],
    ["{[] 5}", []],
    ["{[v]\n v+1}", ["v"]],
    ["{x} / twice }", ["x"]],
    [' {#"}{"} ', []],
    ["{[a] {x+1}[a]}", ["a"]],
  ])("%s is a function of %j", (code, names) => {
    expect(problems({ code })).toEqual([])
    expect(judge({ code }).parameters).toEqual(names.map((name) => ({ name, type: "any" })))
  })

  it.each(["", "x", "+/", "{x}+{y}", "{x}[1]", "({x})", "{x", "x}", "{x}\n{y}", "{x};1", "{x}}", '"{x}"', "\\l f", "1;{x}", "{x} {y}"])(
    "%s is no function",
    (code) => {
      expect(problems({ code })[0]).toMatch(/^code: one function in braces/)
    },
  )

  it("parameters are matched by the function's names, else in their order", () => {
    const code = "{[v;n] n#v}"
    expect(judge({ code, parameters: { n: "int", v: "list of float: the samples: all" } }).parameters).toEqual([
      { name: "v", type: "list of float", description: "the samples: all" },
      { name: "n", type: "int" },
    ])
    expect(judge({ code, parameters: { values: "list", count: " int :" } }).parameters).toEqual([
      { name: "values", type: "list" },
      { name: "count", type: "int" },
    ])
    expect(problems({ code, parameters: { values: "list" } })).toEqual(["parameters: 1 are named, and the function takes 2: v, n"])
    expect(problems({ code: "{5}", parameters: { values: "list" } })).toEqual(["parameters: 1 are named, and the function takes none"])
  })

  it("a parameter is given in words or in fields, by name or in a list", () => {
    const code = "{[v;n] n#v}"
    const wanted = [
      { name: "v", type: "list of float", description: "the samples" },
      { name: "n", type: "int" },
    ]
    const v = { type: "list of float", description: "the samples" }
    expect(judge({ code, parameters: { v, n: { type: "int" } } }).parameters).toEqual(wanted)
    expect(
      judge({
        code,
        parameters: [
          { name: "v", ...v },
          { name: "n", type: "int" },
        ],
      }).parameters,
    ).toEqual(wanted)
    expect(judge({ code, parameters: ["v", "n"] }).parameters.map(({ type }) => type)).toEqual(["any", "any"])
    expect(problems({ code, parameters: { v: { type: 7 }, n: null } })[0]).toMatch(/^parameter "v": type "7" is none of/)
    expect(problems({ code: "{x}", parameters: [{ type: "int" }] })[0]).toMatch(/a name is/)
    expect(problems({ code: "{[v;n] n#v}", parameters: { v: "list of numbers", n: { type: "integer" } } })).toEqual([])
    const withDefault = { type: "int", default: 3 }
    for (const given of [{ v: "list", n: withDefault }, ["v", { name: "n", ...withDefault }]])
      expect(problems({ code, parameters: given })).toEqual(['parameter "n": there is no field default; it has type and description'])
  })

  it("all problems are reported together", () => {
    const found = problems({
      name: "no name",
      code: "x".repeat(20_000),
      description: "d".repeat(2000),
      parameters: { session: "int", "a b": "thing", c: `int: ${"d".repeat(300)}` },
    })
    expect(found).toHaveLength(7)
    expect(found.join("").length).toBeLessThan(1200)
  })
})

describe("C3", () => {
  it.each(["k_eval", "kf_k_eval", "K_EVAL", "", "a b", "é", "a".repeat(33), "__proto__", "../x", "1a", "a\n", "con/x"])(
    "%j is no name",
    (name) => {
      expect(problems({ name })).toHaveLength(1)
    },
  )

  it("an accepted name is none of the server's tools", () => {
    const own = new Set(tools.map((tool) => tool.name))
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[a-z][a-z0-9_]{0,31}$/)), (name) => {
        const { problems: found, name: plain } = judge({ name })
        if (found.length > 0) return
        expect(own.has(toolName(plain))).toBe(false)
        expect(toolName(plain)).toMatch(/^kf_[a-z][a-z0-9_]{0,31}$/)
        expect(plainName(toolName(plain))).toBe(plain)
      }),
    )
    for (const name of own) expect(name.startsWith("kf_")).toBe(false)
  })
})
