/** R6 B7 captured variables in the encoding of the other engine. */
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type Contents, empty, type Variable } from "../../../src/child/Contents.ts"
import { translated } from "../../../src/child/engines/translated.ts"
import { TreeEvaluator } from "../../../src/k3/interpreter/TreeEvaluator.ts"
import { Interpreter } from "../../../src/k3/interpreter/Interpreter.ts"
import { imageOf } from "../../../src/k3/values/image.ts"
import { memoryHost } from "../../lib/memoryHost.ts"
import { data } from "../../lib/values.ts"

const k = new TreeEvaluator(memoryHost())
const interpreter = new Interpreter(k, {})
const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64")

const holding = (image: string | undefined, rest: Partial<Variable> = {}): Contents => {
  const variable: Variable = { path: ".k.x", type: 0, shape: "", bytes: 0, text: "", image, ...rest }
  return { ...empty, variables: new Map([[variable.path, variable]]) }
}
const imageIn = (code: string): string => {
  interpreter.evaluate(`x:${code}`)
  return base64(imageOf(k.variables.lookup("x")))
}
const listed = ({ variables }: Contents) => [...variables.values()].map(({ path, image, why }) => [path, image ?? why])
const given = (code: string) => listed(translated(holding(imageIn(code)), "embedded", "k3csharp"))

describe("to K3CSharp", () => {
  it("data become an expression of their image, and on the way back the same image", () => {
    fc.assert(
      fc.property(data, (x) => {
        const image = base64(imageOf(x))
        const there = translated(holding(image), "embedded", "k3csharp")
        expect(there.variables.get(".k.x")?.image).toMatch(/^_db _ci 1 0 0 0 /)
        expect(translated(there, "k3csharp", "embedded").variables.get(".k.x")?.image).toBe(image)
      }),
    )
  })

  it("a function becomes its text, with decoded letters", () => {
    expect(given('{x,"\\303\\244"}')).toEqual([[".k.x", '{x,"\\303\\244"}']])
    expect(listed(translated(translated(holding(imageIn("{x+1}")), "embedded", "k3csharp"), "k3csharp", "embedded"))).toEqual([
      [".k.x", "{x+1}"],
    ])
  })

  it("a function's text that came from K3CSharp, and was not captured since, goes back as it is", () => {
    const variable = { type: 7, why: "look at it" }
    const there = translated(holding("{x+1}", variable), "k3csharp", "embedded")
    expect(translated(there, "embedded", "k3csharp").variables.get(".k.x")).toMatchObject({ ...variable, image: "{x+1}" })
  })

  it("a dictionary with functions becomes a variable for each entry", () => {
    expect(given(".((`p;1);(`q;{x+1}))")).toEqual([
      [".k.x.p", "_db _ci 1 0 0 0 8 0 0 0 1 0 0 0 1 0 0 0"],
      [".k.x.q", "{x+1}"],
    ])
  })

  it.each([
    ["(1;{x})", "K3CSharp does not bring back functions in a list"],
    ["{[n]{x+n}}3", "it holds variables of the function that made it, which K3CSharp does not keep"],
    ["+/", "K3CSharp is given functions in braces only"],
    ['. "{\\"\\377\\"}"', "its text has bytes that are no UTF-8"],
    ["!100000", /^its 400016 bytes are more than the 262144/],
  ])("%s is left out by name", (code, why) => {
    expect(given(code)).toEqual([[".k.x", typeof why === "string" ? why : expect.stringMatching(why)]])
  })

  it("attributes are named as lost, with or without a value", () => {
    const attributes = imageIn(".,(`t;1)")
    const [[, image]] = given("5") as [[string, string]]
    const there = translated(holding(imageIn("5"), { attributes }), "embedded", "k3csharp").variables.get(".k.x")
    expect(there).toMatchObject({ image, why: "K3CSharp has no attributes to give it" })
    expect(there).not.toHaveProperty("attributes")
    expect(listed(translated(holding(undefined, { attributes }), "embedded", "k3csharp"))).toEqual([
      [".k.x", "K3CSharp has no attributes to give it"],
    ])
  })
})

describe("from K3CSharp", () => {
  it.each([
    ["()", 0],
    ["!0", -1],
    ["0#0.0", -2],
    ['""', -3],
    ["0#`", -4],
  ])("%s is the empty list of its type", (text, type) => {
    expect(listed(translated(holding(text, { type }), "k3csharp", "embedded"))).toEqual([[".k.x", imageIn(text)]])
  })

  it("text with letters beyond Latin-1 is left out by name", () => {
    expect(listed(translated(holding('"a☃b"', { type: -3 }), "k3csharp", "embedded"))).toEqual([
      [".k.x", "it has letters beyond Latin-1, or was kept by an earlier version"],
    ])
  })

  it("a function with an adverb, in K3CSharp's own notation, is left out by name", () => {
    expect(listed(translated(holding("over(+)", { type: 7 }), "k3csharp", "embedded"))).toEqual([
      [".k.x", "K3CSharp writes it as over(+), which is no K"],
    ])
  })
})
