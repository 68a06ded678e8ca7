/** C1 text of a number is accepted for a number, and text of JSON for a list; a value that does not fit is reported with its place. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import { fit, kindOf, schemaOf, wordOf } from "../../src/define/parameters.ts"

const fitted = (type: string, value: unknown) => Result.merge(Effect.runSync(Effect.result(fit(kindOf(type)!, value, "v"))))

describe("C1 parameters", () => {
  it.each([
    ["int", { type: "integer" }],
    ["float", { type: "number" }],
    ["string", { type: "string" }],
    ["symbol", { type: "string" }],
    ["any", {}],
    ["list", { type: "array", items: {} }],
    ["list of int", { type: "array", items: { type: "integer" } }],
    ["list of lists of floats", undefined],
    ["list of list of float", { type: "array", items: { type: "array", items: { type: "number" } } }],
    ["strange", undefined],
    ["list of", undefined],
    ["", undefined],
  ])("type %s", (type, schema) => {
    const kind = kindOf(type)
    expect(kind && schemaOf(kind)).toEqual(schema)
    if (kind !== undefined) expect(kindOf(wordOf(kind))).toEqual(kind)
  })

  it("text of very many digits that is no number is refused in time", () => {
    expect(fitted("int", `${"1".repeat(300_000)}x`)).toMatch(/^v is an int: give a whole number, not "1+…$/)
    expect(fitted("int", `${"1".repeat(5)}.`)).toBe(11111)
  })

  it("a type nested too deeply is refused", () => {
    expect(kindOf(`${"list of ".repeat(5000)}int`)).toBeUndefined()
  })

  it.each([
    ["int", 5, 5],
    ["int", "12", 12],
    ["int", " -3 ", -3],
    ["int", "1e3", 1000],
    ["int", true, 1],
    ["int", null, null],
    ["int", 1.5, "v is an int: give a whole number, not 1.5"],
    ["int", "x", 'v is an int: give a whole number, not "x"'],
    ["int", 2147483646, 2147483646],
    ["int", 2147483647, "v is an int, and K's have 32 bits: 2147483647 needs type float"],
    ["int", "-2147483648", 'v is an int, and K\'s have 32 bits: "-2147483648" needs type float'],
    ["int", Infinity, "v is an int: give a whole number, not null"],
    ["float", "1.5", 1.5],
    ["float", ".5", 0.5],
    ["float", "0x10", 'v is a float: give a number, not "0x10"'],
    ["float", "", 'v is a float: give a number, not ""'],
    ["float", [1], "v is a float: give a number, not [1]"],
    ["string", "5", "5"],
    ["string", 5, "v is a string: give text, not 5"],
    ["symbol", null, "v is a symbol: give text, not null"],
    ["list of int", "[1,2]", [1, 2]],
    ["list of int", [1, "2", null], [1, 2, null]],
    ["list of int", "1 2", 'v is a list of int: give an array, not "1 2"'],
    ["list of int", 1, "v is a list of int: give an array, not 1"],
    ["list of list of int", [[1], ["a"]], 'v[1][0] is an int: give a whole number, not "a"'],
    ["list", '["a",{"b":1}]', ["a", { b: 1 }]],
    ["any", "12", "12"],
  ])("%s of %j", (type, value, expected) => {
    expect(fitted(type, value)).toEqual(expected)
  })

  it("a long value is cut in the message", () => {
    expect(String(fitted("int", "x".repeat(1000))).length).toBeLessThan(120)
  })
})
