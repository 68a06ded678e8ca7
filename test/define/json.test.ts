/**
 * JSON to K and back, through the language itself: the K text is evaluated, and the image of its value is read.
 *
 * C1 JSON becomes K and K becomes JSON by the tables in `toK.ts` and `fromImage.ts`, exactly; nothing in a text ends the expression.
 */
import * as fc from "fast-check"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { argumentsOf } from "../../src/define/call.ts"
import { fromImage } from "../../src/define/fromImage.ts"
import { fit } from "../../src/define/parameters.ts"
import { argumentsText, toK } from "../../src/define/toK.ts"
import { makeConsole } from "../lib/session.ts"
import { asRead, json } from "./values.ts"

const { k, host } = makeConsole()

/** The JSON of the value of K code. */
const valueOf = (code: string) => {
  const { failure, image } = k.imaged(code, { most: 2 ** 20 })
  host.take()
  if (image === undefined) throw new Error(failure?.rendered ?? "no image")
  return fromImage(image, "embedded")
}

/** The result of the effect, and how often other work of the process ran meanwhile. */
const withTurns = async <A>(effect: Effect.Effect<A, unknown>) => {
  let turns = 0
  const count = (): void => {
    turns++
    counting = setImmediate(count)
  }
  let counting = setImmediate(count)
  const result = await Effect.runPromise(effect)
  clearImmediate(counting)
  return { result, turns }
}

const written = (value: unknown): string => Effect.runSync(toK(value))

describe("C1", () => {
  it("every JSON value is unchanged after the way to K and back, alone and as an argument", () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(valueOf(written(value))).toEqual({ value: asRead(value), printed: [] })
        expect(valueOf(`({[a] a}) . ${argumentsText([written(value)])}`)!.value).toEqual(asRead(value))
        expect(valueOf(`({[a;b;c] (c;b;a)}) . ${argumentsText([written(value), "7", written([value])])}`)!.value).toEqual([
          [asRead(value)],
          7,
          asRead(value),
        ])
      }),
      { numRuns: 400 },
    )
  })

  it("a text is only data: no text runs code", () => {
    for (const text of [
      '");x:1;("',
      "\\",
      '\\"',
      "\n\\\\\n",
      "\x01\x02",
      "}];.k.x:1;{[",
      " / comment",
      '`"',
      "\u0000é日🎉",
      "a".repeat(9) + "\r\n\t",
    ])
      for (const value of [text, [text], { [text.replaceAll("\0", "")]: text }, [[text, 1]]])
        expect(valueOf(`({[a] a}) . ${argumentsText([written(value)])}`)!.value).toEqual(value)
    expect(k.names(".k").map(({ name }) => name)).not.toContain("x")
  })

  it.each([
    ["1", 1],
    ["2147483646", 2147483646],
    ["2147483647.0", 2147483647],
    ["-2147483648.0", -2147483648],
    ["0.1", 0.1],
    ["-0.0", -0],
    ["0i", Infinity],
    ["1", true],
    ["_n", null],
    ["()", []],
    ["1 2", [1, 2]],
    [",1", [1]],
    ["1.0 2.5", [1, 2.5]],
    ["1 0N", [1, null]],
    ["(_n;_n)", [null, null]],
    ['("ab";,"c")', ["ab", "c"]],
    ["(1;`a)", undefined],
    [".()", {}],
    [".,(`a;1)", { a: 1 }],
    ['.((`a;1);(`"b c";,"x"))', { a: 1, "b c": "x" }],
    ['"\\303\\251\\000\\""', 'é\0"'],
  ])("%s", (text, value) => {
    if (value !== undefined) expect(written(value)).toBe(text)
  })

  it.each([
    ["int", [], "!0"],
    ["int", [1, null], "1 0N"],
    ["float", [], "0#0.0"],
    ["float", [1, null], "1.0 0n"],
    ["symbol", ["a", "b c"], '`a`"b c"'],
    ["symbol", [], "0#`"],
    ["float", 3, "3.0"],
    ["int", null, "0N"],
    ["symbol", "", "`"],
  ] as const)("as %s %j is %s", (kind, value, text) => {
    expect(Effect.runSync(toK(value, Array.isArray(value) ? { listOf: kind } : kind))).toBe(text)
  })

  it("values that K cannot hold are refused with the reason", () => {
    let deep: unknown = 1
    for (let i = 0; i < 60; i++) deep = [deep]
    for (const [value, why] of [
      [{ "a\0": 1 }, /NUL/],
      ["\ud800", /surrogate/],
      [deep, /nesting/],
    ] as const)
      expect(Effect.runSync(Effect.flip(toK(value)))).toMatch(why)
  })

  it.each([
    ["a list", Array.from({ length: 200_000 }, (_, i) => i)],
    ["a list of dictionaries", Array.from({ length: 5000 }, (_, i) => ({ i, list: ["a", i] }))],
    ["a text with much to escape", "\n".repeat(200_000)],
    ["a text with many quotes", '"\\'.repeat(100_000)],
    ["a list of long texts", Array.from({ length: 60 }, () => "ü".repeat(5000))],
    ["a dictionary with long keys", [Object.fromEntries(Array.from({ length: 60 }, (__, i) => [`${"ü".repeat(5000)}${i}`, i]))]],
  ])("other work runs while %s is converted, and its text is whole", async (_, value) => {
    const { result, turns } = await withTurns(toK(value))
    expect(turns).toBeGreaterThan(3)
    expect(valueOf(`#${result}`)!.value).toBe(value.length)
  })

  it("other work runs while a list is converted to the type of a parameter", async () => {
    const list = Array.from({ length: 100_000 }, (_, i) => i)
    const { result, turns } = await withTurns(fit({ listOf: "int" }, list, "v"))
    expect(turns).toBeGreaterThan(3)
    expect(result).toEqual(list)
  })

  it("other work runs while many arguments are converted", async () => {
    const given = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`a${i}`, "ü".repeat(5000)]))
    const { result, turns } = await withTurns(argumentsOf(given))
    expect(turns).toBeGreaterThan(3)
    expect(result.map(({ name }) => name)).toEqual(Object.keys(given))
  })

  it.each([
    ["0N", null, []],
    ["1 0N 2", [1, null, 2], []],
    ["0n", null, []],
    ["(1;0I;-0i)", [1, "0I", "-0i"], ["/1", "/2"]],
    ["{x+1}", "{x+1}", [""]],
    ["(1;+)", [1, "+"], ["/1"]],
    ["`a`b", ["a", "b"], []],
    ['"a"', "a", []],
    ['"\\377"', '"\\377"', [""]],
    ['(`"\\377";`a)', ['`"\\377"', "a"], ["/0"]],
    ["!0", [], []],
    ["0#`", [], []],
    ['""', "", []],
    [".((`a;1;.,(`u;2));(`b;2))", undefined, [""]],
    [".,(`a;.,(`b;0i))", { a: { b: "0i" } }, ["/a/b"]],
    ['.,(`"a/b~";0i)', { "a/b~": "0i" }, ["/a~1b~0"]],
    ['.,(`"__proto__";1)', JSON.parse('{"__proto__":1}'), []],
  ])("%s of K is %j", (code, value, printed) => {
    const found = valueOf(code)!
    expect(found.printed).toEqual(printed)
    if (value !== undefined) expect(JSON.stringify(found.value)).toBe(JSON.stringify(value))
    else expect(typeof found.value).toBe("string")
  })

  it("a value shown as printed text evaluates from that text, also when the text is only its image", () => {
    const code = ".,(`a;(+;-);.,(`u;2))"
    expect(valueOf(`(${String(valueOf(code)!.value)})~${code}`)).toEqual({ value: 1, printed: [] })
  })

  it("bytes that are no image give undefined", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), (bytes) => void fromImage(bytes, "embedded")),
      { numRuns: 300 },
    )
    expect(fromImage(new Uint8Array(4), "embedded")).toBeUndefined()
  })
})
