import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { statements } from "../../../src/k3/text/statements.ts"

/** A statement without the characters that a newline may become. */
const meant = (code: string): string => code.replaceAll(/[\s;]|\\n/g, "")
const wires = (code: string): string[] => statements(code).map(({ wire }) => wire)

describe("statements", () => {
  it.each<[code: string, wires: string[]]>([
    ["1+1", ["1+1"]],
    ["a:1\nb:2\r\na+b\n", ["a:1", "b:2", "a+b"]],
    ["\n  \n/ a comment\n1+1 / two\n /indented comment\n", ["1+1"]],
    ['"a /b"\n"a"/ b', ['"a /b"', '"a"/ b']],
    ["+/1 2\n+ /1 2", ["+/1 2", "+"]],
    ["\\v\n\\l a.k  \n1", ["\\v", "\\l a.k", "1"]],
    [" \\v (\n1", ["\\v (", "1"]],
    ["(1 2\n3 4)", ["(1 2;3 4)"]],
    ["(\n 1 2\n\n / note\n 3 4 / last\n)", ["(1 2;3 4)"]],
    ["(1;\n2)", ["(1;2)"]],
    ["f[1\n2]", ["f[1;2]"]],
    ["{[x;\n  y]\n  x+y}", ["{[x;y] x+y}"]],
    ["{[x]\n  -x}", ["{[x] -x}"]],
    ["f:{\n a:x\n a*2}", ["f:{a:x;a*2}"]],
    ["{x\n}", ["{x;}"]],
    ["{x;\n}", ["{x;}"]],
    ["{\n}", ["{}"]],
    ['"ab\ncd"', ['"ab\\ncd"']],
    ['"a\\"(b"\n1', ['"a\\"(b"', "1"]],
    ['"a\\\nb"', ['"a\\nb"']],
    ["(1;2}\n3", ["(1;2}", "3"]],
    ["1)\n2", ["1)", "2"]],
    ["(\n\\v\n)", ["(\\v)"]],
  ])("%j", (code, expected) => expect(wires(code)).toEqual(expected))

  it("keeps the source as it was written, and the line it begins on", () => {
    expect(statements("/ c\n\nf:{[x] / twice\n  2*x}\n  f 3").map(({ source, line }) => [line, source])).toEqual([
      [3, "f:{[x] / twice\n  2*x}"],
      [5, "  f 3"],
    ])
  })

  it.each<[code: string, lines: number[]]>([
    ["f:{x\n}", [2]],
    ["1\nf:{[x]\n x+1 / one\n\n }", [5]],
    ["{x;\n}", []],
    ["{[x]\n}", []],
    ["{x}\n(1\n)", []],
    ["{{x\n}\n}", [2, 3]],
  ])("notes a brace on a line of its own that makes the function return nil: %j", (code, lines) => {
    expect(statements(code).flatMap(({ notes }) => notes.map((note) => note.line))).toEqual(lines)
  })

  it.each<[code: string, open: object | undefined]>([
    ["(1;2", { what: "(", line: 1, column: 1 }],
    ["1\nf:{[x]\n  (x+1", { what: "(", line: 3, column: 3 }],
    ["f:{[x]\n  (x+1)", { what: "{", line: 1, column: 3 }],
    ['"b', { what: '"', line: 1, column: 1 }],
    ['a: "b\nc', { what: '"', line: 1, column: 4 }],
    ["(1;2}", undefined],
    ["1+", undefined],
  ])("says what is left open: %j", (code, open) => expect(statements(code).at(-1)!.open).toEqual(open))

  it("leaves code of one line as it is, and never loses a character but comments and blanks", () => {
    const piece = fc.constantFrom("a", "1", "+", ";", " ", "\n", "(", ")", "[", "]", "{", "}", '"b\\"("', '"c\nd"')
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const code = pieces.join("")
        expect(wires(code).map(meant).join("")).toBe(meant(code))
        expect(wires(code).every((wire) => !wire.includes("\n"))).toBe(true)
        for (const { source, line } of statements(code))
          expect(
            code
              .split("\n")
              .slice(line - 1)
              .join("\n")
              .startsWith(source),
          ).toBe(true)
      }),
    )
  })
})
