/** S8 What is left of a child, and of its server, that is killed at work: with a fence and without one. */
import { spawnSync } from "node:child_process"
import { mkdirSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { evaluate, gone, k3csharpBuild, scratchFolder, start, statusOf } from "../e2e/server.ts"

const hasFence = process.platform === "linux" && spawnSync("bwrap", ["--ro-bind", "/", "/", "--unshare-user", "true"]).status === 0
/** The folder of the server, in which copies of builds are. */
const OWN = `k3-mcp-${process.getuid?.() ?? ""}`

const columns = (["embedded", "k3csharp"] as const).flatMap((engine) =>
  (["off", "required"] as const).map((fence) => ({ engine, fence, isHere: engine === "embedded" || k3csharpBuild !== undefined })),
)

describe.skipIf(process.platform !== "linux").each(columns)("$engine with K3_FENCE=$fence", ({ engine, fence, isHere }) => {
  const test = it.skipIf(!isHere || (fence === "required" && !hasFence))
  const build = k3csharpBuild === undefined ? [] : ["--build-dir", k3csharpBuild]
  const open = async (temporary: string) => {
    const server = start(["--engine", engine, "--fence", fence, "--state-dir", "none", ...build], { TMPDIR: temporary })
    await server.initialize()
    return server
  }
  /** A server whose child works and does not end by itself. */
  const working = async (temporary: string) => {
    const server = await open(temporary)
    await evaluate(server, "1+1")
    const reply = evaluate(server, "while[1;a:1]", { timeout_ms: 600_000 })
    reply.catch(() => {})
    const { pid } = await statusOf(server)
    return { server, reply, pid: pid as number }
  }
  const folder = (): string => {
    const temporary = join(scratchFolder(), "tmp")
    mkdirSync(temporary)
    return temporary
  }
  const left = (temporary: string): readonly string[] =>
    readdirSync(temporary, { recursive: true, encoding: "utf8" }).filter((name) => name !== OWN)

  test("a child that is killed leaves no file", async () => {
    const temporary = folder()
    const { server, reply, pid } = await working(temporary)
    process.kill(pid, "SIGKILL")
    expect(await reply).toMatchObject({ ok: false, error: { text: expect.stringContaining("ended by signal SIGKILL") } })
    expect(await evaluate(server, "1+1")).toMatchObject({ ok: true })
    await gone(pid)
    server.process.stdin!.end()
    await server.ended
    expect(left(temporary)).toEqual([])
  })

  it.skipIf(engine === "k3csharp" || (fence === "required" && !hasFence))(
    "a child that ends by itself is not taken for one that a signal ended",
    async () => {
      const server = await open(folder())
      const died = async (code: string): Promise<string> => (await evaluate(server, code)).error.text
      expect(await died("_exit 137")).toContain("ended with exit code 137")
      expect(await died("_exit 3")).toContain("ended with exit code 3")
    },
  )

  test("a server that is killed leaves no process, and no file but its copy of a build, which the next one removes", async () => {
    const temporary = folder()
    const { server, pid } = await working(temporary)
    server.process.kill("SIGKILL")
    await server.ended
    await gone(pid)
    expect(left(temporary).filter((name) => !name.startsWith(`${OWN}/`))).toEqual([])
    const next = await open(temporary)
    expect(await evaluate(next, "1+1")).toMatchObject({ ok: true })
    next.process.stdin!.end()
    await next.ended
    expect(left(temporary)).toEqual([])
  })
})
