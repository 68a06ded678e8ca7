/**
 * Faults on the built server, one per test: an interpreter that misbehaves (a stand-in for K3CSharp), a client that misbehaves, and a machine
 * that has run out of a resource. After each fault the server answers the next call. docs/faults.md names the tests by their titles.
 */
import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { isAlive } from "../lib/processes.ts"
import { writeStandIn } from "../lib/standIn.ts"
import { evaluate, goesOn, gone, scratchFolder, serverFile, start, statusOf, type RawServer } from "./server.ts"

interface Given {
  readonly launch?: string
  readonly folder?: string
  readonly flags?: readonly string[]
  readonly environment?: NodeJS.ProcessEnv
}

const server = async ({ launch, folder, flags = [], environment }: Given = {}): Promise<RawServer> => {
  const build = writeStandIn(launch, folder)
  const args = ["--engine", "k3csharp", "--build-dir", build, "--state-dir", "none", "--restart-first-delay", "1ms"]
  const it = start([...args, ...flags], environment)
  await it.initialize()
  return it
}

describe("F1: an interpreter that misbehaves in an evaluation", () => {
  const dies = (name: string, code: RegExp) => [name, "crash", code] as const
  const hangs = (name: string) => [name, "deadline", /Stopped at the deadline/] as const
  it.each([
    dies("exit", /exit code 3/),
    dies("exit after half a reply", /exit code 4/),
    dies("die by a signal", /SIGSEGV/),
    dies("grandchild keeps the pipe", /exit code 5/),
    hangs("nothing at all"),
    hangs("half a sentinel"),
    hangs("close stdout"),
    hangs("ignore SIGTERM"),
    hangs("flood stdout"),
    hangs("stop"),
  ])("%s: said, variables restored, and the old process is gone", async (fault, name, said) => {
    const own = await server()
    await evaluate(own, "a: 42")
    await expect.poll(async () => (await statusOf(own)).held).toBe(1)
    const { pid } = await statusOf(own)
    const failed = await evaluate(own, `fault ${fault}`, { timeout_ms: 700 })
    expect(failed).toMatchObject({ ok: false, error: { name, text: expect.stringMatching(said) } })
    expect(failed.error.text).toContain(`fault ${fault}`)
    await gone(pid)
    const heir = /heir-\d+-\d+/.exec(failed.error.text)?.[0]
    if (heir !== undefined) await expect.poll(() => spawnSync("ps", ["-eo", "args"], { encoding: "utf8" }).stdout).not.toContain(heir)
    expect(await evaluate(own, "a")).toMatchObject({ ok: true, output: expect.stringMatching(/^42/), restored: 1 })
    await goesOn(own)
  })

  it.each([
    ["sentinel in two writes", "split"],
    ["half a sentinel, then the rest of a reply", "a\x01b"],
    ["flood stderr", "well"],
    ["invalid UTF-8", "a\uFFFD\uFFFD\uFFFDb"],
  ])("%s: an answer like any", async (fault, output) => {
    const own = await server()
    expect(await evaluate(own, `fault ${fault}`)).toMatchObject({ ok: true, output })
    await goesOn(own)
  })

  it.each(["a sentinel too many", "01 02 inside data"])(
    "%s: the stream is out of step, which is never taken for an answer",
    async (fault) => {
      const own = await server()
      await evaluate(own, "a: 1")
      const { pid } = await statusOf(own)
      await evaluate(own, `fault ${fault}`)
      // The child is ended because of the output after the reply, and not asked again.
      await gone(pid)
      await goesOn(own)
    },
  )

  it("close stdin: the answer counts, and the next evaluation ends in time and is followed by a new interpreter", async () => {
    const own = await server()
    expect(await evaluate(own, "fault close stdin")).toMatchObject({ ok: true, output: "closed" })
    const { pid } = await statusOf(own)
    expect(await evaluate(own, "1+1", { timeout_ms: 700 })).toMatchObject({ ok: false })
    // On a loaded machine the deadline may pass before the child gets the statement; then the child is not ended yet.
    while (isAlive(pid)) await evaluate(own, "1+1", { timeout_ms: 700 })
    await goesOn(own)
  })

  it("flood stdout and end: cut, with what was left out, and memory stays bounded", async () => {
    const own = await server()
    const before = residentMiB(own)
    const reply = await evaluate(own, "fault flood stdout and end", { timeout_ms: 20_000 })
    expect(reply).toMatchObject({ ok: true, truncated: { bytes: 32 * 2 ** 20 } })
    expect(reply.output.length).toBeLessThan(10_000)
    expect(residentMiB(own) - before).toBeLessThan(256)
    await goesOn(own)
  })
})

const residentMiB = ({ process: { pid } }: RawServer): number =>
  Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024

describe("F2: an interpreter that does not start well", () => {
  it.each([
    ["exits at once", "10s", /ended with exit code 131 before it was ready[^]*the runtime is not there/],
    ["never ready", "3s", /was not ready within 3000 ms/],
    ["half ready", "3s", /was not ready within 3000 ms/],
  ])("%s: said with what the program said; after a new build it works", async (launch, patience, said) => {
    const folder = scratchFolder()
    const own = await server({ launch, folder, flags: ["--launch-timeout", patience] })
    const failed = await evaluate(own, "1+1")
    expect(failed).toMatchObject({ ok: false, error: { name: "launch", text: expect.stringMatching(said) } })
    expect(failed.error.text).toContain("k_reload")
    expect((await own.request("tools/list")).result.tools.length).toBeGreaterThan(0)
    writeStandIn("", folder)
    writeFileSync(join(folder, "K3CSharp.dll"), "stands in, mended")
    await own.call("k_reload")
    await goesOn(own)
  })

  it("dies while variables are restored: the one to blame is set aside by name, the others come back", async () => {
    const folder = scratchFolder()
    const own = await server({ launch: "dies of poison", folder })
    for (const code of ["a: 1", "b: 2"]) await evaluate(own, code)
    await expect.poll(async () => (await statusOf(own)).held).toBe(2)
    // This build would die of the assignment too, so another build assigns the variable.
    writeStandIn("", folder)
    writeFileSync(join(folder, "K3CSharp.dll"), "tolerant")
    await own.call("k_reload")
    await evaluate(own, "c: poison")
    await expect.poll(async () => (await statusOf(own)).held).toBe(3)
    writeStandIn("dies of poison", folder)
    writeFileSync(join(folder, "K3CSharp.dll"), "intolerant")
    const reloaded = (await own.call("k_reload")).structuredContent
    expect(reloaded).toMatchObject({
      ok: true,
      restored: 2,
      lost: [{ name: ".k.c", reason: expect.stringContaining("ended the interpreter") }],
    })
    expect(await evaluate(own, "b")).toMatchObject({ ok: true, output: expect.stringMatching(/^2/) })
  })

  it("crashes again and again: the breaker opens, and k_reset leads out", async () => {
    const own = await server({ flags: ["--restart-crashes", "2", "--restart-cooldown", "1h"] })
    for (let turn = 0; turn < 6; turn++) await evaluate(own, "fault exit")
    expect(await evaluate(own, "1+1")).toMatchObject({ ok: false, error: { name: "breaker", text: expect.stringContaining("k_reset") } })
    expect((await statusOf(own)).phase).toBe("failed")
    await own.call("k_reset")
    await goesOn(own)
  })
})

describe("F3: clients that misbehave", () => {
  const open = async (...flags: readonly string[]): Promise<RawServer> => {
    const own = start(["--engine", "embedded", "--state-dir", "none", ...flags])
    await own.initialize()
    return own
  }

  it("vanishes in the middle of an evaluation: nothing is left", async () => {
    const own = await open()
    await evaluate(own, "a:1")
    const { pid } = await statusOf(own)
    own.send({ id: "long", method: "tools/call", params: { name: "k_eval", arguments: { code: "while[1;a:1]" } } })
    own.process.stdin!.destroy()
    own.process.stdout!.destroy()
    expect((await own.ended).code).toBe(0)
    await gone(pid)
  })

  it("stops reading for a while: nothing is lost, and input waits", async () => {
    const own = await open()
    await evaluate(own, 't:3000#"x"')
    own.process.stdout!.pause()
    const calls = 400
    const call = { name: "k_eval", arguments: { code: "t", timeout_ms: 600_000 } }
    for (let n = 0; n < calls; n++) own.send({ id: `r${n}`, method: "tools/call", params: call })
    own.process.stdout!.resume()
    await own.message(({ id }) => id === `r${calls - 1}`)
    const ids = own.messages.flatMap(({ id }) => (typeof id === "string" && id.startsWith("r") ? [id] : []))
    expect(ids).toEqual(Array.from({ length: calls }, (_, n) => `r${n}`))
  })

  it("cancels at every moment of a call: each is over, none is answered twice, and the variables are whole", async () => {
    const own = await open()
    await evaluate(own, "n:0")
    for (let delay = 0; delay < 40; delay++) {
      const id = `c${delay}`
      own.send({ id, method: "tools/call", params: { name: "k_eval", arguments: { code: "n+:1;i:0;while[i<20000;i+:1];n" } } })
      if (delay > 0) await new Promise((resolve) => setTimeout(resolve, delay % 10))
      own.send({ method: "notifications/cancelled", params: { requestId: id } })
    }
    const { output } = await evaluate(own, "n")
    expect(Number(output)).toBeLessThanOrEqual(40)
    const ids = own.messages.flatMap(({ id }) => (typeof id === "string" ? [id] : []))
    expect(new Set(ids).size).toBe(ids.length)
    await goesOn(own)
  })

  it("uses an id again while it is still open: refused, and the first one is answered", async () => {
    const own = await open()
    await evaluate(own, "1+1")
    const call = (code: string) => own.send({ id: "same", method: "tools/call", params: { name: "k_eval", arguments: { code } } })
    call("i:0;while[i<300000;i+:1];i")
    call("5")
    await expect.poll(() => own.messages.filter(({ id }) => id === "same").length, { timeout: 30_000 }).toBe(2)
    const [first, second] = own.messages.filter(({ id }) => id === "same")
    expect(first!.error?.message).toContain("still running")
    expect(second!.result.structuredContent.output).toMatch(/^300000/)
  })

  it("calls before initialize: answered or refused in words, and then it initializes", async () => {
    const own = start(["--engine", "embedded", "--state-dir", "none"])
    const early = await own.request("tools/call", { name: "k_eval", arguments: { code: "1+1" } })
    expect(early.result ?? early.error).toBeDefined()
    await own.initialize()
    await goesOn(own)
  })

  it("sends two thousand calls at once, more than pipes hold: every one is answered, in order", async () => {
    // The last call waits for all others, so its deadline must be long.
    const own = await open("--eval-timeout", "10m")
    await evaluate(own, "1+1")
    const calls = 2000
    const line = (n: number): string =>
      `${JSON.stringify({ jsonrpc: "2.0", id: `m${n}`, method: "tools/call", params: { name: "k_eval", arguments: { code: `${n}` } } })}\n`
    own.write(Array.from({ length: calls }, (_, n) => line(n)).join(""))
    await own.message(({ id }) => id === `m${calls - 1}`)
    const answered = own.messages.filter(({ id }) => typeof id === "string")
    expect(answered.map(({ id }) => id)).toEqual(Array.from({ length: calls }, (_, n) => `m${n}`))
    expect(answered.every(({ result }, n) => result.structuredContent.output.trim() === String(n))).toBe(true)
  })

  it("reads no reply, and closes its writing end: the server ends", async () => {
    const own = await open()
    await evaluate(own, 't:3000#"x"')
    own.process.stdout!.pause()
    for (let n = 0; n < 400; n++) own.send({ id: `r${n}`, method: "tools/call", params: { name: "k_eval", arguments: { code: "t" } } })
    own.process.stdin!.end()
    expect(await own.ended).toEqual({ code: 0, signal: null })
  })

  it("stops reading the log: the server goes on without it", async () => {
    const own = await open()
    own.process.stderr!.destroy()
    // Each launch is logged.
    for (const session of ["one", "two"]) expect(await evaluate(own, "1+1", { session })).toMatchObject({ ok: true })
    own.process.stdin!.end()
    expect(await own.ended).toEqual({ code: 0, signal: null })
  })

  it("closes in the middle of a frame: told so in a frame, and an orderly end", async () => {
    const own = await open()
    let said = ""
    own.process.stdout!.removeAllListeners("data").on("data", (chunk: string) => (said += chunk))
    own.write('Content-Length: 500\r\n\r\n{"jsonrpc":"2.0",')
    own.process.stdin!.end()
    expect((await own.ended).code).toBe(0)
    await expect.poll(() => said).toMatch(/^Content-Length: \d+\r\n\r\n\{.*"code":-32700.*\}$/s)
  })
})

describe("F4: a machine that has run out of things", () => {
  const limited = (limit: string): RawServer =>
    start(["--engine", "embedded", "--state-dir", "none"], {}, ["/bin/sh", "-c", `${limit}; exec "$0" "$@"`, process.execPath, serverFile])

  it.skipIf(process.platform === "win32")(
    "file descriptors: a session that cannot be launched says so, and the open one goes on",
    async () => {
      const own = limited("ulimit -n 40")
      await own.initialize()
      await goesOn(own)
      const others = []
      for (let n = 0; n < 12; n++) others.push(await evaluate(own, "1+1", { session: `s${n}` }))
      for (const other of others)
        if (other.ok === false) expect(other.error).toMatchObject({ name: "launch", text: expect.stringMatching(/k_\w+/) })
      await goesOn(own)
    },
  )

  it.skipIf(!existsSync("/dev/full"))(
    "the disk of the log is full: the server goes on without it, also when it begins with a warning",
    async () => {
      const command = ["/bin/sh", "-c", 'exec "$0" "$@" 2>/dev/full', process.execPath, serverFile] as const
      const own = start(["--engine", "embedded", "--state-dir", "none"], { K3_EVAL_TIMOUT: "7s" }, [...command])
      await own.initialize()
      for (const session of ["one", "two"]) expect(await evaluate(own, "1+1", { session })).toMatchObject({ ok: true })
      own.process.stdin!.end()
      expect(await own.ended).toEqual({ code: 0, signal: null })
    },
  )

  it("memory of the child: an error of K or a death that is said to be one of memory, and the session goes on", async () => {
    const own = start(["--engine", "embedded", "--state-dir", "none", "--child-memory", "96MiB"])
    await own.initialize()
    await evaluate(own, "a:!5")
    for (const code of ["b:!100000000", "b:!1000000;while[1;b:b,b]", "b:,!1000;while[1;b:(b;b)]"]) {
      const failed = await evaluate(own, code, { timeout_ms: 20_000 })
      expect(failed).toMatchObject({ ok: false, error: { name: expect.stringMatching(/wsfull|memory|limit/) } })
    }
    expect(await evaluate(own, "a")).toMatchObject({ ok: true, output: expect.stringMatching(/^0 1 2 3 4/) })
  })

  it("the temporary folder is no folder: a build cannot be copied, which is said with what to do", async () => {
    const file = join(scratchFolder(), "file")
    writeFileSync(file, "")
    const own = await server({ environment: { TMPDIR: file } })
    expect(await evaluate(own, "1+1")).toMatchObject({ ok: false, error: { text: expect.stringMatching(/k_reload/) } })
    expect((await own.request("ping")).result).toEqual({})
  })

  it("the temporary folder is removed while the server runs: the next launch makes what it needs, or says what is missing", async () => {
    const folder = join(scratchFolder(), "temporary")
    mkdirSync(folder)
    const own = await server({ environment: { TMPDIR: folder } })
    await goesOn(own)
    const { pid } = await statusOf(own)
    expect(readdirSync(folder).length).toBeGreaterThan(0)
    rmSync(folder, { recursive: true })
    await evaluate(own, "fault exit")
    await gone(pid)
    const next = await evaluate(own, "1+1")
    if (next.ok === false) {
      expect(next.error.text).toMatch(/k_\w+/)
      mkdirSync(folder, { recursive: true })
      await own.call("k_reload")
    }
    await goesOn(own)
    expect(isAlive(pid)).toBe(false)
  })
})
