/**
 * Faults of the machine around the server, one per test (F4, continued from `faults.test.ts`): the clock is set, folders are full, read-only or
 * removed, processes or memory run out. After each fault the server answers the next call. docs/faults.md names the tests by their titles.
 */
import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { writeStandIn } from "../lib/standIn.ts"
import { evaluate, goesOn, scratchFolder, serverFile, start, statusOf } from "./server.ts"

/** A server on a machine whose faults the test controls. `begins`: its first fault. */
const fated = async (flags: readonly string[], engine = "embedded", begins = "") => {
  const file = join(scratchFolder(), "fate")
  writeFileSync(file, begins)
  const hook = join(import.meta.dirname, "../lib/fateful.cjs")
  const own = start(["--engine", engine, ...flags], { FATE: file }, [process.execPath, "--no-deprecation", "--require", hook, serverFile])
  await own.initialize()
  const set = (fate: string): void => {
    writeFileSync(`${file}.new`, fate)
    renameSync(`${file}.new`, file)
  }
  return { own, set }
}

const hasFence = process.platform === "linux" && spawnSync("bwrap", ["--ro-bind", "/", "/", "--unshare-user", "true"]).status === 0

const day = 86_400_000

describe.each([
  ["forward", day],
  ["back", -day],
])("F4 the clock jumps %s by a day", (_, by) => {
  it("in an evaluation: its deadline is the same, and variables are kept, captured and dated", async () => {
    const state = join(scratchFolder(), "state")
    const { own, set } = await fated(["--state-dir", state])
    await evaluate(own, "a:42")
    own.send({ id: "long", method: "tools/call", params: { name: "k_eval", arguments: { code: "while[1;b:1]", timeout_ms: 6000 } } })
    // Within the deadline, on a busy machine too.
    await expect.poll(async () => (await statusOf(own)).running?.statement).toBe("while[1;b:1]")
    set(`clock ${by}`)
    expect((await statusOf(own)).running.for_ms).toBeLessThan(10_000)
    const { result } = await own.message(({ id }) => id === "long")
    expect(result.structuredContent.error).toMatchObject({ name: "deadline", text: expect.stringContaining("variables are kept") })
    expect(await evaluate(own, "c:7\na")).toMatchObject({ ok: true, output: "42\n" })
    await expect.poll(async () => (await statusOf(own)).held).toBe(3)
    const { uptime_ms } = await statusOf(own)
    expect(uptime_ms).toBeGreaterThanOrEqual(0)
    expect(uptime_ms).toBeLessThan(day)
    expect((await own.call("k_status")).content[0].text).not.toMatch(/ -\d/)
    process.kill((await statusOf(own)).pid, "SIGKILL")
    await expect.poll(async () => (await statusOf(own)).generation).toBe(2)
    expect(await evaluate(own, "c")).toMatchObject({ ok: true, output: "7\n", restored: 3 })
    own.process.stdin!.end()
    expect((await own.ended).code).toBe(0)
  })

  it("while a session is idle: it is not taken for one that was idle all day", async () => {
    const { own, set } = await fated(["--state-dir", "none", "--session-ttl", "1h"])
    await evaluate(own, "a:1")
    const { pid } = await statusOf(own)
    set(`clock ${by}`)
    expect(await evaluate(own, "a")).toMatchObject({ ok: true, output: "1\n", generation: 1 })
    expect((await statusOf(own)).pid).toBe(pid)
  })

  it("while the breaker is open: it closes when its own time has passed", async () => {
    const build = writeStandIn()
    const flags = ["--build-dir", build, "--state-dir", "none", "--restart-crashes", "2", "--restart-first-delay", "1ms"]
    const { own, set } = await fated([...flags, "--restart-cooldown", "400ms"], "k3csharp")
    for (let turn = 0; turn < 4; turn++) await evaluate(own, "fault exit")
    expect((await statusOf(own)).phase).toBe("failed")
    set(`clock ${by}`)
    await expect.poll(async () => (await evaluate(own, "1+1")).ok).toBe(true)
  })
})

describe("F4 no processes are left", () => {
  it.each(["EAGAIN", "EMFILE", "ENOMEM"])(
    "%s: a launch says so, open sessions go on, and when there are some again it works",
    async (code) => {
      // On a busy machine there may be enough failed launches to open the breaker.
      const { own, set } = await fated(["--state-dir", "none", "--restart-first-delay", "1ms", "--restart-cooldown", "100ms"])
      await evaluate(own, "a:1")
      await expect.poll(async () => (await statusOf(own)).held).toBe(1)
      set(`spawn ${code}`)
      expect(await evaluate(own, "a")).toMatchObject({ ok: true, output: "1\n" })
      const failed = await evaluate(own, "1+1", { session: "other" })
      expect(failed.error).toMatchObject({
        name: "launch",
        text: expect.stringMatching(new RegExp(`could not be started[^]*${code}[^]*(?:k_reload|k_reset)`)),
      })
      process.kill((await statusOf(own)).pid, "SIGKILL")
      await expect.poll(async () => (await evaluate(own, "a")).ok).toBe(false)
      expect((await own.request("ping")).result).toEqual({})
      set("")
      await own.call("k_reset", { session: "other" })
      await expect.poll(async () => (await evaluate(own, "1+1")).ok).toBe(true)
      expect(await evaluate(own, "a")).toMatchObject({ ok: true, output: "1\n" })
      expect(await evaluate(own, "1+1", { session: "other" })).toMatchObject({ ok: true })
    },
  )

  it.skipIf(!hasFence)("EAGAIN for the trial of the fence: nothing is launched without one, and the next launch has it", async () => {
    const { own, set } = await fated(["--state-dir", "none"], "embedded", "spawn EAGAIN")
    expect(await evaluate(own, "1+1")).toMatchObject({
      ok: false,
      error: { name: "fence", text: expect.stringMatching(/EAGAIN[^]*Call again/) },
    })
    set("")
    await goesOn(own)
    expect((await statusOf(own)).fence).toBe("bubblewrap")
  })

  it("EAGAIN for a build command: said, and nothing changed", async () => {
    const { own, set } = await fated(["--build-dir", writeStandIn(), "--state-dir", "none"], "k3csharp")
    await evaluate(own, "a: 1")
    set("spawn EAGAIN")
    const reply = await own.call("k_reload", { build: true })
    expect(reply.content[0].text).toMatch(/EAGAIN[^]*k_\w+/)
    set("")
    expect(await evaluate(own, "a")).toMatchObject({ ok: true, output: expect.stringMatching(/^1/) })
  })
})

it("F4 EAGAIN for the launch of a newer build: k_status goes on to advise k_reload, since the build was not refused", async () => {
  const build = writeStandIn()
  const { own, set } = await fated(["--build-dir", build, "--state-dir", "none", "--fence", "off"], "k3csharp")
  await evaluate(own, "a: 1")
  writeFileSync(join(build, "K3CSharp.dll"), "a newer one")
  set("spawn EAGAIN")
  expect((await own.call("k_reload", {})).content[0].text).toContain("EAGAIN")
  set("")
  expect((await own.call("k_status", {})).content[0].text).toContain("A newer build is on disk; k_reload switches to it.")
  expect((await own.call("k_reload", {})).structuredContent).toMatchObject({ ok: true })
})

/** A file system of 256 KiB, and a shell in which it is mounted. */
const small = (place: string, then: string): readonly [string, ...string[]] => [
  "unshare",
  "-m",
  "/bin/sh",
  "-c",
  `mount -t tmpfs -o size=256k,mode=700 none '${place}' && ${then}exec "$0" "$@"`,
  process.execPath,
  serverFile,
]
const canMount = spawnSync("unshare", ["-m", "mount", "-t", "tmpfs", "none", "/mnt"], { stdio: "ignore" }).status === 0
const unmounted = canMount ? "" : ": skipped, nothing can be mounted here"

describe.skipIf(process.platform !== "linux")("F4 a folder", () => {
  it.skipIf(!canMount)(`for temporary files is full: long replies keep head and tail, and say what is not kept${unmounted}`, async () => {
    const place = scratchFolder()
    const own = start(
      ["--engine", "embedded", "--state-dir", "none"],
      { TMPDIR: place },
      small(place, `head -c 300000 /dev/zero > '${place}/filler' 2>/dev/null; `),
    )
    await own.initialize()
    const reply = await evaluate(own, '200000#"abcdefgh "')
    expect(reply).toMatchObject({ ok: true, truncated: expect.anything() })
    expect(reply.output.length).toBeLessThan(10_000)
    await goesOn(own)
  })

  it.skipIf(!canMount)(`for a build's copy is full: said, with what to do${unmounted}`, async () => {
    const place = scratchFolder()
    const build = writeStandIn()
    writeFileSync(join(build, "large.dll"), Buffer.alloc(400_000))
    const own = start(["--engine", "k3csharp", "--build-dir", build, "--state-dir", "none"], { TMPDIR: place }, small(place, ""))
    await own.initialize()
    expect((await evaluate(own, "1+1")).error).toMatchObject({ text: expect.stringMatching(/no space left|ENOSPC[^]*k_reload/i) })
    rmSync(join(build, "large.dll"))
    await own.call("k_reload")
    await goesOn(own)
  })

  it.skipIf(!canMount)(`of the state is full: told once, work goes on, and what fits again is kept${unmounted}`, async () => {
    const place = scratchFolder()
    const own = start(["--engine", "embedded", "--state-dir", place, "--persist-every", "1"], {}, small(place, ""))
    await own.initialize()
    expect(await evaluate(own, "a:!200000\n#a")).toMatchObject({ ok: true, output: "200000\n" })
    // Large values are captured only when the session is idle, which it never is while the test polls it.
    await expect
      .poll(async () => (await evaluate(own, "#a")).notice ?? (await statusOf(own)).notice, { timeout: 30_000, interval: 400 })
      .toMatch(/no space left[^]*Work goes on/i)
    expect(await evaluate(own, "a:1\na")).toMatchObject({ ok: true, output: "1\n" })
    await goesOn(own)
  })

  it.each([
    ["temporary files", (place: string) => [["--state-dir", "none"], { TMPDIR: place }] as const],
    ["the state", (place: string) => [["--state-dir", place], {}] as const],
  ])("for %s cannot be written: said, and work goes on", async (_, given) => {
    // No user can make a file there, not even root.
    const [flags, environment] = given("/sys/kernel")
    const own = start(["--engine", "embedded", ...flags], environment)
    await own.initialize()
    await evaluate(own, "a:1")
    const reply = await evaluate(own, '200000#"abcdefgh "')
    expect(reply).toMatchObject({ ok: true })
    expect(reply.output.length).toBeLessThan(10_000)
    await goesOn(own)
  })

  it("of the state is removed while the server runs: made again, or said, and work goes on", async () => {
    const state = join(scratchFolder(), "state")
    const own = start(["--engine", "embedded", "--state-dir", state, "--persist-every", "1"])
    await own.initialize()
    await evaluate(own, "a:1")
    await expect.poll(() => existsSync(join(state, "sessions"))).toBe(true)
    // Renamed first, since the server may be writing into the folder.
    renameSync(state, `${state}-gone`)
    expect(await evaluate(own, "b:2\na")).toMatchObject({ ok: true, output: "1\n" })
    await own.call("k_snapshot", { action: "save" })
    await goesOn(own)
    own.process.stdin!.end()
    expect((await own.ended).code).toBe(0)
    const again = start(["--engine", "embedded", "--state-dir", state])
    await again.initialize()
    expect(await evaluate(again, "a+b")).toMatchObject({ ok: true, output: "3\n" })
  })
})

it("F4 the server's own memory is small: floods, long histories and long messages do not end it", { timeout: 120_000 }, async () => {
  const own = start(["--engine", "embedded", "--state-dir", "none"], {}, [process.execPath, "--max-old-space-size=96", serverFile])
  await own.initialize()
  expect(await evaluate(own, '3000000#"abcdefgh "', { timeout_ms: 60_000 })).toMatchObject({ ok: true, truncated: expect.anything() })
  for (let turn = 0; turn < 5; turn++) await evaluate(own, `"${"x".repeat(1_000_000)}";${turn}`)
  for (let n = 0; n < 500; n++) own.send({ id: `m${n}`, method: "tools/call", params: { name: "k_eval", arguments: { code: "!500" } } })
  await own.message(({ id }) => id === "m499")
  // An object for each of the open brackets, or for each of the statements, would fill the memory many times.
  for (const code of ["(".repeat(1_000_000), "a\n".repeat(1_000_000), "{[".repeat(500_000)])
    expect(await evaluate(own, code, { timeout_ms: 60_000 })).toMatchObject({ ok: false })
  own.write(`${JSON.stringify({ jsonrpc: "2.0", id: "long", method: "ping", params: { filler: "y".repeat(20_000_000) } })}\n`)
  expect((await own.message(({ id }) => id === "long")).result).toEqual({})
  await goesOn(own)
})

it.skipIf(process.platform !== "linux").each(hasFence ? ["off", "required"] : ["off"])(
  "F4 the machine's memory runs out: the system ends an interpreter, or a program of K code, before the server, with the fence %s",
  async (fence) => {
    const own = start(["--engine", "embedded", "--fence", fence, "--shell", "allow"])
    await own.initialize()
    const { output } = await evaluate(own, "\\cat /proc/self/oom_score_adj")
    // The system takes the process for larger than it is by so many thousandths of the machine's memory.
    expect(Number(output)).toBeGreaterThanOrEqual(Number(readFileSync(`/proc/${own.process.pid}/oom_score_adj`, "utf8")) + 300)
  },
)

it.skipIf(!hasFence)("F4 a root is removed and made anew: file verbs say how to reach the new one, and k_reload does", async () => {
  const root = join(scratchFolder(), "root")
  mkdirSync(root)
  const own = start(["--engine", "embedded", "--fence", "required", "--roots", root])
  await own.initialize()
  await evaluate(own, "a:42")
  rmSync(root, { recursive: true })
  mkdirSync(root)
  writeFileSync(join(root, "file"), "new\n")
  const read = `0:"${join(root, "file")}"`
  expect((await evaluate(own, read)).error.text).toContain(
    "was moved or removed; an interpreter behind the fence reaches a new one after k_reload",
  )
  await own.call("k_reload")
  expect(await evaluate(own, `a;${read}`)).toMatchObject({ ok: true, output: ',"new"\n' })
})

/** In a user namespace of the test, the system allows no watch of a folder. */
const watchless = ["-Ur", "sh", "-c", 'echo 0 > /proc/sys/user/max_inotify_watches && exec "$@"', "sh"]
const canUnshare = hasFence && spawnSync("unshare", [...watchless, "bwrap", "--ro-bind", "/", "/", "--unshare-user", "true"]).status === 0

it.skipIf(!canUnshare)("F4 the user's watches of folders are used up: the first reply says what is not noticed", async () => {
  const own = start(["--engine", "embedded", "--fence", "required"], {}, ["unshare", ...watchless, process.execPath, serverFile])
  await own.initialize()
  const said = async (): Promise<string> => JSON.stringify((await own.call("k_eval", { code: "1+1" })).content)
  expect(await said()).toContain("Not all folders of K3_ROOTS are watched: the system allows no more; raise fs.inotify.max_user_watches")
  expect(await said()).not.toContain("watched")
})

it.skipIf(!hasFence)("F4 the server's hard limits are lower than those of the fence: there is a fence, with the lower ones", async () => {
  const limited = ["--data=3000000000", "--stack=4000000", "--nproc=200", process.execPath, serverFile]
  const own = start(["--engine", "embedded", "--fence", "required", "--shell", "allow"], {}, ["prlimit", ...limited])
  await own.initialize()
  const { output } = await evaluate(own, "\\cat /proc/self/limits")
  expect(output).toMatch(/^Max data size +3000000000 +3000000000/m)
  expect(output).toMatch(/^Max stack size +4000000 +4000000/m)
  expect(output).toMatch(/^Max processes +200 +200/m)
})
