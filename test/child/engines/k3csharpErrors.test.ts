/** Recorded messages of K3CSharp, and K's names for them. */
import { describe, expect, it } from "vitest"
import { failureOf } from "../../../src/child/engines/k3csharpErrors.ts"

describe("an error of K3CSharp", () => {
  it.each([
    ["Error: Cannot add Integer and Symbol", "type"],
    ["Error: Undefined variable: foo", "value"],
    ["Error: Vector size mismatch for addition", "length"],
    ["Error: Cannot compare Null and Null with =", "type"],
    ["Error: Unterminated string literal", "syntax"],
    ["Error: Exception of type 'System.OutOfMemoryException' was thrown.", "wsfull"],
    ["Error: file not found: x.k\n", "no such file or directory"],
    ["Error: Unknown monadic operator: _exit", "nonce"],
    ["Error: Unknown system variable: _v", "nonce"],
    ["Error: something new", "error"],
  ])("%s is K's %s", (text, name) => {
    expect(failureOf(text)).toMatchObject({ name, text: text.trimEnd() })
  })

  it.each([
    ["Error: Cannot subtract Integer and Symbol", "type", "-", 2],
    ["Error: Cannot apply monadic minus to Symbol", "type", "-", 1],
    ["Error: Cannot find reciprocal of Symbol", "type", "%", 1],
    ["Error: Cannot compare Integer and Symbol with <", "type", "<", 2],
    ["Error: Cannot find minimum of Integer and Symbol", "type", "&", 2],
    ["Error: Cannot raise Integer to power of Symbol", "type", "^", 2],
    ["Error: Vector size mismatch for minimum", "length", "&", 2],
    ["Error: Index 7 out of bounds for vector of length 3", "index", undefined, undefined],
    ["Error: Rank error: grade-up operator '<' requires a vector argument", "rank", "<", 1],
    ["Error: Modulus operator requires integer arguments or vector+integer combinations", "type", "!", 2],
    ["Error: _sqrt can only be applied to numeric values or vectors", "type", "_sqrt", undefined],
    ["Error: MathLog operation not supported for type Character", "nonce", "_log", undefined],
    ["Error: Flip requires vectors of equal length", "length", "+", 1],
    ["Error: Undefined variable: foo", "value", "foo", undefined],
    ["Error: Undefined variable: ssr", "value", "_ssr", undefined],
    ["Error: If function requires at least 2 arguments: condition and expression(s)", "rank", "if", undefined],
    ["Error: While statement requires at least 2 arguments: condition and expression(s)", "rank", "while", undefined],
    ["Error: Function expects 2 arguments, got 3", "valence", undefined, undefined],
    ["Error: The system cannot find the file specified: no.l", "no such file or directory", undefined, undefined],
    ["Error: something new", "error", undefined, undefined],
  ])("%s is K's %s at %s", (text, name, at, valence) => {
    expect(failureOf(text)).toEqual({ name, text, ...(at !== undefined && { at }), ...(valence !== undefined && { valence }) })
  })

  it("names the folders in which a script was searched", () => {
    expect(failureOf("Error: file not found: no.k\n", ["/home", "/lib"])).toEqual({
      name: "no such file or directory",
      text: "no.k was not found in /home or /lib.\nError: file not found: no.k",
    })
  })

  it("differs from a string with the same text, which prints with quotes", () => {
    expect(failureOf('"Error: no"')).toBeUndefined()
  })
})
