import { describe, expect, it } from "vitest"
import { makeConsole, printed } from "../lib/session.ts"

/** Errors as the console shows them: wording is reviewed here like code. */
describe("errors", () => {
  it.each([
    ["1+`a", "type error\n1+`a\n ^"],
    ["x:1 2 3\nx[3]", "index error\nx[3]\n^"],
    ["f:{x+`a}\nf 1", "type error\n{x+`a}\n  ^\nin f < f 1"],
    ["f:{\n  a:1\n  a+`b}\nf 1", "type error\n  a+`b}\n   ^\nin f < f 1"],
    ["nope+1", "value error: nope has no value\nnope+1\n^"],
    ["(1;2", "open error: ( is not closed\n(1;2\n^"],
    ["1 2+3 4 5", "length error\n1 2+3 4 5\n   ^"],
    ['\'"mine"', 'mine error\n\'"mine"\n^'],
    ["while[`a;1]", "type error: a condition is an int\nwhile[`a;1]\n^"],
  ])("%j", (script, expected) => expect(printed(script)).toBe(expected))

  it("shows a window of a long line", () => {
    const shown = printed(`${"1+".repeat(200)}\`a`)
    expect(shown.split("\n")[1]!.length).toBeLessThan(130)
    const [, line, caret] = shown.split("\n")
    expect(line![caret!.length - 1]).toBe("+")
  })

  it("counts the calls it does not show", () => {
    const { k } = makeConsole({ depth: 100 })
    const failure = k.evaluate("{_f x}1")!
    expect(failure.name).toBe("stack")
    expect(failure.path.length).toBeLessThan(12)
    expect(failure.path.at(-1)).toMatch(/\d+ more/)
  })

  it("gives line and column within the statement", () => {
    const { k } = makeConsole()
    expect(k.evaluate("(1\n2+`a)")).toMatchObject({ line: 2, column: 2, at: "+", caret: " ^", source: "2+`a)" })
  })
})
