/** Snapshots and named sessions on the built server, with both engines; and a short soak of kills (the long one: `test/kills.mjs`). */
import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { begin, engines, gone, k3csharpBuild, scratchFolder, type RawServer } from "./server.ts"

const text = async (server: RawServer, name: string, args: object): Promise<string> => (await server.call(name, args)).content[0].text

describe.each(engines)("on %s", (engine, args) => {
  const when = it.skipIf(engine === "k3csharp" && k3csharpBuild === undefined)

  when("B1 B2 an experiment is looked at and undone", async () => {
    const server = await begin(args)
    await server.call("k_eval", { code: "a:1 2 3\nf:{x+1}" })
    expect(await text(server, "k_snapshot", { action: "save" })).toBe("Snapshot baseline: 2 variables.")
    await server.call("k_eval", { code: "a:`x\nb:2.5" })
    expect(await text(server, "k_snapshot", { action: "diff" })).toMatch(
      /^Since baseline \([\d.]+ m?s ago\): 1 added, 1 changed\.\nadded \.k\.b: float 2\.5\nchanged \.k\.a: integers 3 1 2 3 → symbol `x$/,
    )
    expect(await text(server, "k_snapshot", { action: "restore" })).toContain("Restored: .k.a. Removed: .k.b.")
    expect((await server.call("k_eval", { code: "f a" })).structuredContent.output.trim()).toBe("2 3 4")
    expect(await text(server, "k_snapshot", { action: "diff" })).toContain("no difference")
    expect((await server.call("k_snapshot", { action: "restore", name: "other" })).isError).toBe(true)
  })

  when("B6 B8 a fork is tried in and closed, and its process goes", async () => {
    const server = await begin(args)
    await server.call("k_eval", { code: "a:1 2 3\nf:{x+1}" })
    expect(await text(server, "k_session", { action: "fork", name: "trial" })).toContain("2 variables were given to it.")
    expect((await server.call("k_eval", { code: "f a", session: "trial" })).structuredContent.output.trim()).toBe("2 3 4")
    await server.call("k_eval", { code: "a:0", session: "trial" })
    expect((await server.call("k_eval", { code: "a" })).structuredContent.output.trim()).toBe("1 2 3")
    const { sessions } = (await server.call("k_session", { action: "list" })).structuredContent
    expect(sessions).toMatchObject([
      { name: "main", engine, evaluations: 2, variables: 2 },
      { name: "trial", engine, evaluations: 2 },
    ])
    const { pid } = (await server.call("k_status", { session: "trial" })).structuredContent
    expect(await text(server, "k_session", { action: "close", name: "trial" })).toContain("is closed")
    await gone(pid)
    expect((await server.call("k_session", { action: "list" })).structuredContent.sessions).toHaveLength(1)
  })
})

it("S22 B1 kills in the middle of evaluations leave every variable equal, and no process", () => {
  const { status, stdout } = spawnSync(process.execPath, [join(import.meta.dirname, "../kills.mjs"), "5", "embedded"], { encoding: "utf8" })
  expect({ status, stdout }).toMatchObject({
    status: 0,
    stdout: expect.stringContaining("5 kills, variables equal after each, no process left"),
  })
}, 120_000)

describe.each(engines)("over restarts, on %s", (engine, args) => {
  const when = it.skipIf(engine === "k3csharp" && k3csharpBuild === undefined)

  when("B9 snapshots are there for the next server, which says whose they are; a closed session leaves none", async () => {
    const state = join(scratchFolder(), "state")
    const startAgain = () => begin([...args, "--state-dir", state])
    const end = async (server: RawServer): Promise<void> => {
      server.process.stdin!.end()
      await server.ended
    }
    const first = await startAgain()
    await first.call("k_eval", { code: 'a:1 2 3\nf:{x+1}\nt:"text"' })
    for (const name of ["One", "one", "gone"]) await first.call("k_snapshot", { action: "save", name })
    await first.call("k_snapshot", { action: "rename", name: "one", to: "two" })
    await first.call("k_snapshot", { action: "delete", name: "gone" })
    await first.call("k_eval", { code: "a:0" })
    await end(first)

    const second = await startAgain()
    const { snapshots } = (await second.call("k_snapshot", { action: "list" })).structuredContent
    expect(snapshots.map(({ name, variables }: { name: string; variables: number }) => [name, variables])).toEqual([
      ["One", 3],
      ["two", 3],
    ])
    expect(await text(second, "k_snapshot", { action: "diff", name: "two" })).toMatch(
      /changed \.k\.a: integers 3 1 2 3 → integer 0\n.*an earlier server/,
    )
    // The second server works in another folder.
    expect(await text(second, "k_snapshot", { action: "restore", name: "two" })).not.toMatch(/lost|\\cd/i)
    expect((await second.call("k_eval", { code: "f a" })).structuredContent.output.trim()).toBe("2 3 4")
    await second.call("k_session", { action: "close", name: "main" })
    await end(second)

    const third = await startAgain()
    expect(await text(third, "k_snapshot", { action: "list" })).toContain("no snapshot")
  })

  when("B9 a fork into the name of a session of which only snapshots are left keeps them", async () => {
    const state = join(scratchFolder(), "state")
    const first = await begin([...args, "--state-dir", state])
    await first.call("k_eval", { code: "a:1", session: "x" })
    await first.call("k_snapshot", { action: "save", name: "good", session: "x" })
    await first.call("k_reset", { session: "x" })
    await first.call("k_eval", { code: "b:2" })
    first.process.stdin!.end()
    await first.ended

    const second = await begin([...args, "--state-dir", state])
    expect((await second.call("k_session", { action: "fork", name: "x" })).structuredContent).toMatchObject({ ok: true, restored: 1 })
    const { snapshots } = (await second.call("k_snapshot", { action: "list", session: "x" })).structuredContent
    expect(snapshots).toMatchObject([{ name: "good", variables: 1 }])
    expect((await second.call("k_snapshot", { action: "restore", name: "good", session: "x" })).structuredContent.ok).toBe(true)
    expect((await second.call("k_eval", { code: "a", session: "x" })).structuredContent.output.trim()).toBe("1")
  })
})
