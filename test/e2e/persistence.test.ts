/** Persistence: the built server is started, used, ended and started again on the same state folder. */
import { chmodSync, mkdirSync, readdirSync, renameSync, statSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { begin, engines, k3csharpBuild, scratchFolder, type RawServer } from "./server.ts"

const folder = () => join(scratchFolder(), "state")

const closed = async (server: RawServer): Promise<void> => {
  server.process.stdin!.end()
  expect(await server.ended).toEqual({ code: 0, signal: null })
}

const killed = async (server: RawServer): Promise<void> => {
  server.process.kill("SIGKILL")
  expect((await server.ended).signal).toBe("SIGKILL")
}

const evaluated = async (server: RawServer, code: string, rest: object = {}) => {
  const { output, ...reply } = (await server.call("k_eval", { code, ...rest })).structuredContent
  return { ...reply, output: output?.trimEnd() }
}

const status = async (server: RawServer) => (await server.call("k_status")).structuredContent

/** Waits until a fact holds; only the test's own deadline limits it. */
const until = async (fact: () => Promise<boolean>): Promise<void> => {
  while (!(await fact())) await new Promise((resolve) => setTimeout(resolve, 10))
}

const files = (state: string) => readdirSync(state, { recursive: true, encoding: "utf8" }).toSorted()

const argumentsOf = (engine: string, state: string) => [
  "--engine",
  engine,
  "--state-dir",
  state,
  ...(engine === "embedded" || k3csharpBuild === undefined ? [] : ["--build-dir", k3csharpBuild]),
]
const startOn = (state: string, engine = "embedded", ...more: readonly string[]) => begin([...argumentsOf(engine, state), ...more])

describe.each(engines)("on %s", (engine) => {
  const test = engine === "embedded" || k3csharpBuild !== undefined ? it : it.skip

  test("S31 variables are restored after a shutdown, which is reported once", async () => {
    const state = folder()
    const first = await startOn(state, engine)
    await evaluated(first, 'a:1 2 3\nf:{x+"a"}\n.k.d.e:`x`y\n\\p 5')
    await evaluated(first, "b:5", { session: "Other.1" })
    await closed(first)
    expect(statSync(state).mode & 0o777).toBe(0o700)

    const second = await startOn(state, engine)
    const { stored } = (await status(second)).disk
    // Listed by the time at which they were written, which is the end of the server for both.
    expect(stored.map(({ name, variables }: { name: string; variables: number }) => [name, variables]).toSorted()).toEqual([
      ["Other.1", 1],
      ["main", 3],
    ])
    const interrupted = (name: string) => second.call("k_session", { action: "interrupt", name })
    expect((await interrupted("Other.1")).structuredContent).toMatchObject({ ok: true, stopped: false })
    expect((await interrupted("other")).structuredContent).toMatchObject({ ok: false, error: { name: "session" } })
    const notice = expect.stringMatching(/^Note: the server was restarted\. 3 variables are back from disk, as of .* ago\.$/)
    expect(await evaluated(second, "a")).toMatchObject({ ok: true, output: "1 2 3", restored: 3, notice })
    expect(await evaluated(second, "f")).toMatchObject({ output: engine === "embedded" ? '{x+"a"}' : "{x+a}" })
    expect((await evaluated(second, ".k.d.e")).notice).toBeUndefined()
    expect((await evaluated(second, "\\p")).output).toBe("5")
    expect(await evaluated(second, "b", { session: "Other.1" })).toMatchObject({ output: "5", restored: 1 })
    await closed(second)

    // Reading and restoring do not change the function: it still has its quotes.
    const third = await startOn(state, engine)
    // Code is validated against the names on disk before a child is launched.
    expect((await third.call("k_validate", { code: "f a,nosuch" })).structuredContent.issues).toMatchObject([{ column: 5 }])
    const again = await evaluated(third, "f 1")
    expect(again).toMatchObject({ ok: false, restored: 3 })
    expect(again.lost).toBeUndefined()
    expect(await evaluated(third, "a")).toMatchObject({ output: "1 2 3" })
    await closed(third)
  })

  test("S31 a reset removes the variables from disk too", async () => {
    const state = folder()
    const first = await startOn(state, engine)
    await evaluated(first, "a:1")
    await evaluated(first, "a:2", { session: "b" })
    await evaluated(first, "a:3", { session: "c" })
    await closed(first)
    const second = await startOn(state, engine)
    await second.call("k_reset", { session: "b" })
    await closed(second)
    const third = await startOn(state, engine)
    expect((await status(third)).disk.stored.map(({ name }: { name: string }) => name).toSorted()).toEqual(["c", "main"])
    await third.call("k_reset", { all: true })
    await closed(third)
    const fourth = await startOn(state, engine)
    expect((await status(fourth)).disk.stored).toBeUndefined()
    expect((await evaluated(fourth, "1")).notice).toBeUndefined()
    await closed(fourth)
  })

  test("S8 S31 a server whose terminal is closed writes its sessions", async () => {
    const state = folder()
    const first = await startOn(state, engine)
    await evaluated(first, "a:1")
    // At its end a server has little time for a capture: a busy K3CSharp may need more.
    await until(async () => (await first.call("k_status")).structuredContent.held === 1)
    first.process.kill("SIGHUP")
    expect(await first.ended).toEqual({ code: 0, signal: null })
    const second = await startOn(state, engine)
    expect(await evaluated(second, "a")).toMatchObject({ output: "1" })
    await closed(second)
  })

  test("S8 S31 a server that is ended during an evaluation writes the last capture", async () => {
    const state = folder()
    const first = await startOn(state, engine)
    await evaluated(first, "a:1")
    await until(async () => (await first.call("k_status")).structuredContent.held === 1)
    const loop = first.request("tools/call", { name: "k_eval", arguments: { code: "b:2\nwhile[1;c:1]" } })
    await until(async () => (await status(first)).running !== undefined)
    first.process.kill("SIGTERM")
    expect((await first.ended).code).toBe(0)
    void loop
    const second = await startOn(state, engine)
    expect(await evaluated(second, "a")).toMatchObject({ output: "1" })
    await closed(second)
  })

  test("S31 a killed server loses the changes after its last write", async () => {
    const state = folder()
    const first = await startOn(state, engine, "--persist-every", "2")
    await evaluated(first, "a:1")
    await evaluated(first, "b:2")
    await until(async () => (await status(first)).disk.behind === 0)
    // No capture, and no write, is made during an evaluation.
    void first.request("tools/call", { name: "k_eval", arguments: { code: "c:3\nwhile[1;d:1]" } })
    await until(async () => (await status(first)).running !== undefined)
    await killed(first)
    const second = await startOn(state, engine)
    expect(await evaluated(second, "a,b")).toMatchObject({ output: "1 2", restored: 2 })
    expect((await evaluated(second, "c")).ok).toBe(false)
    await closed(second)
  })
})

const both = k3csharpBuild === undefined ? it.skip : it
both("S31 what another engine made is named, and kept until that one answers again", async () => {
  const state = folder()
  const first = await startOn(state, "k3csharp")
  await evaluated(first, "a:1")
  await closed(first)
  const second = await startOn(state, "embedded")
  const { notice, lost } = await evaluated(second, "b:2")
  expect(lost).toEqual([{ name: ".k.a", reason: expect.stringMatching(/^k3csharp made it, and embedded cannot read/) }])
  expect(notice).toMatch(/^Note: the server was restarted/)
  await closed(second)
  const third = await startOn(state, "k3csharp")
  expect(await evaluated(third, "a")).toMatchObject({ output: "1", lost: [{ name: ".k.b" }] })
  await closed(third)
  const fourth = await startOn(state, "embedded")
  expect(await evaluated(fourth, "b")).toMatchObject({ output: "2" })
  await closed(fourth)
})

it("S22 S24 S31 a variable up to K3_CAPTURE_VALUE is restored after a crash with rollback, a reload and a restart; a larger one is reported at once", async () => {
  const state = folder()
  const limits = ["--capture-value", "1MiB", "--output-kept", "256KiB"]
  const first = await startOn(state, "embedded", ...limits)
  expect((await evaluated(first, "b:!200000\nb[7]:0")).notice).toBeUndefined()
  expect(await evaluated(first, "x:1;_exit 3", { rollback: true })).toMatchObject({ ok: false })
  expect(await evaluated(first, "+/b")).toMatchObject({ output: "-1474936487", restored: 1 })
  expect((await first.call("k_reload")).structuredContent).toMatchObject({ ok: true, restored: 1 })
  const { notice } = await evaluated(first, "c:!300000")
  expect(notice).toMatch(/loses \.k\.c \(it takes at least 1200016 bytes, and 1048576 are held of one \(K3_CAPTURE_VALUE\)\)/)
  await until(async () => /Not held for restoring: \.k\.c/.test((await status(first)).notice))
  expect((await evaluated(first, "d:c")).notice).toMatch(/\.k\.d/)
  expect((await evaluated(first, "1")).notice).toBeUndefined()
  await closed(first)
  const second = await startOn(state, "embedded", ...limits)
  expect(await evaluated(second, "+/b")).toMatchObject({ output: "-1474936487", restored: 1 })
  await closed(second)
})

it("S22 S31 variables that fit twice into a small memory are restored after a reload, a crash and a restart", async () => {
  const state = folder()
  const limits = ["--child-memory", "64MiB"]
  const first = await startOn(state, "embedded", ...limits)
  expect((await evaluated(first, "b:!4000000")).notice).toBeUndefined()
  expect((await first.call("k_reload")).structuredContent).toMatchObject({ ok: true, restored: 1 })
  expect(await evaluated(first, "_exit 3")).toMatchObject({ ok: false })
  expect(await evaluated(first, "#b")).toMatchObject({ output: "4000000", restored: 1 })
  await closed(first)
  const second = await startOn(state, "embedded", ...limits)
  expect(await evaluated(second, "b[3999999]")).toMatchObject({ output: "3999999", restored: 1 })
  await closed(second)
})

describe("the state folder", () => {
  it("S29 serves one server; the second says once that it keeps nothing, and the first one's end frees it, killed or not", async () => {
    const state = folder()
    const first = await startOn(state)
    await evaluated(first, "a:1")
    const second = await startOn(state)
    expect((await evaluated(second, "a:2")).notice).toMatch(/Another k3-mcp server works with the state folder/)
    expect((await evaluated(second, "a")).notice).toBeUndefined()
    expect((await status(second)).notice).toMatch(/Another k3-mcp server/)
    await closed(second)
    await closed(first)
    const third = await startOn(state)
    expect(await evaluated(third, "a")).toMatchObject({ output: "1", restored: 1 })
    await killed(third)
    const fourth = await startOn(state)
    expect(await evaluated(fourth, "a")).toMatchObject({ output: "1", restored: 1 })
    await closed(fourth)
  })

  it("S28 M1 that becomes unusable is reported on standard error; standard output has only messages", async () => {
    const state = folder()
    const server = await startOn(state)
    await evaluated(server, "a:1")
    await until(async () => files(state).some((path) => path.endsWith(".log")))
    renameSync(join(state, "sessions"), join(state, "elsewhere"))
    writeFileSync(join(state, "sessions"), "")
    await evaluated(server, "b:2")
    await until(async () => server.log().includes("1.log cannot be written"))
    expect(await evaluated(server, "a+b")).toMatchObject({ ok: true, output: "3" })
    await closed(server)
  })

  it("S29 is taken over when the first server has ended, which the next reply says; the data of both servers is there", async () => {
    const state = folder()
    const first = await startOn(state)
    await evaluated(first, "a:1")
    await evaluated(first, "c:3", { session: "only" })
    await first.call("k_snapshot", { action: "save" })
    const second = await startOn(state, "embedded", "--persist-every", "1")
    expect((await evaluated(second, "b:2")).notice).toMatch(/nothing is kept on disk by this one until that one ends/)
    await second.call("k_snapshot", { action: "save" })
    await closed(first)
    await until(async () => /The other k3-mcp server has ended/.test((await status(second)).notice))
    // Both are written at the takeover: no evaluation follows, and the server goes on.
    for (const file of [/^sessions\/main\/embedded\/state$/, /^sessions\/main\/snapshots\/./])
      await until(async () => files(state).some((path) => file.test(path)))
    const { notice } = await evaluated(second, "b")
    expect(notice).toMatch(/this server keeps its sessions in .* from now on\. What an earlier server kept of main is session main-2 now\./)
    expect((await evaluated(second, "b")).notice).toBeUndefined()
    expect(await evaluated(second, "a", { session: "main-2" })).toMatchObject({ output: "1", restored: 1 })
    expect(await evaluated(second, "c", { session: "only" })).toMatchObject({ output: "3", restored: 1 })
    await closed(second)
    const third = await startOn(state)
    expect(await evaluated(third, "b")).toMatchObject({ output: "2", restored: 1 })
    expect((await third.call("k_snapshot", { action: "list" })).structuredContent.snapshots).toMatchObject([
      { name: "baseline", variables: 1 },
    ])
    expect((await third.call("k_history", { action: "list", session: "main-2" })).structuredContent.entries).toMatchObject([
      { code: "a:1" },
      {},
    ])
    expect(await evaluated(third, "a", { session: "main-2" })).toMatchObject({ output: "1", restored: 1 })
    await closed(third)
  })

  it("S28 with a damaged file loses only that session, which is reported once; B9 a damaged snapshot is reported when it is used", async () => {
    const state = folder()
    const first = await startOn(state)
    await evaluated(first, "a:1")
    await evaluated(first, "b:2", { session: "b" })
    await first.call("k_snapshot", { action: "save", name: "early", session: "b" })
    await closed(first)
    for (const damaged of [/main.*values/, /snapshots.early$/])
      truncateSync(
        join(
          state,
          files(state).find((path) => damaged.test(path))!,
        ),
        40,
      )
    const second = await startOn(state)
    expect((await evaluated(second, "a:3")).notice).toMatch(
      /embedded cannot be used: values\.1 is cut short\. It was put aside as embedded\.damaged-/,
    )
    expect((await evaluated(second, "a")).notice).toBeUndefined()
    expect(await evaluated(second, "b", { session: "b" })).toMatchObject({ output: "2", restored: 1 })
    const { content } = await second.call("k_snapshot", { action: "diff", name: "early", session: "b" })
    expect(content[0].text).toMatch(/early is cut short\. It was put aside as [^]*has no snapshot/)
    await closed(second)
    expect(files(state).some((path) => /main.embedded\.damaged-[^/]*.values\.1$/.test(path))).toBe(true)
    const third = await startOn(state)
    expect(await evaluated(third, "a")).toMatchObject({ output: "3", restored: 1 })
    await closed(third)
  })

  it("S30 that cannot be written is reported once, and work goes on", async () => {
    const state = folder()
    mkdirSync(state)
    chmodSync(state, 0o777)
    const server = await startOn(state)
    expect(await evaluated(server, "a:1;a")).toMatchObject({
      ok: true,
      output: "1",
      notice: expect.stringMatching(/nothing is kept on disk/),
    })
    expect((await evaluated(server, "a")).notice).toBeUndefined()
    await closed(server)
    expect(files(state)).toEqual([])
  })

  it("is not made by a server that only answers the opening", async () => {
    const parent = scratchFolder()
    const server = await startOn(join(parent, "state"))
    await server.request("tools/list")
    await closed(server)
    expect(readdirSync(parent)).toEqual([])
  })
})
