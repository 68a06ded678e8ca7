/** The text of the profile for macOS. No test runs it. */
import * as Result from "effect/Result"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import type { FenceTools } from "../../../src/child/fence/FencePlan.ts"
import { launched, rootFolder } from "./launches.ts"

describe("G13 on macOS", () => {
  const macOS: FenceTools = { by: "sandbox-exec", program: "/usr/bin/sandbox-exec", runtimes: ["/opt/dotnet"], folders: [] }

  it("the profile denies everything outside the plan; later rules win", async () => {
    const root = rootFolder()
    mkdirSync(join(root, ".git"))
    mkdirSync(join(root, 'sta"te'))
    const { spec } = await launched(root, { stateDir: join(root, 'sta"te') }, { tools: macOS })
    const { fence, cwd } = Result.getOrThrow(spec)
    const lines = fence!.args[1]!.split("\n")
    expect([fence!.args[0], cwd, lines[0], lines[1]]).toEqual(["-p", root, "(version 1)", "(deny default)"])
    expect(lines.some((line) => /network/.test(line))).toBe(false)
    expect(lines.find((line) => line.startsWith("(allow file-read* "))).toContain('(subpath "/opt/dotnet")')
    expect(lines.slice(-2)).toEqual([
      `(deny file-write* (subpath "${join(root, ".git")}"))`,
      `(deny file-read* file-write* (subpath "${root}/sta\\"te"))`,
    ])
  })
})
