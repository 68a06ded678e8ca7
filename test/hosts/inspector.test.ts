/**
 * The Inspector's command line against the built server, in both protocol eras, over stdio and over HTTP: lists judged strictly, calls well
 * and not. One of the tests of installed services: skipped by name where npm cannot fetch it.
 */
import { execFile } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { alone, type Listening } from "../e2e/listening.ts"
import { scratchFolder, serverFile } from "../e2e/server.ts"
import { fetched } from "../lib/fetched.ts"

const folder = mkdtempSync(join(tmpdir(), "k3-inspector-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const modules = await fetched(folder, "@modelcontextprotocol/inspector@2.12.0")

const inspect = (target: readonly string[], era: string, args: readonly string[]) =>
  new Promise<{ readonly code: number | string; readonly said: string }>((resolve) => {
    const home = scratchFolder()
    execFile(
      join(modules!, ".bin/mcp-inspector"),
      ["--cli", ...target, ...args, "--protocol-era", era, "--format", "json"],
      { cwd: home, env: { ...process.env, HOME: home } },
      (error, stdout, stderr) => resolve({ code: error?.code ?? 0, said: stdout + stderr }),
    ).stdin!.end()
  })

const evaluation = (code: string, timeout_ms = 20_000) => [
  "--method",
  "tools/call",
  "--tool-name",
  "k_eval",
  "--tool-args-json",
  JSON.stringify({ code, timeout_ms }),
]

const checks: readonly (readonly [what: string, args: readonly string[], code: number, said: RegExp])[] = [
  ["tools/list --strict", ["--method", "tools/list", "--strict"], 0, /"k_eval"/],
  ["resources/list", ["--method", "resources/list"], 0, /k3:\/\/status/],
  ["resources/templates/list", ["--method", "resources/templates/list"], 0, /k3:\/\//],
  ["prompts/list", ["--method", "prompts/list"], 0, /"name"/],
  ["k_eval 1+1", evaluation("1+1"), 0, /"output": ?"2\\n"/],
  ["k_eval that fails in K", evaluation("1+`a"), 0, /type error/],
  ["k_eval over its deadline is an error of the call", evaluation("while[1;x:1]", 4000), 5, /deadline/],
  ["no such tool", ["--method", "tools/call", "--tool-name", "nothing"], 5, /nothing|not found/],
]

const over = {
  stdio: async () => [process.execPath, serverFile],
  HTTP: async () => addressed(await alone()),
}
const addressed = ({ url, token }: Pick<Listening, "url" | "token">) => [url, "--header", `Authorization: Bearer ${token}`]

const cases = (["stdio", "HTTP"] as const).flatMap((by) => ["legacy", "modern"].map((era) => [by, era] as const))

describe.skipIf(modules === undefined)(`M1 the Inspector${modules === undefined ? ": skipped, it cannot be fetched" : ""}`, () => {
  it.each(cases)("over %s in the %s era does what it offers", { timeout: 180_000 }, async (by, era) => {
    const target = await over[by]()
    for (const [what, args, code, said] of checks)
      expect([what, await inspect(target, era, args)]).toEqual([what, { code, said: expect.stringMatching(said) }])
  })

  it("is not let in without the token", async () => {
    const { url } = await alone()
    expect((await inspect([url], "modern", ["--method", "tools/list"])).code).not.toBe(0)
    expect((await inspect(addressed({ url, token: "wrong" }), "modern", ["--method", "tools/list"])).said).toContain("auth_required")
  })
})
