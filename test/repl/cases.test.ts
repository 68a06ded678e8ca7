/** Files of cases: both forms are read, written cases are read back, and output is compared with the expected output. */
import * as fc from "fast-check"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { type Case, caseText, expectedText, isExpected, readCases } from "../../src/repl/cases.ts"

const read = (text: string): readonly Case[] => {
  const cases = readCases(text)
  if ("problem" in cases) throw new Error(cases.problem)
  return cases
}

describe("K text", () => {
  it("has cases between blank lines, each of steps with code and output", () => {
    expect(read("/ of the file\n\n/ sums\n/ of ints\n> a:1 2 3\n> +/a\n6\n> a\n1 2 3\n\n\n> {\n>   1\n>\n>   }[]\n")).toEqual([
      {
        name: "sums of ints",
        line: 3,
        compare: "text",
        steps: [
          { code: "a:1 2 3\n+/a", expected: "6", line: 5 },
          { code: "a", expected: "1 2 3", line: 8 },
        ],
      },
      { name: "line 12", line: 12, compare: "text", steps: [{ code: "{\n  1\n\n  }[]", expected: "", line: 12 }] },
    ])
  })

  it("may begin with a byte order mark, and have Windows line ends", () => expect(read("\ufeff> 1+1\r\n2\r\n")).toEqual(read("> 1+1\n2\n")))

  it("H5 written cases are read back, whatever their code and output", () => {
    const line = fc.string({ unit: fc.constantFrom("a", ">", "|", "/", "…", " ", '"', "1", "\r", "\u2028"), maxLength: 5 })
    const text = fc.array(line, { minLength: 1, maxLength: 5 }).map((lines) => lines.join("\n"))
    const step = fc.record({ code: text, printed: text })
    fc.assert(
      fc.property(fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 3 }), (all) => {
        // Code without output is joined with the next code.
        const given = all.map((steps) => steps.filter(({ printed }) => printed !== "")).filter((steps) => steps.length > 0)
        fc.pre(given.length > 0)
        const written = given.map((steps, i) =>
          caseText({ name: `case ${i}`, steps: steps.map(({ code, printed }) => ({ code, expected: expectedText(printed) })) }),
        )
        const found = read(written.join("\n"))
        expect(found.map(({ steps }) => steps.map(({ code }) => code))).toEqual(given.map((steps) => steps.map(({ code }) => code)))
        for (const [i, { steps, compare }] of found.entries())
          for (const [j, { expected }] of steps.entries()) {
            expect(isExpected(given[i]![j]!.printed, expected, compare)).toBe(true)
            expect(isExpected(`${given[i]![j]!.printed}x`, expected, compare)).toBe(false)
          }
      }),
    )
  })

  it("H5 an empty line of output is expected, and differs from no output", () => {
    expect(expectedText("\n")).toBe("|")
    expect(isExpected("\n", "|", "text")).toBe(true)
    expect(isExpected("", "|", "text")).toBe(false)
  })

  it("… matches any number of lines", () => {
    const holds = (printed: string, expected: string) => isExpected(printed, expected, "text")
    expect(holds("a\nb\nc\n", "a\n…\nc")).toBe(true)
    expect(holds("a\nc\n", "a\n…\nc")).toBe(true)
    expect(holds("a\nb\nc\nb\nc", "a\n…\nb\nc")).toBe(true)
    expect(holds("a\nb\n", "a\n…\nc")).toBe(false)
    expect(holds("", "…")).toBe(true)
    expect(holds("…", expectedText("…"))).toBe(true)
    expect(holds("a", expectedText("…"))).toBe(false)
  })

  it("the sentence after an error's name may be absent, and must not differ", () => {
    const printed = "1\ntype error: + takes numbers\n1+`a\n ^\n"
    for (const compare of ["text", "exact"] as const) {
      const holds = (expected: string) => isExpected(printed, expected, compare)
      expect(holds("1\ntype error: + takes numbers\n1+`a\n ^")).toBe(true)
      expect(holds("1\ntype error\n1+`a\n ^")).toBe(true)
      expect(holds("1\ntype error: + takes\n1+`a\n ^")).toBe(false)
      expect(holds("1\nrank error\n1+`a\n ^")).toBe(false)
      expect(isExpected("type error: text\n", "type error", compare)).toBe(false)
    }
  })

  it.each([
    ["1+1\n2\n", 1, "a case begins with"],
    ["> 1\n1\n\n/ x\n\n2\n", 6, "a case begins with"],
    ["\n", 1, "no case"],
    ["/ only words\n", 1, "no case"],
  ])("%j is a problem at line %i", (text, line, why) => {
    const problem = readCases(text)
    expect(problem).toMatchObject({ line })
    expect((problem as { problem: string }).problem).toContain(why)
  })
})

describe("JSON lines", () => {
  it("are one case each", () =>
    expect(read('{"id":"a","code":"1+1","expected":"2"}\n\n{"code":"x","expected":"y","compare":"shape","how":"recorded"}')).toEqual([
      { name: "a", line: 1, compare: "exact", steps: [{ code: "1+1", expected: "2", line: 1 }] },
      { name: "line 3", line: 3, compare: "shape", steps: [{ code: "x", expected: "y", line: 3 }] },
    ]))

  it("compare exactly, without digits, or without the padding of an image", () => {
    expect(isExpected("…", "…", "exact")).toBe(true)
    expect(isExpected("a", "…", "exact")).toBe(false)
    expect(isExpected("1 -22\n", "3 4", "shape")).toBe(true)
    expect(isExpected("1 2 3", "3 4", "shape")).toBe(false)
    expect(isExpected('"\\001\\000\\000"', '"\\001\\377z"', "padding")).toBe(true)
    expect(isExpected('"\\001\\000\\001"', '"\\001\\377z"', "padding")).toBe(false)
  })

  it.each([
    ['{"id":"a","code":"1+1","expected":"2"}\nx', 2, "no JSON"],
    ['{"id":"a","code":1,"expected":"2"}', 1, "code and expected"],
    ['{"code":"1","expected":"2","compare":"vaguely"}', 1, "vaguely"],
  ])("%j is a problem at line %i", (text, line, why) => {
    const problem = readCases(text)
    expect(problem).toMatchObject({ line })
    expect((problem as { problem: string }).problem).toContain(why)
  })
})

it("reads all files of cases in the folder", () => {
  const folder = join(import.meta.dirname, "../cases")
  for (const file of readdirSync(folder).filter((name) => /\.(k|jsonl)$/.test(name)))
    expect(read(readFileSync(join(folder, file), "utf8")).length, file).toBeGreaterThan(5)
})
