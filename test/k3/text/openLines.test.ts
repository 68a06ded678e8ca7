/** Line by line, the same brackets and strings are open as in the whole text. */
import * as fc from "fast-check"
import { expect, it } from "vitest"
import { OpenLines, statements } from "../../../src/k3/text/statements.ts"

const text = fc
  .array(fc.oneof(fc.constantFrom(...'()[]{}"\n\n; /ax'), fc.constantFrom('"a', " / c", "\\d .a(", '\\"')), { maxLength: 30 })
  .map((parts) => parts.join(""))

const isOpen = (code: string): boolean => {
  const lines = new OpenLines()
  for (const line of code.split("\n")) lines.take(line)
  return lines.isOpen
}

it("line by line, a text is open where its last statement is", () => {
  fc.assert(
    fc.property(text, (code) => {
      expect(isOpen(code)).toBe(statements(code).at(-1)?.open !== undefined)
    }),
    { numRuns: 2000 },
  )
})

it.each([
  ["(1;", true],
  ["(1;2]", false],
  ["{(}", false],
  ['"a', true],
  ["a) b", false],
  ["1 / (", false],
  ["\\l (", false],
  [" \\l (", false],
])("%j is open: %j", (code, open) => expect(isOpen(code)).toBe(open))
