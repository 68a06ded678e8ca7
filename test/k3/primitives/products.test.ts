/** Products of matrices are the sums of products, whichever way they are made. */
import * as fc from "fast-check"
import { expect, it } from "vitest"
import { makeInterpreter } from "../../../src/k3/k3.ts"
import { memoryHost } from "../../lib/memoryHost.ts"

/** Rows by columns of ints that wrap, or of floats of all sizes. */
const matrix = (rows: number, columns: number, float: boolean) =>
  fc.array(float ? fc.double() : fc.integer({ min: -(2 ** 31) + 2, max: 2 ** 31 - 2 }), { minLength: 1, maxLength: 50 }).map((numbers) => {
    const text = (v: number): string => (Number.isNaN(v) ? "0n" : v === Infinity ? "0i" : v === -Infinity ? "-0i" : String(v))
    const all = numbers.map(text)
    return `(${rows} ${columns})#${float ? "0.5*" : ""}${all.length === 1 ? "," : ""}${all.join(" ").replaceAll("e+", "e")}`
  })

it.each([false, true])("a product of matrices is the sums of the products, to the last bit (floats: %s)", (float) => {
  const size = fc.integer({ min: 1, max: 70 })
  fc.assert(
    fc.property(
      fc.tuple(size, size, size).chain(([m, k, n]) => fc.tuple(matrix(m, k, float), matrix(k, n, float))),
      ([x, y]) => {
        const host = memoryHost()
        const interpreter = makeInterpreter(host, {})
        for (const statement of [`x:${x}`, `y:${y}`, "\\p 17", "one:{[r]t:r*y;+/t}'x", "(5:one)~5:x{+/x*y}\\:y", "(5:one)~5:x _mul y"])
          expect(interpreter.evaluate(statement)?.rendered).toBeUndefined()
        expect(host.take()).toBe("1\n1\n")
      },
    ),
    { numRuns: 60 },
  )
})

it.each([
  "2 3#!6;y:3 60000#(!1000)!13",
  "3 5000#(!999)!7;y:5000 37#(!1000)!11",
  "3 8192#0.25;y:8192 9#(!1000)!11*0.5",
  "3 9000#1;y:9000 9#!1000",
])("wide and tall ones: %s", (text) => {
  const host = memoryHost()
  const interpreter = makeInterpreter(host, {})
  for (const statement of [`x:${text}`, "one:{[r]t:r*y;+/t}'x", "one~x _mul y"]) expect(interpreter.evaluate(statement)).toBeUndefined()
  expect(host.take()).toBe("1\n")
})

it("rows that do not fit are refused as ever, mixed ones are multiplied", () => {
  const host = memoryHost()
  const interpreter = makeInterpreter(host, {})
  for (const [statement, name] of [
    ["(60 50#1){+/x*y}\\:49 60#1", "length"],
    ["(60 50#1)_mul 49 60#1", "length"],
    ["(60 50#`a){+/x*y}\\:50 60#1", "type"],
  ])
    expect(interpreter.evaluate(statement!)?.name).toBe(name)
  for (const statement of ["+//(60 50#1)_mul 50 60#0.5", "+//(60 50#1){+/x*y}\\:@[50 60#1;3;0.5*]"]) interpreter.evaluate(statement)
  expect(host.take()).toBe("90000.0\n178200.0\n")
})
