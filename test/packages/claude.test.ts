/**
 * Claude Code itself, without a login and without network: it validates the plugin, installs it from the marketplace file of this folder, and takes
 * README's registration. One of the tests of installed services: skipped where `claude` is not there.
 */
import { spawnSync } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { delimiter, join } from "node:path"
import { describe, expect, it } from "vitest"
import { scratchFolder, serverFile } from "../e2e/server.ts"

const root = join(import.meta.dirname, "../..")
const hasClaude = spawnSync("claude", ["--version"]).status === 0

/** Runs `claude` for somebody who has never used it, with the package's programs installed. */
const claudeOf = () => {
  const home = scratchFolder()
  const programs = join(home, "bin")
  mkdirSync(programs)
  writeFileSync(join(programs, "k3-mcp"), `#!/bin/sh\nexec "${process.execPath}" "${serverFile}" "$@"\n`, { mode: 0o755 })
  const env = {
    ...process.env,
    HOME: home,
    CLAUDE_CONFIG_DIR: join(home, ".claude"),
    PATH: `${programs}${delimiter}${process.env["PATH"]}`,
  }
  return (...args: readonly string[]) => {
    const { status, stdout, stderr } = spawnSync("claude", args, { cwd: home, encoding: "utf8", env, input: "" })
    return { status, said: stdout + stderr }
  }
}

describe.skipIf(!hasClaude)("E3 Claude Code", () => {
  it("finds the plugin and the marketplace valid", () => {
    const claude = claudeOf()
    for (const path of [join(root, "plugin"), root]) expect(claude("plugin", "validate", path)).toMatchObject({ status: 0 })
  })

  it("installs the plugin, with its server, from the marketplace of this folder", () => {
    const claude = claudeOf()
    expect(claude("plugin", "marketplace", "add", root)).toMatchObject({ status: 0 })
    expect(claude("plugin", "install", "k3@k3-mcp")).toMatchObject({ status: 0 })
    expect(claude("plugin", "list").said).toContain("k3@k3-mcp")
    expect(claude("mcp", "list").said).toMatch(/k3.*k3-mcp.*Connected/)
  })

  it("takes README's registration, and connects", () => {
    const claude = claudeOf()
    expect(claude("mcp", "add", "k3", "--", "k3-mcp")).toMatchObject({ status: 0 })
    expect(claude("mcp", "list").said).toMatch(/k3: k3-mcp.*Connected/)
  })
})
