/**
 * A smoke of the built programs on the other Nodes that `engines` allows, as the npm packages `node-PLATFORM-ARCH` bring them; those that
 * `K3_TEST_NODES` names (paths, separated as in PATH) are used instead of fetching. Skipped by name where the registry cannot be reached.
 */
import { execFile, spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { promisify } from "node:util"
import { afterAll, describe, expect, it } from "vitest"
import { gone, scratchFolder, serverFile, start } from "./e2e/server.ts"
import { isAlive } from "./lib/processes.ts"

const fetched = mkdtempSync(join(tmpdir(), "k3-nodes-"))
afterAll(() => rmSync(fetched, { recursive: true, force: true }))

const fetchNode = async (major: number): Promise<string | undefined> => {
  const windows = process.platform === "win32"
  const name = `node-${windows ? "win" : process.platform}-${process.arch}`
  const prefix = join(fetched, String(major))
  const npm = ["install", "--prefix", prefix, "--no-save", "--ignore-scripts", "--no-audit", "--no-fund", `${name}@${major}`]
  await promisify(execFile)("npm", npm, { timeout: 90_000, shell: windows, cwd: fetched }).catch(() => undefined)
  const program = join(prefix, "node_modules", name, "bin", windows ? "node.exe" : "node")
  return existsSync(program) ? program : undefined
}

const given = process.env["K3_TEST_NODES"]?.split(delimiter)
const nodes: readonly (readonly [name: string, program: string | undefined])[] =
  given?.map((program) => [spawnSync(program, ["-v"], { encoding: "utf8" }).stdout.trim(), program] as const) ??
  (await Promise.all([22, 24].map(async (major) => [`v${major}`, await fetchNode(major)] as const)))

describe.each(nodes)("on Node %s", (name, program) => {
  it.skipIf(program === undefined)(
    `M S the server and the interpreter do their work${program === undefined ? `: skipped, ${name} cannot be fetched` : ""}`,
    { timeout: 60_000 },
    async () => {
      const node = program!
      const state = join(scratchFolder(), "state")
      const open = async () => {
        const server = start(["--engine", "embedded", "--state-dir", state], {}, [node, serverFile])
        await server.initialize()
        const evaluate = async (code: string, rest: object = {}): Promise<any> =>
          (await server.call("k_eval", { code, ...rest })).structuredContent
        const status = async (): Promise<any> => (await server.call("k_status")).structuredContent
        return { ...server, evaluate, status }
      }
      const first = await open()
      expect((await first.request("tools/list")).result.tools.length).toBeGreaterThan(10)
      expect(await first.evaluate("a:!5\n+/a")).toMatchObject({ ok: true, output: "10\n" })
      expect(await first.evaluate("1+`a")).toMatchObject({ ok: false, error: { name: "type" } })
      expect(await first.evaluate("while[1;b:1]", { timeout_ms: 500 })).toMatchObject({ error: { name: "deadline" } })
      expect(await first.evaluate('"sub" 6:"text"\n6:"sub"')).toMatchObject({ ok: true, output: '"text"\n' })
      expect(await first.evaluate('6:"/etc/passwd"')).toMatchObject({ ok: false, error: { name: "access" } })
      expect(await first.evaluate('100000#"abcdefgh "')).toMatchObject({ ok: true, truncated: expect.anything() })
      expect(await first.evaluate("f:{f x};f 1")).toMatchObject({ ok: false, error: { name: "stack" } })
      await expect.poll(async () => (await first.status()).held).toBeGreaterThan(0)
      const { pid } = await first.status()
      process.kill(pid, "SIGKILL")
      await gone(pid)
      await expect.poll(async () => (await first.evaluate("+/a")).output).toBe("10\n")
      expect((await first.call("k_reload")).structuredContent.ok).toBe(true)
      const last = (await first.status()).pid as number
      first.process.stdin!.end()
      expect((await first.ended).code).toBe(0)
      await gone(last)
      const second = await open()
      expect(await second.evaluate("+/a")).toMatchObject({ ok: true, output: "10\n", restored: expect.any(Number) })
      const { pid: orphan } = await second.status()
      second.process.kill("SIGKILL")
      await gone(orphan)
      expect(isAlive(orphan)).toBe(false)
      const k3 = join(serverFile, "../k3.js")
      expect(spawnSync(node, [k3, "-e", "+/!10"], { encoding: "utf8" }).stdout).toBe("45\n")
      const check = spawnSync(node, [serverFile, "--check", "--engine", "embedded", "--state-dir", "none"], { encoding: "utf8" })
      expect([check.status, check.stdout]).toEqual([0, expect.stringMatching(/1\+1 +2\n/)])
      expect(first.log() + second.log()).not.toMatch(/Warning|deprecat/i)
    },
  )
})
