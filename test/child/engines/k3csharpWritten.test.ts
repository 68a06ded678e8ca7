/** S22 the original texts of K3CSharp's functions, found by the forms that its head of 2026-04-18 prints. */
import { describe, expect, it } from "vitest"
import { isPrintOf, noteStatement, recall, type WrittenForms } from "../../../src/child/engines/k3csharpWritten.ts"

const noted = (...statements: readonly string[]): WrittenForms => {
  const written: WrittenForms = new Map()
  for (const statement of statements) noteStatement(written, statement)
  return written
}

describe("the text of a function, by its printed form", () => {
  it.each([
    ["{x+1}", "{x+1}"],
    ['{x,"a b"}', "{x,a b}"],
    ["{x,`a`b}", "{x,a b}"],
    ["{x`a}", "{x a}"],
    ["{x@`.a.b}", "{x@.a.b}"],
    ['{x,`"a \\"b\\n"}', '{x,a "b\n}'],
    ['{x,"`a"}', "{x,`a}"],
    ['{x,"a\\n\\tb\\\\\\377"}', "{x,a\n\tb\\\xff}"],
  ])("S22 %s", (text, printed) => {
    expect(recall(noted(`f:${text}`), printed)).toBe(text)
    expect(isPrintOf(text, printed)).toBe(true)
  })

  it("S22 two texts with the same printed form have none", () => {
    expect(recall(noted("f:{x,`a}", "g:{x,a}"), "{x,a}")).toBeUndefined()
  })

  it("S22 each function that a statement assigns is noted", () => {
    const statement = 'f:{x,"a"};g:{{x,`b}x};:[1;h : {x,"}"};0];{x,`c}1;'
    const written = noted(statement)
    expect([...written.values()]).toEqual(['{x,"a"}', "{{x,`b}x}", '{x,"}"}'])
    noteStatement(written, "l:{x,a};z:1")
    expect(recall(written, "{x,a}")).toBeUndefined()
  })

  it("S22 a newline that means `;` is one in the printed form", () => {
    expect(isPrintOf("{a:x+1 / one\n-a}", "{a:x+1;-a}")).toBe(true)
    expect(isPrintOf("{a:x+1 / one\n-a}", "{a:x+1-a}")).toBe(false)
  })
})
