/** Messages of compilers in their different forms. */
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { CompilerOutput, diagnosticOf } from "../../../src/session/builds/diagnostics.ts"

const utf8 = new TextEncoder()

describe("R2 a compiler's complaint as data", () => {
  it.each([
    [
      "/home/k/K3CSharp/Program.cs(12,34): error CS1002: ; expected [/home/k/K3CSharp/K3CSharp.csproj]",
      { severity: "error", file: "/home/k/K3CSharp/Program.cs", line: 12, column: 34, code: "CS1002", text: "; expected" },
    ],
    [
      String.raw`C:\Users\a b\Program.cs(1,2,3,4): warning CS0168: The variable 'x' is declared [C:\p.csproj]`,
      {
        severity: "warning",
        file: String.raw`C:\Users\a b\Program.cs`,
        line: 1,
        column: 2,
        code: "CS0168",
        text: "The variable 'x' is declared",
      },
    ],
    [
      "     3>/x/naïve (1).csproj : error NU1101: Unable to find package q. [/x/p.sln]",
      { severity: "error", file: "/x/naïve (1).csproj", code: "NU1101", text: "Unable to find package q." },
    ],
    [
      "MSBUILD : error MSB1009: Project file does not exist.",
      { severity: "error", file: "MSBUILD", code: "MSB1009", text: "Project file does not exist." },
    ],
    ["CSC : error CS2001: Source file 'a.cs' could not be found.", { severity: "error", file: "CSC", code: "CS2001" }],
    ["src/a.c:12:34: error: expected ';'", { severity: "error", file: "src/a.c", line: 12, column: 34, text: "expected ';'" }],
    ["src/a.c:12: fatal error: no such header", { severity: "error", file: "src/a.c", line: 12, text: "no such header" }],
  ] as const)("%s", (line, expected) => {
    expect(diagnosticOf(line)).toMatchObject(expected)
  })

  it.each(["  0 Error(s)", "Build FAILED.", "K3CSharp -> /x/bin/K3CSharp.dll", "error", "Program.cs(1,2): note: nothing", ""])(
    "%j is none",
    (line) => expect(diagnosticOf(line)).toBeUndefined(),
  )
})

describe("R2 the output of a build", () => {
  const error = (n: number) => `/p/a.cs(${n},1): error CS0001: number ${n} [/p/p.csproj]\n`

  it("counts a message that the summary repeats once, keeps the first errors, and the last lines", () => {
    const output = new CompilerOutput(2)
    const text = `${error(1)}${error(2)}${error(3)}\n/p/a.cs(1,1): warning CS0168: unused [/p/p.csproj]\n\nBuild FAILED.\n${error(1)}${error(2)}${error(3)}    3 Error(s)`
    expect(output.add(utf8.encode(text))).toContain("number 3")
    output.finish()
    expect(output).toMatchObject({ errorCount: 3, warningCount: 1 })
    expect(output.errors.map(({ line }) => line)).toEqual([1, 2])
    expect(output.tail.at(-1)).toBe("    3 Error(s)")
  })

  it("reads the same whatever the chunks", () => {
    const bytes = utf8.encode(`é${error(7)}日本\r\n${error(8)}end`)
    fc.assert(
      fc.property(fc.array(fc.nat(bytes.length)), (cuts) => {
        const output = new CompilerOutput(20)
        const at = [0, ...cuts.toSorted((a, b) => a - b), bytes.length]
        for (const [i, from] of at.slice(0, -1).entries()) output.add(bytes.subarray(from, at[i + 1]))
        output.finish()
        expect(output.errors.map(({ line }) => line)).toEqual([7, 8])
        expect(output.tail).toHaveLength(4)
      }),
    )
  })

  it("keeps bounded memory for any output", () => {
    const output = new CompilerOutput(20)
    const chunk = utf8.encode("x".repeat(65_536))
    for (let i = 0; i < 100; i++) output.add(chunk)
    for (let i = 0; i < 20_000; i++) output.add(utf8.encode(error(i)))
    output.finish()
    expect(output.errors).toHaveLength(20)
    expect(output.tail.length).toBeLessThan(50)
    expect(output.tail.join("").length).toBeLessThan(50 * 4096)
  })
})
