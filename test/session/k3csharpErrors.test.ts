/** K3CSharp's messages, as recorded, and the names K has for them. */
import { describe, expect, it } from "vitest"
import { failureOf } from "../../src/session/k3csharpErrors.ts"

describe("an error of K3CSharp", () => {
  it.each([
    ["Error: Cannot add Integer and Symbol", "type"],
    ["Error: Undefined variable: foo", "value"],
    ["Error: Vector size mismatch for addition", "length"],
    ["Error: Cannot compare Null and Null with =", "type"],
    ["Error: Unterminated string literal", "syntax"],
    ["Error: Exception of type 'System.OutOfMemoryException' was thrown.", "wsfull"],
    ["Error: file not found: x.k\n", "access"],
    ["Error: something new", "error"],
  ])("%s is K's %s", (text, name) => {
    expect(failureOf(text)).toEqual({ name, text: text.trimEnd() })
  })

  it("is told from a string that reads like one, which prints with quotes", () => {
    expect(failureOf('"Error: no"')).toBeUndefined()
  })
})
