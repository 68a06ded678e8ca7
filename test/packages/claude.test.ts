/**
 * Claude Code itself, without a login: it validates the plugin, installs it from the marketplace file of this folder, takes README's
 * registration and the one that `k3-mcp --print-registration` prints, and works through a session beside a person in a terminal, with the
 * calls of a model that the test plays. One of the tests of installed services: skipped by name where npm cannot fetch `claude`.
 */
import { execFile } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { alone } from "../e2e/listening.ts"
import { scratchFolder, serverFile } from "../e2e/server.ts"
import { fetched } from "../lib/fetched.ts"
import { scriptedModel } from "../lib/scriptedModel.ts"
import { openTerminal, pseudoTerminal } from "../lib/terminal.ts"

const root = join(import.meta.dirname, "../..")
const folder = mkdtempSync(join(tmpdir(), "k3-claude-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
// What `@anthropic-ai/claude-code` has is a script that puts this in place.
const program = `@anthropic-ai/claude-code-${process.platform}-${process.arch}`
const modules = await fetched(folder, `${program}@2.1.330`)

/** Runs a line of the shell for somebody who has never used `claude`, with the package's programs installed. */
const newUser = (environment: NodeJS.ProcessEnv = {}) => {
  const home = scratchFolder()
  const own = join(home, "bin")
  mkdirSync(own)
  writeFileSync(join(own, "k3-mcp"), `#!/bin/sh\nexec "${process.execPath}" "${serverFile}" "$@"\n`, { mode: 0o755 })
  const env = {
    ...process.env,
    HOME: home,
    CLAUDE_CONFIG_DIR: join(home, ".claude"),
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    PATH: [own, join(modules!, program), process.env["PATH"]].join(delimiter),
    ...environment,
  }
  return (line: string) =>
    new Promise<{ readonly status: number | string; readonly said: string }>((resolve) => {
      const child = execFile("sh", ["-c", line], { cwd: home, env }, (error, stdout, stderr) =>
        resolve({ status: error?.code ?? 0, said: stdout + stderr }),
      )
      child.stdin!.end()
    })
}

/** The lines that `k3-mcp --print-registration` has for Claude Code. */
const printed = async (run: ReturnType<typeof newUser>, url: string) => {
  const { said } = await run(`k3-mcp --print-registration --listen ${new URL(url).host}`)
  return { registers: /^Claude Code:\n(.*)$/m.exec(said)![1]!, exports: /^ *export K3_TOKEN=.*$/m.exec(said)![0] }
}

describe.skipIf(modules === undefined)(`E3 Claude Code${modules === undefined ? ": skipped, it cannot be fetched" : ""}`, () => {
  it("finds the plugin and the marketplace valid", async () => {
    const run = newUser()
    for (const path of [join(root, "plugin"), root]) expect(await run(`claude plugin validate '${path}'`)).toMatchObject({ status: 0 })
  })

  it("installs the plugin, with its server, from the marketplace of this folder", async () => {
    const run = newUser()
    expect(await run(`claude plugin marketplace add '${root}'`)).toMatchObject({ status: 0 })
    expect(await run("claude plugin install k3@k3-mcp")).toMatchObject({ status: 0 })
    expect((await run("claude plugin list")).said).toContain("k3@k3-mcp")
    expect((await run("claude mcp list")).said).toMatch(/k3.*k3-mcp.*Connected/)
  })

  it("takes README's registration, and connects", async () => {
    const run = newUser()
    expect(await run("claude mcp add k3 -- k3-mcp")).toMatchObject({ status: 0 })
    expect((await run("claude mcp list")).said).toMatch(/k3: k3-mcp.*Connected/)
  })

  it("N3 takes the registration that is printed, connects over HTTP with the token, and not without", async () => {
    const { url, state } = await alone()
    const run = newUser({ K3_STATE_DIR: state })
    const { registers, exports } = await printed(run, url)
    expect(await run(registers)).toMatchObject({ status: 0 })
    expect((await run(`${exports}; claude mcp list`)).said).toMatch(/k3: http:.*✔ Connected/)
    expect((await run("claude mcp list")).said).toMatch(/k3: http:.*✘ Failed to connect.*401/)
  })

  it.skipIf(!pseudoTerminal)("N1 N10 works over HTTP beside a person in a terminal, who sees it and adds what it then reads", async () => {
    const { url, state } = await alone()
    const person = openTerminal([process.execPath, join(root, "dist/k3.js"), "--attach"], {
      K3_HISTORY: join(scratchFolder(), "history"),
      K3_STATE_DIR: state,
      NO_COLOR: "1",
    })
    await person.see("leaves")
    const tool = (name: string, input: object) => ({ name: `mcp__k3__${name}`, input })
    let results: readonly string[] = []
    const model = await scriptedModel(async (so) => {
      results = so
      switch (so.length) {
        case 0:
          return tool("k_eval", { code: "a:41\na+1" })
        case 1:
          await person.see("agent> a:41")
          await person.see("42\r\n")
          await person.enter("b:100+a", "  ")
          await person.enter("b", "\n141\r\n")
          return tool("k_eval", { code: "b" })
        case 2:
          return tool("k_eval", { code: '`0:"begun\\n";while[1;c:1]', background: true })
        case 3:
          return tool("k_output", { handle: "e1", from: 0, unit: "byte", wait_ms: 60_000 })
        case 4:
          return tool("k_session", { action: "interrupt" })
        case 5:
          return tool("k_output", { handle: "e1", from: 0, unit: "byte", wait_ms: 60_000 })
      }
      return undefined
    })
    const run = newUser({ K3_STATE_DIR: state, ANTHROPIC_BASE_URL: model, ANTHROPIC_API_KEY: "none" })
    const { registers, exports } = await printed(run, url)
    await run(registers)
    const allowed = ["k_eval", "k_output", "k_session"].map((name) => `mcp__k3__${name}`).join(",")
    expect(await run(`${exports}; claude -p go --allowedTools ${allowed}`)).toEqual({ status: 0, said: "done\n" })
    expect(results.map((each) => JSON.parse(each))).toMatchObject([
      { ok: true, output: "42\n" },
      { ok: true, output: "141\n" },
      { ok: true, handle: "e1" },
      { phase: "running", output: "begun\n" },
      { ok: true, stopped: true },
      { ok: false, phase: "ended", output: "begun\n", error: { name: "interrupt" } },
    ])
    await person.see("agent> b\r\n141\r\n")
  })
})
