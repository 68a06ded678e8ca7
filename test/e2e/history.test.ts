/**
 * `k_history` on the built server: reading, replay and exports, which are run with `k3`.
 *
 * H3 the history is there after a restart. H4 an exported script makes the session again, an exported test passes and reports differences, and
 * neither is written outside K3_ROOTS.
 */
import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { begin, engines, k3csharpBuild, type RawServer, scratchFolder } from "./server.ts"
import { shared } from "./shared.ts"
import { inSession } from "./sharedServer.ts"

const k3 = (folder: string, ...args: readonly string[]) =>
  spawnSync(process.execPath, [join(import.meta.dirname, "../../dist/k3.js"), ...args], { encoding: "utf8", cwd: folder })

const session = [
  "a:1 2 3\n+/a",
  "f:{[x]\n  / a comment\n  x+1}\nf 1\nf `a\nb:2",
  '\\d .k.sub\nx:1.5 2 0n\nd:.((`a;1;);(`b;"q\\"";.,(`u;(1;`c);)))\ng:{x+1}\n\\d .k\nq:9;q+`',
  's:0;s..d:"+/a"\ns\n`0:"x\\n\\n> y\\n"',
  'v:+/\nm:(1 2;"ab";(`x;_n;+:))\ne:(!0;0#0.0;"";0#`;();,1;,"c")',
] as const
const reads = "a\nf 1\n.k.sub.x\n.k.sub.d\n.k.sub.d[`b.]\n.k.sub.g 1\ns\nv a\nm\ne\nq\n_ci 65"

const history = async (server: RawServer, action: string, rest: object = {}): Promise<any> => server.call("k_history", { action, ...rest })

/** An evaluation of this session that is stopped in its loop. */
const stopped = async (server: RawServer, session: string, given: object): Promise<void> => {
  const ended = server.call("k_eval", given)
  await expect.poll(async () => (await server.call("k_status")).structuredContent.running?.statement).toBe("while[1;]")
  await server.call("k_session", { action: "interrupt", name: session })
  await ended
}

describe("k_history", () => {
  const began = shared(async () => {
    const roots = scratchFolder()
    return { roots, server: await begin(["--engine", "embedded", "--roots", roots]) }
  })
  /** The shared server in that session, and a folder of the same name in its root. */
  const sharedFor = async (session: string) => {
    const { roots, server } = await began()
    const folder = join(roots, session)
    mkdirSync(folder)
    return { folder, server: inSession(server, session) }
  }

  it("H4 an export of a fork runs by itself: it holds the fork's first variables; a replay with another result reports it and the entries that ran", async () => {
    const { folder, server } = await sharedFor("main")
    for (const code of ["f:{x+y}\nv:1 2 3", "v"]) await server.call("k_eval", { code })
    await server.call("k_session", { action: "fork", name: "tests" })
    await server.call("k_eval", { code: "f[1;v]", session: "tests" })
    await history(server, "test", { session: "tests", file: join(folder, "t.cases") })
    const { status, stdout } = k3(folder, "--test", "t.cases")
    expect([status, stdout]).toEqual([0, expect.stringMatching(/1/)])
    expect((await history(server, "replay", { session: "tests", into: "again" })).structuredContent).toMatchObject({
      ok: true,
      ran: "1 to 2",
    })
    await server.call("k_eval", { code: "f:{x-y}", session: "other" })
    const { content } = await history(server, "replay", { from: 2, into: "other" })
    expect(content[0].text).toMatch(/^Entry 2 ended otherwise than it did then:/)
    expect((await history(server, "list", { text: "v" })).content[0].text).toMatch(/list takes no text/)
    for (const wrong of [{ limit: -1 }, { n: 1.5 }]) expect((await history(server, "list", wrong)).isError).toBe(true)
  })

  it("H2 H4 lists, searches, shows, replays and exports; the exports run", async () => {
    const { folder, server } = await sharedFor("listed")
    for (const code of session) await server.call("k_eval", { code })
    const shown = (await server.call("k_eval", { code: reads })).structuredContent.output

    const listed = (await history(server, "list", { limit: 4 })).structuredContent
    expect(listed.entries.map((entry: { n: number }) => entry.n)).toEqual([3, 4, 5, 6])
    expect((await history(server, "list", { cursor: listed.cursor })).structuredContent.entries).toHaveLength(2)
    const found = await history(server, "search", { text: "A COMMENT" })
    expect(found.structuredContent.entries).toMatchObject([{ n: 2, ok: false, error: "type" }])
    expect((await history(server, "show", { n: 2 })).content[0].text).toContain("  f `a\n  b:2\nended in type:\n  2\n  type error")

    expect((await history(server, "replay", { into: "listed-two" })).structuredContent).toEqual({ ok: true, ran: "1 to 6" })
    expect((await server.call("k_eval", { code: reads, session: "listed-two" })).structuredContent.output).toBe(shown)

    const script = (await history(server, "script")).structuredContent.text
    expect(script).toContain("f:{[x]\n  / a comment\n  x+1}\n")
    expect(script).toContain("\\d .k.sub\nx:1.5 2.0 0n\n")
    writeFileSync(join(folder, "s.k"), script)
    expect(k3(folder, "s.k", "-e", reads)).toMatchObject({ stdout: shown, stderr: "", status: 0 })

    const file = (await history(server, "test", { file: join(folder, "t.k") })).structuredContent.file
    expect(k3(folder, "--test", file)).toMatchObject({ stdout: "1 passed, 0 failed\n", status: 0 })
    const cases = readFileSync(file, "utf8")
    writeFileSync(file, cases.replace("> +/a\n6\n", "> +/a\n7\n"))
    const failed = k3(folder, "--test", file)
    expect(failed.stdout).toContain("expected\n  7\ngot\n  6\n")
    expect(failed).toMatchObject({ status: 1 })

    const transcript = (await history(server, "transcript", { to: 2 })).structuredContent.text
    expect(transcript).toMatch(/^# Session listed\n\n## 1 · .*\n\n```k\na:1 2 3\n\+\/a\n```\n\n```\n6\n```\n\n## 2 · .* · type\n/)
  })

  it("H4 an empty workspace begins a new case; undone and killed evaluations are in no export", async () => {
    const { folder, server } = await sharedFor("cases")
    await server.call("k_eval", { code: "a:1" })
    await server.call("k_eval", { code: "a:2\n1+`b", rollback: true })
    await stopped(server, "cases", { code: "b:7\nwhile[1;]" })
    await server.call("k_eval", { code: "(a;b)" })
    await server.call("k_reset")
    await server.call("k_eval", { code: "a" })
    await history(server, "test", { file: join(folder, "t.k") })
    expect(readFileSync(join(folder, "t.k"), "utf8")).toBe(
      "/ cases 1 to 4\n> a:1\n> b:7\n…\n> (a;b)\n1 7\n\n/ cases 6 to 6\n> a\nvalue error: a has no value\na\n^\n",
    )
    expect(k3(folder, "--test", "t.k").stdout).toBe("2 passed, 0 failed\n")
    const replayed = (await history(server, "replay", { into: "cases-two", to: 5 })).structuredContent
    expect(replayed).toEqual({ ok: true, ran: "1, 3 to 4", skipped: "2, 5" })
    // Here `a` has a value, so the last entry has another result.
    const other = (await history(server, "replay", { into: "cases-two", from: 6 })).structuredContent
    expect(other).toMatchObject({ ok: false, ran: "", stopped_at: 6, error: { name: "differs" } })
  })

  it("H4 what ran with args is in the history as code that runs alone; a replay and an export give the same", async () => {
    const { folder, server } = await sharedFor("args")
    const evaluate = async (code: string, args: object) => server.call("k_eval", { code, args })
    await evaluate("keep:+/n\nn,keep", { n: [1, 2], s: 'a\n"b' })
    await evaluate("s\n#n\nn+`a", { n: { a: 1 }, s: "x:y;" })
    await stopped(server, "args", { code: "while[1;]", args: { n: 1 } })
    await stopped(server, "args", { code: "n\nwhile[1;]", args: { n: 5 } })
    await evaluate("last:#n", { n: Array.from({ length: 100_000 }, (_, i) => i) })
    await server.call("k_eval", { code: "keep" })

    const { entries } = (await history(server, "list")).structuredContent
    expect(entries.map(({ code }: { code: string }) => code).slice(0, 3)).toEqual([
      'n:1 2 ⏎ s:"a\\012\\"b" ⏎ keep:+/n ⏎ n,keep',
      'n:.,(`a;1) ⏎ s:"x:y;" ⏎ s ⏎ #n ⏎ n+`a',
      "n:1 ⏎ while[1;]",
    ])
    expect((await history(server, "show", { n: 5 })).content[0].text).toContain("/ with args that were too long to keep\n  last:#n")
    const replayed = await history(server, "replay", { into: "args-two" })
    expect(replayed.structuredContent).toEqual({ ok: true, ran: "1 to 2, 4, 6", skipped: "3, 5" })
    expect(replayed.content[0].text).toContain("Skipped, since their code or args were too long to keep: 5.")
    expect((await server.call("k_eval", { code: "keep,n", session: "args-two" })).structuredContent.error).toMatchObject({ at: "n" })

    const { file } = (await history(server, "test", { file: join(folder, "t.k") })).structuredContent
    expect(readFileSync(file, "utf8")).toContain("/ not in it, since code or args were too long to keep: 5\n> n:1 2\n")
    expect(k3(folder, "--test", file).stdout).toBe("1 passed, 0 failed\n")
  })

  it("H4 an exported test passes when the output has bytes that replies escape", async () => {
    const { folder, server } = await sharedFor("bytes")
    await server.call("k_eval", { code: '`0:"a\\001b\\002\\025"\n"\\001"' })
    const { file } = (await history(server, "test", { file: join(folder, "t.k") })).structuredContent
    expect(k3(folder, "--test", file).stdout).toBe("1 passed, 0 failed\n")
  })

  it("H4 writes inside K3_ROOTS and nowhere else, links included", async () => {
    const folder = scratchFolder()
    const outside = scratchFolder()
    mkdirSync(join(folder, "in"))
    symlinkSync(outside, join(folder, "in/link"))
    symlinkSync(join(outside, "dangling"), join(folder, "in/dangling"))
    const server = await begin(["--engine", "embedded", "--roots", join(folder, "in")])
    await server.call("k_eval", { code: "a:1" })
    for (const file of ["../x.k", "link/x.k", "dangling", join(outside, "x.k"), join(folder, "x.k"), "nul\0"].map((name) =>
      name.startsWith("/") ? name : join(folder, "in", name),
    )) {
      const { structuredContent, isError } = await history(server, "script", { file })
      expect({ file, isError, name: structuredContent.error?.name }).toEqual({ file, isError: true, name: "file" })
    }
    expect(existsSync(join(outside, "x.k")) || existsSync(join(outside, "dangling")) || existsSync(join(folder, "x.k"))).toBe(false)
    const given = join(folder, "in")
    expect((await history(server, "script", { file: given })).structuredContent.error.text).toBe(
      `"${given}" cannot be used: illegal operation on a directory. Put that right, or call again with another file, in a folder that is there.`,
    )
    const written = (await history(server, "script", { file: join(folder, "in/y.k") })).structuredContent.file
    expect(readFileSync(written, "utf8")).toBe("a:1\n")
  })

  it("H4 no export goes to a file that programs outside of the fence heed", async () => {
    const folder = scratchFolder()
    const root = join(folder, ".claude/work")
    for (const each of [".git/hooks", "build/bin"]) mkdirSync(join(root, each), { recursive: true })
    symlinkSync(".git/hooks", join(root, "link"))
    const server = await begin(["--engine", "embedded", "--fence", "off", "--roots", root, "--build-dir", join(root, "build/bin")])
    await server.call("k_eval", { code: "a:1" })
    for (const [file, name] of [
      [".mcp.json", ".mcp.json"],
      [".git/hooks/pre-commit", ".git"],
      ["link/pre-commit", ".git"],
      ["build/x.cs", "x.cs"],
    ] as const) {
      const { structuredContent } = await history(server, "script", { file: join(root, file) })
      expect(structuredContent.error).toMatchObject({
        name: "file",
        text: expect.stringContaining(`programs outside of the fence heed ${name}. Call again`),
      })
      expect(existsSync(join(root, file))).toBe(false)
    }
    for (const action of ["test", "transcript"])
      expect((await history(server, action, { file: join(root, ".envrc") })).structuredContent.ok).toBe(false)
    expect((await history(server, "script", { file: join(root, "a.k") })).structuredContent.file).toBe(join(root, "a.k"))
  })

  it("H3 is there after a restart, and names missing entries", async () => {
    const args = ["--engine", "embedded", "--state-dir", join(scratchFolder(), "state")]
    const first = await begin(args)
    await first.call("k_eval", { code: "a:1 2 3" })
    first.process.stdin!.end()
    await first.ended
    const second = await begin(args)
    expect((await history(second, "list")).structuredContent.entries).toMatchObject([{ n: 1, code: "a:1 2 3" }])
    await second.call("k_eval", { code: "2+2" })
    expect((await history(second, "search", { text: "4" })).structuredContent.entries).toMatchObject([{ n: 2, output: "4" }])
    expect((await history(second, "show", { n: 3 })).content[0].text).toContain("it has 1 to 2")
  })

  it("never waits for a running evaluation", async () => {
    const { server } = await sharedFor("busy")
    await server.call("k_eval", { code: "a:1" })
    while ((await server.call("k_status")).structuredContent.held !== 1);
    void server.call("k_eval", { code: "while[1;]", timeout_ms: 20_000 })
    expect((await history(server, "list")).structuredContent.entries).toHaveLength(1)
    expect((await history(server, "script")).structuredContent.text).toBe("a:1\n")
    expect((await server.call("k_status")).structuredContent.phase).toBe("evaluating")
    await server.call("k_session", { action: "interrupt", name: "busy" })
  })

  it.skipIf(k3csharpBuild === undefined)("H4 a script of a K3CSharp session makes it again", async () => {
    const folder = scratchFolder()
    const server = await begin(["--engine", "k3csharp", "--build-dir", k3csharpBuild!, "--roots", folder])
    for (const code of ["a:1 2 3", "f:{x+1}", '\\d .k.sub\nx:1.5 2.5\ns:"a b"\n\\d .k']) await server.call("k_eval", { code })
    await history(server, "script", { file: join(folder, "s.k") })
    expect(k3(folder, "s.k", "-e", "a\nf 1\n.k.sub.x\n.k.sub.s").stdout).toBe('1 2 3\n2\n1.5 2.5\n"a b"\n')
    // K3CSharp prints the value of some assignments; the embedded interpreter, like Kx's, does not: the exported test shows this difference.
    expect((await history(server, "test", { to: 1 })).structuredContent.text).toBe("/ main 1 to 1\n> a:1 2 3\n1 2 3\n")
  })
})

describe.each(engines)("a crash record on %s", (name, args) => {
  it.skipIf(name === "k3csharp" && k3csharpBuild === undefined)(
    "H7 after kill -9: how, what came before, and a script that makes the variables again; over a restart, named by k_status",
    async () => {
      const folder = scratchFolder()
      const all = [...args, "--roots", folder, "--state-dir", join(scratchFolder(), "state")]
      const server = await begin(all)
      await server.call("k_eval", { code: "a:1 2 3\nf:{x+1}" })
      while ((await server.call("k_status")).structuredContent.held !== 2);
      process.kill((await server.call("k_status")).structuredContent.pid, "SIGKILL")
      while (!(await server.call("k_status")).structuredContent.last_crash);
      expect((await server.call("k_status")).content[0].text).toMatch(
        /Last crash: 1, .* in session main: the interpreter ended by signal SIGKILL/,
      )

      const { crash } = (await history(server, "crash")).structuredContent
      expect(crash).toMatchObject({ n: 1, reason: "exit", signal: "SIGKILL", engine: name, generation: 1, times: 1 })
      expect(crash.inputs.map(({ code }: { code: string }) => code)).toEqual(["a:1 2 3\nf:{x+1}"])
      expect(crash.memory).toBeGreaterThan(2 ** 20)
      const { file } = (await history(server, "crash", { n: 1, file: join(folder, "crash.k") })).structuredContent
      expect(k3(folder, file, "-e", "a\nf 1").stdout).toBe("1 2 3\n2\n")
      expect((await history(server, "crash", { n: 2 })).content[0].text).toContain("there are 1.")

      server.process.stdin!.end()
      await server.ended
      const next = await begin(all)
      expect((await history(next, "crash")).structuredContent.crash).toMatchObject({ n: 1, script: crash.script })
    },
  )
})
