import { describe, expect, it } from "vitest"
import { makeConsole, printed } from "../../lib/session.ts"

/** Errors as the console shows them: wording is reviewed here like code. */
describe("errors", () => {
  it.each([
    ["1+`a", "type error: + takes numbers; these are an int and a symbol\n1+`a\n ^"],
    ["x:1 2 3\nx[3]", "index error: there is no item 3; the last is 2\nx[3]\n^"],
    ["f:{x+`a}\nf 1", "type error: + takes numbers; these are an int and a symbol\n{x+`a}\n  ^\nin f < f 1"],
    ["f:{\n  a:1\n  a+`b}\nf 1", "type error: + takes numbers; these are an int and a symbol\n  a+`b}\n   ^\nin f < f 1"],
    ["nope+1", "value error: nope has no value\nnope+1\n^"],
    ["(1;2", "open error: ( is not closed\n(1;2\n^"],
    ["1 2+3 4 5", "length error: 2 and 3 items\n1 2+3 4 5\n   ^"],
    ['\'"mine"', 'mine error\n\'"mine"\n^'],
    ["while[`a;1]", "type error: a condition is an int; this is a symbol\nwhile[`a;1]\n^"],
  ])("%j", (script, expected) => expect(printed(script)).toBe(expected))

  it("shows a window of a long line", () => {
    const shown = printed(`${"1+".repeat(200)}\`a`)
    expect(shown.split("\n")[1]!.length).toBeLessThan(130)
    const [, line, caret] = shown.split("\n")
    expect(line![caret!.length - 1]).toBe("+")
  })

  it("counts characters, not the bytes of UTF-8, and cuts none", () => {
    const { k } = makeConsole()
    const bytes = (text: string): string => Buffer.from(text).toString("latin1")
    expect(k.evaluate(bytes('"é☃";1+`a'))).toMatchObject({ column: 7, caret: "      ^", at: "+" })
    expect(k.evaluate(bytes("1 ☃ 2"))).toMatchObject({ hint: `no K text has the character "${bytes("☃")}"`, column: 3, caret: "  ^" })
    for (const [hidden, number] of [
      ["\u00a0", "U+00A0"],
      ["\ufeff", "U+FEFF"],
    ] as const)
      expect(k.evaluate(bytes(`1+${hidden}2`))!.hint).toBe(`no K text has the character ${number}, which shows as a blank or not at all`)
    const { source, caret } = k.evaluate(bytes(`"${"é☃".repeat(50)}";1+\`a;"${"é☃".repeat(50)}"`))!
    const shown = Buffer.from(source.replaceAll("…", ""), "latin1").toString()
    expect(shown).not.toContain("\ufffd")
    expect(`…${shown}`[caret.length - 1]).toBe("+")
  })

  it("counts the calls it does not show", () => {
    const { k } = makeConsole({ depth: 100 })
    const failure = k.evaluate("{_f x}1")!
    expect(failure.name).toBe("stack")
    expect(failure.path.length).toBeLessThan(12)
    expect(failure.path.at(-1)).toMatch(/\d+ more/)
  })

  it.each([
    ["a name", "n".repeat(1_000_000)],
    ["a signal", `'"${"é".repeat(500_000)}"`],
    ["a string", `1+"${"s".repeat(1_000_000)}";1+\`a`],
    ["the name of a function", `${"f".repeat(1_000_000)}:{1+\`a};${"f".repeat(1_000_000)}[]`],
  ])("is short, whatever the length of %s", (_, code) => {
    const failure = makeConsole().k.evaluate(Buffer.from(code).toString("latin1"))!
    expect(JSON.stringify(failure).length).toBeLessThan(6_000)
    expect(Buffer.from(failure.rendered.replaceAll("…", ""), "latin1").toString()).not.toContain("\ufffd")
  })

  it("gives line and column within the statement", () => {
    const { k } = makeConsole()
    expect(k.evaluate("(1\n2+`a)")).toMatchObject({ line: 2, column: 2, at: "+", caret: " ^", source: "2+`a)" })
  })
})
