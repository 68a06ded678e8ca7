/** Where statements end, line by line: the same as the server's side finds in the whole text. */
import * as fc from "fast-check"
import { expect, it } from "vitest"
import { CLOSED, follow, isGoingOn, statements } from "../../../src/k3/text/source.ts"
import * as wire from "../../../src/repl/statements.ts"

const text = fc
  .array(fc.oneof(fc.constantFrom(...'()[]{}"\n\n; /ax'), fc.constantFrom('"a', " / c", "\\d .a(", '\\"')), { maxLength: 30 })
  .map((parts) => parts.join(""))

it("followed line by line, a text is open where its last statement is", () => {
  fc.assert(
    fc.property(text, (code) => {
      // The value of an escape before a line end is a matter of the string it stands in, not of lines.
      fc.pre(!/\\(\n|$)/.test(code))
      const open = code.split("\n").reduce((before, line) => follow(line, before), CLOSED)
      expect(isGoingOn(open)).toBe(wire.statements(code).at(-1)?.open !== undefined)
    }),
    { numRuns: 2000 },
  )
})

it("statements are those that the server sees", () => {
  fc.assert(
    fc.property(text, (code) => {
      fc.pre(!/\\(\n|$)/.test(code))
      expect(statements(code).map(({ line }) => line)).toEqual(wire.statements(code).map(({ line }) => line))
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
])("%j is open: %j", (code, open) => expect(isGoingOn(follow(code, CLOSED))).toBe(open))
