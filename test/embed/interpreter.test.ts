/** `k3-mcp/k3`: the interpreter as a module, as it is built. */
import { spawnSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { createContext, runInContext } from "node:vm"
import { describe, expect, it, vi } from "vitest"
import type { makeInterpreter as MakeInterpreter } from "../../src/embed/k3.ts"
import { scratchFolder } from "../e2e/server.ts"
import { installedIn, moduleFile, root, shown } from "./embedding.ts"

const { makeInterpreter } = (await import(pathToFileURL(moduleFile).href)) as { makeInterpreter: typeof MakeInterpreter }
const text = readFileSync(moduleFile, "utf8")

describe("E1 the interpreter as a module", () => {
  it("imports nothing, and runs with nothing but JavaScript around it", () => {
    expect(text).not.toMatch(/\bimport\s*[{*("\w]|\brequire\s*\(|"node:|\bprocess\.|\bBuffer\b/)
    const exported = /export\s*\{\s*([\w$]+) as makeInterpreter\s*\};?\s*$/
    expect(text).toMatch(exported)
    const context = createContext({ shown })
    runInContext(text.replace(exported, "globalThis.makeInterpreter=$1"), context)
    expect(runInContext("[typeof process, typeof require, typeof Buffer, typeof setTimeout]", context)).toEqual(
      Array.from({ length: 4 }, () => "undefined"),
    )
    const code =
      "const embedded = makeInterpreter(); shown.map(([code]) => { const { output, error } = embedded.evaluate(code); return error ? error.text : output })"
    expect(runInContext(code, context)).toEqual(shown.map(([, prints]) => prints))
  })

  it("keeps variables, prints as the console does, and gives an error with its place", () => {
    const k = makeInterpreter()
    expect(k.evaluate("a:!5\nb:`x")).toEqual({ output: "" })
    expect(k.evaluate('a\n\n"æ日"~"æ日"\n  a+b\na:0')).toEqual({
      output: "0 1 2 3 4\n1\n",
      error: {
        name: "type",
        hint: "+ takes numbers; these are ints and a symbol",
        line: 4,
        column: 4,
        text: expect.stringContaining("  a+b\n   ^\n"),
      },
    })
    expect(k.evaluate("#a")).toEqual({ output: "5\n" })
    expect(k.variables()).toEqual([
      { name: "a", type: -1, count: 5, preview: "0 1 2 3 4" },
      { name: "b", type: 4, count: 1, preview: "`x" },
    ])
    expect(k.evaluate("\\d .k.sub\nc:1").error).toBeUndefined()
    expect(k.directory).toBe(".k.sub")
    expect(k.variables(".k.sub").map(({ name }) => name)).toEqual(["c"])
    expect(makeInterpreter().variables()).toEqual([])
  })

  it.each([{ timeout: Number.NaN }, { timeout: -1 }, { steps: 0 }, { memory: "1" }, { depth: null }, { timeOut: 50 }])(
    "refuses %j, which would limit nothing",
    (limits) => expect(() => makeInterpreter(limits as object)).toThrow(TypeError),
  )

  it.each([
    ["timeout", { timeout: 50 }, "while[1;x:1]", "break"],
    ["steps", { steps: 1000 }, "while[1;x:1]", "limit"],
    ["memory", { memory: 1e6 }, "!1000000", "wsfull"],
    ["depth", { depth: 100 }, "f:{f x}\nf 1", "stack"],
  ] as const)("%s ends an evaluation and keeps the variables", (_, limits, code, name) => {
    const k = makeInterpreter(limits)
    expect(k.evaluate("kept:1 2 3")).toEqual({ output: "" })
    expect(k.evaluate(code).error?.name).toBe(name)
    expect(k.evaluate("kept")).toEqual({ output: "1 2 3\n" })
  })

  it("timeout does not follow the wall clock, which may be set meanwhile", () => {
    let days = 0
    const set = vi.spyOn(Date, "now").mockImplementation(() => 86_400_000 * days++)
    const { output } = makeInterpreter({ timeout: 60_000 }).evaluate("i:0\nwhile[i<300000;i+:1]\ni")
    set.mockRestore()
    expect(output).toBe("300000\n")
  })

  it.each(['"/etc/passwd" 0:,"x"', '0:"/etc/passwd"', "\\l script", "\\ls", '`3:"x"', "_exit 3", "\\\\"])(
    "G2 %s reaches nothing",
    (code) => {
      const k = makeInterpreter()
      expect(k.evaluate(code).error?.name).toMatch(/^(?:access|nonce|type|domain|valence)$/)
      expect(k.evaluate("1+1")).toEqual({ output: "2\n" })
    },
  )

  it("the example of the page prints what stands below it, and imports the module by the package's name", () => {
    const [, code, , printed] = readFileSync(join(root, "docs/embedding.md"), "utf8").split(/^```(?:js)?\n/m)
    const folder = scratchFolder()
    installedIn(folder)
    writeFileSync(join(folder, "example.mjs"), code!)
    expect(spawnSync(process.execPath, ["example.mjs"], { cwd: folder, encoding: "utf8" })).toMatchObject({ stdout: printed, stderr: "" })
  })

  it("its types are those of the package's export", () => {
    const folder = scratchFolder()
    installedIn(folder)
    const use = [
      'import { makeInterpreter, type Evaluated, type Interpreter } from "k3-mcp/k3"',
      "const k: Interpreter = makeInterpreter({ timeout: 10 })",
      'const { output, error }: Evaluated = k.evaluate("1")',
      "export const line: number | undefined = error?.line",
      "// @ts-expect-error output is text",
      "export const wrong: number = output",
    ]
    writeFileSync(join(folder, "use.mts"), use.join("\n"))
    const options = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2022", "--types", "", "use.mts"]
    const tsc = spawnSync(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), ...options], { cwd: folder, encoding: "utf8" })
    expect(tsc).toMatchObject({ stdout: "", status: 0 })
  })
})
