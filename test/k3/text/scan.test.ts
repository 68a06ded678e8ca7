/** Strings, comments and brackets are the same to everything that reads a text. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { tokens } from "../../../src/k3/text/lexer.ts"
import { codeAlone, parts } from "../../../src/k3/text/scan.ts"
import { statements } from "../../../src/k3/text/statements.ts"
import { SyntaxKError } from "../../../src/k3/syntax/SyntaxKError.ts"

const text = fc
  .array(fc.oneof(fc.constantFrom(...'()[]{}"\n\r\t; /\\ax`'), fc.constantFrom('"a', " / c", '\\"', "/:")), { maxLength: 30 })
  .map((all) => all.join(""))

const lexed = (source: string): SyntaxKError | undefined => {
  try {
    tokens(source, () => true)
    return undefined
  } catch (error) {
    if (error instanceof SyntaxKError) return error
    throw error
  }
}

it("every character is in one part", () => {
  fc.assert(
    fc.property(text, (source) => {
      let at = 0
      for (const { start, end } of parts(source)) {
        expect(start).toBe(at)
        expect(end).toBeGreaterThan(start)
        at = end
      }
      expect(at).toBe(source.length)
    }),
  )
})

it("the lexer finds open what the statements leave open, and unmatched what they end", () => {
  fc.assert(
    fc.property(text, (code) => {
      for (const { source, command, open } of statements(code)) {
        const error = command ? undefined : lexed(source)
        if (error?.kind === "open") expect(open).toBeDefined()
        if (open !== undefined) expect(error).toBeDefined()
      }
    }),
    { numRuns: 3000 },
  )
})

describe("code alone", () => {
  it.each([
    ['a,"b/ c"  / d', 'a,"    "     '],
    ['"a\\"b" (c', '"    " (c'],
    ['"a\nb', '" \n '],
    ["+/x /y\n/z\n1", "+/x   \n  \n1"],
  ])("%j", (code, expected) => expect(codeAlone(code)).toBe(expected))
})

it("no other file matches brackets, or says where a string ends", () => {
  const source = join(import.meta.dirname, "../../../src")
  const matching = /"[([{]":\s*"[)\]}]"|\[\^"\\\\\]|\[\^"\]/
  const found = readdirSync(source, { recursive: true, encoding: "utf8" }).filter(
    (path) => path.endsWith(".ts") && matching.test(readFileSync(join(source, path), "utf8")),
  )
  // A difference between engines speaks of strings of one char.
  expect(found.filter((path) => !path.endsWith("k3csharp.ts"))).toEqual([join("k3", "text", "scan.ts")])
})
