/**
 * The built programs on the other Nodes that `engines` allows (`lib/nodes.ts`), and two servers of any of them on one state folder. Skipped
 * by name where a Node cannot be had. `K3_TEST_SECONDS=120 npx vitest run test/nodes.test.ts -t "two servers"` lets the two go on longer.
 */
import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { afterAll, describe, expect, it } from "vitest"
import { addressOf, headersOf } from "./e2e/listening.ts"
import { gone, scratchFolder, serverFile, start, statusOf } from "./e2e/server.ts"
import { otherNodes } from "./lib/nodes.ts"
import { isAlive } from "./lib/processes.ts"
import { seed } from "./lib/seed.ts"
import { twoServers } from "./lib/twoServers.ts"

const fetched = mkdtempSync(join(tmpdir(), "k3-nodes-"))
afterAll(() => rmSync(fetched, { recursive: true, force: true }))
const nodes = await otherNodes(fetched)
const present = [[process.version, process.execPath] as const, ...nodes].flatMap(([name, program]) =>
  program === undefined ? [] : [{ name, program }],
)

/** A server on a Node, with the state in this folder. */
const serverOn = async (node: string, state: string, ...more: readonly string[]) => {
  const server = start(["--engine", "embedded", "--state-dir", state, ...more], {}, [node, serverFile])
  await server.initialize()
  const evaluate = async (code: string, rest: object = {}): Promise<any> =>
    (await server.call("k_eval", { code, ...rest })).structuredContent
  const status = async (): Promise<any> => (await server.call("k_status")).structuredContent
  return { ...server, evaluate, status }
}

describe.each(nodes)("on Node %s", (name, program) => {
  const skipped = program === undefined ? `: skipped, ${name} cannot be fetched` : ""
  const test = it.skipIf(program === undefined)

  test(`M S the server and the interpreter do their work${skipped}`, async () => {
    const state = join(scratchFolder(), "state")
    const first = await serverOn(program!, state)
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
    const second = await serverOn(program!, state)
    expect(await second.evaluate("+/a")).toMatchObject({ ok: true, output: "10\n", restored: expect.any(Number) })
    const { pid: orphan } = await second.status()
    second.process.kill("SIGKILL")
    await gone(orphan)
    expect(isAlive(orphan)).toBe(false)
    expect(first.log() + second.log()).not.toMatch(/Warning|deprecat/i)
  })

  test(`M S K a small memory, HTTP, the console and the check of settings do theirs${skipped}`, async () => {
    const small = await serverOn(program!, "none", "--child-memory", "64MiB")
    expect(await small.evaluate("+/!10")).toMatchObject({ ok: true, output: "45\n" })
    small.process.stdin!.end()
    const state = join(scratchFolder(), "state")
    const listening = ["--engine", "embedded", "--state-dir", state, "--listen", "127.0.0.1:0", "--no-stdio"]
    const overHttp = start(listening, {}, [program!, serverFile])
    const url = new URL(await addressOf(overHttp))
    const headers = headersOf({ token: readFileSync(join(state, "token"), "utf8").trim() })
    const client = new Client({ name: "test", version: "1" })
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }))
    expect((await client.callTool({ name: "k_eval", arguments: { code: "+/!5" } })).structuredContent).toMatchObject({ output: "10\n" })
    await client.close()
    overHttp.process.kill("SIGTERM")
    expect((await overHttp.ended).code).toBe(0)
    const k3 = join(serverFile, "../k3.js")
    expect(spawnSync(program!, [k3, "-e", "+/!10"], { encoding: "utf8" }).stdout).toBe("45\n")
    const check = spawnSync(program!, [serverFile, "--check", "--engine", "embedded", "--state-dir", "none"], { encoding: "utf8" })
    expect([check.status, check.stdout]).toEqual([0, expect.stringMatching(/1\+1 +2\n/)])
  })
})

/** Each is once the first and once the second. */
const pairs = present.map((one, i) => ({ one, other: present[(i + 1) % present.length]! }))
const absent = nodes.filter(([, program]) => program === undefined).map(([name]) => name)
const without = absent.length === 0 ? "" : ` (without ${absent.join(", ")}, which cannot be fetched)`

describe(`S29 two servers${without}`, () => {
  it.skipIf(process.platform === "win32").each(pairs)(
    "of two versions of Node, $one.name and $other.name: the second keeps nothing, and says so",
    async ({ one, other }) => {
      const state = join(scratchFolder(), "state")
      const open = async ({ program }: (typeof present)[number]) => {
        const server = start(["--engine", "embedded", "--state-dir", state], {}, [program, serverFile])
        await server.initialize()
        await server.call("k_eval", { code: "a" })
        return { server, notice: String((await statusOf(server)).notice ?? "") }
      }
      const first = await open(one)
      const second = await open(other)
      expect(first.notice).toBe("")
      expect(second.notice).toContain("Another k3-mcp server works with the state folder")
      for (const { server } of [first, second]) server.process.kill("SIGKILL")
      await Promise.all([first.server.ended, second.server.ended])
    },
  )

  const seconds = Number(process.env["K3_TEST_SECONDS"] ?? 10)
  it.skipIf(process.platform === "win32")(
    "killed, ended and frozen at random: no acknowledged state is lost, and there are never two writers",
    { timeout: seconds * 1000 + 90_000 },
    async () => {
      const told = await twoServers(
        join(scratchFolder(), "state"),
        present.map(({ program }) => program),
        seconds * 1000,
        seed,
      )
      process.stdout.write(`two servers, seed ${seed}: ${JSON.stringify(told)}\n`)
      expect(told.starts).toBeGreaterThan(1)
    },
  )
})
