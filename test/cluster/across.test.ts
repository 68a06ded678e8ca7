/** What takes more than one session, or outlives a front end, when the sessions are on several machines. */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { ask } from "../e2e/hosted.ts"
import { headOf, key, metaOf } from "../lib/modernRequest.ts"
import { type Asked, front, runner, statusOf } from "./machines.ts"
import { cluster, perTest, postgres } from "./perTest.ts"
import { skipped, why } from "./prerequisites.ts"

perTest()

const wait = 150_000
type Call = (name: string, given?: object) => Promise<Asked>

const well = async (asked: Promise<Asked>): Promise<Asked> => {
  const done = await asked
  expect(done).toMatchObject({ isError: false })
  return done
}

const machineOf = async (call: Call, session: string): Promise<string> => (await well(call("k_status", { session }))).structured.machine

/** A name whose session is on another machine than that of `main`. */
const elsewhere = async (call: Call, make: (name: string) => Promise<unknown>): Promise<string> => {
  const home = await machineOf(call, "main")
  for (let n = 1; ; n++) {
    await make(`f${n}`)
    if ((await machineOf(call, `f${n}`)) !== home) return `f${n}`
  }
}

describe(`sessions of several machines${why}`, () => {
  it.skipIf(skipped)("X7 are forked, merged, compared and reloaded, from any front end", { timeout: wait }, async () => {
    await runner(cluster)
    await runner(cluster)
    const { call } = await front(cluster)
    await well(call("k_eval", { code: "a:!5\nb:7" }))
    await well(call("k_snapshot", { action: "save", name: "early" }))
    await well(call("k_eval", { code: "b:8" }))

    const other = await elsewhere(call, (name) => well(call("k_session", { action: "fork", name })))
    expect((await call("k_eval", { session: other, code: "b" })).text).toBe("8\n")
    expect((await call("k_history", { action: "list", session: other })).text).toContain("forked")
    const refused = await call("k_session", { action: "fork", name: other })
    expect(refused).toMatchObject({ isError: true, text: expect.stringContaining(`There is a session ${other} already`) })
    expect(await call("k_session", { action: "fork", session: "nobody", name: "g" })).toMatchObject({ isError: true })
    await well(call("k_session", { action: "fork", name: "g", snapshot: "early" }))
    expect((await call("k_eval", { session: "g", code: "b" })).text).toBe("7\n")

    await well(call("k_eval", { session: other, code: "c:`x\nb:9" }))
    expect(await call("k_session", { action: "merge", session: other, name: "main", names: ["b", "c"] })).toMatchObject({
      isError: true,
      text: expect.stringContaining("Nothing is merged"),
    })
    await well(call("k_session", { action: "merge", session: other, name: "main", names: ["b", "c"], overwrite: true }))
    expect((await call("k_eval", { code: "(b;c)" })).text).toBe("(9;`x)\n")
    expect(await call("k_session", { action: "merge", session: other, name: "main", names: ["z"] })).toMatchObject({
      isError: true,
      text: expect.stringContaining("has no z"),
    })

    await well(call("k_eval", { session: other, code: "b:1" }))
    const compared = await well(call("k_compare", { between: ["session:main", `session:${other}`], code: "b" }))
    expect(compared.structured).toMatchObject({ items: 1, differing: 1 })
    expect(await call("k_compare", { between: ["main", "nobody"], code: "b" })).toMatchObject({ isError: true })
    const scratch = await well(call("k_compare", { between: ["embedded", `session:${other}`], code: "a", session: other }))
    expect(scratch.structured).toMatchObject({ items: 1, differing: 0 })
    writeFileSync(join(cluster.shared, "script.k"), "b:2\n")
    const drift = await well(call("k_compare", { file: join(cluster.shared, "script.k"), session: other }))
    expect(drift.text).toContain("b")

    const reloaded = await well(call("k_reload", { session: other, check: ["a"] }))
    expect(reloaded.structured).toMatchObject({ ok: true, generation: 2, checks: { items: 1, differing: 0 } })
    expect((await call("k_eval", { session: other, code: "a" })).text).toContain("0 1 2 3 4\n")
    expect(await call("k_reload", { session: other, build: true })).toMatchObject({ isError: true })
    expect(await call("k_reload", { session: other, check_file: "/nowhere" })).toMatchObject({ isError: true })
  })

  it.skipIf(skipped)("B10 a name that a front end chooses is none of a session that was closed", { timeout: wait }, async () => {
    await runner(cluster)
    const [one, other] = [await front(cluster), await front(cluster)]
    const { name } = (await well(one.call("k_session", { action: "create" }))).structured
    await well(one.call("k_eval", { session: name, code: "b:42" }))
    await well(one.call("k_session", { action: "close", name }))
    const next = (await well(other.call("k_session", { action: "create" }))).structured.name
    expect(next).not.toBe(name)
    expect((await well(other.call("k_history", { action: "list", session: next }))).text).not.toContain("42")
  })

  it.skipIf(skipped)("X7 a reset of all sessions keeps the snapshots of one that is only stored", { timeout: wait }, async () => {
    const first = await runner(cluster)
    const { call } = await front(cluster)
    await well(call("k_eval", { code: "b:42" }))
    await well(call("k_snapshot", { action: "save", name: "early" }))
    first.process.kill("SIGTERM")
    await runner(cluster)
    await expect.poll(async () => (await call("k_session", { action: "list" })).text, { timeout: 60_000 }).toContain("on disk")
    expect((await well(call("k_reset", { all: true }))).text).toContain("main")
    await well(call("k_snapshot", { action: "restore", name: "early" }))
    expect((await call("k_eval", { code: "b" })).text).toContain("42")
  })

  it.skipIf(skipped)("X1 a comparison whose machine is killed is not run again on the next one", { timeout: wait }, async () => {
    const runners = [await runner(cluster), await runner(cluster)]
    const { call } = await front(cluster)
    await well(call("k_eval", { code: "b:42" }))
    const before = await machineOf(call, "main")
    const file = join(cluster.shared, "log.l")
    const code = `"${file}" 5:,"started"\nwhile[1;1]`
    const lost = call("k_compare", { between: ["embedded", "main"], code, timeout_ms: 60_000 })
    const starts = (): number => (existsSync(file) ? readFileSync(file, "latin1").split("started").length - 1 : 0)
    await expect.poll(starts).toBe(2)
    runners.find(({ address }) => before.startsWith(`${address}#`))!.process.kill("SIGKILL")
    expect(await lost).toMatchObject({ isError: true, text: expect.stringContaining("is not run again") })
    await expect.poll(async () => (await call("k_eval", { code: "1+1" })).text, { timeout: 60_000 }).toContain("2")
    expect(starts()).toBe(2)
  })

  it.skipIf(skipped)(
    "X8 a front end that is killed cancels what its clients waited for, and leaves what runs in the background",
    { timeout: wait },
    async () => {
      // The variable of the cancelled statement is lost if its interpreter, on a busy machine, is killed before it hears the interrupt.
      await runner({ ...cluster, env: { ...cluster.env, K3_INTERRUPT_GRACE: "60s" } })
      const [one, other] = [await front(cluster), await front(cluster)]
      const begun = await well(one.call("k_eval", { session: "back", code: "while[1;1]", background: true }))
      const file = join(cluster.shared, "log.l")
      const held = one.call("k_eval", { code: `b:5\n"${file}" 5:,"started"\nwhile[1;1]`, timeout_ms: 600_000 })
      held.catch(() => {})
      await expect.poll(() => existsSync(file)).toBe(true)
      const before = await statusOf(other.call)
      expect(before).toMatchObject({ phase: "evaluating" })
      one.own.process.kill("SIGKILL")
      await expect.poll(async () => (await other.call("k_status")).structured.phase, { timeout: 30_000 }).toBe("ready")
      expect((await other.call("k_eval", { code: "b" })).text).toContain("5")
      expect(await statusOf(other.call)).toMatchObject({ pid: before.pid, generation: before.generation })
      const { handle } = begun.structured
      expect((await other.call("k_output", { handle })).structured).toMatchObject({ phase: "running" })
      await well(other.call("k_session", { action: "interrupt", name: handle }))
      expect((await other.call("k_output", { handle })).structured).not.toMatchObject({ phase: "running" })
    },
  )

  it.skipIf(skipped)(
    "X9 a long output is read from any front end, also when the machine that printed it is gone",
    { timeout: wait },
    async () => {
      const first = await runner(cluster)
      const [one, other] = [await front(cluster), await front(cluster)]
      await well(one.call("k_session", { action: "create", name: "brief", ephemeral: true }))
      const secret = (await well(one.call("k_eval", { session: "brief", code: "!300000" }))).structured.truncated.handle
      const printed = await well(one.call("k_eval", { code: '`0:,/($!300000),\\:"\\n"' }))
      const { handle, bytes } = printed.structured.truncated
      expect(bytes).toBeGreaterThan(1024 ** 2)
      // Line 100001 is in neither the first nor the last 512 KiB.
      for (const line of [1, 100_001, 300_000])
        expect((await well(other.call("k_output", { handle, from: line }))).text).toContain(`${line - 1}\n`)
      const rows = (of: string) => postgres.run(`SELECT count(*) FROM k3_outputs WHERE handle = '${of}'`)
      // Not an earlier state of it, which was stored while it was printed.
      await expect.poll(() => rows(`${handle}' AND bytes = '${bytes}`), { timeout: 30_000 }).toBe("2")
      expect(await rows(secret)).toBe("0")
      first.process.kill("SIGKILL")
      await runner(cluster)
      const last = other.call("k_output", { handle, from: -1 })
      expect((await well(last)).text).toContain("299999\n")
      expect((await well(other.call("k_output", { handle, from: 1 }))).text).toContain("0\n1\n2\n")
      expect((await well(other.call("k_output", { handle, find: "299998" }))).structured.lines).toMatchObject([{ line: 299_999 }])
      const beyond = await well(other.call("k_output", { handle, from: 100_001 }))
      expect(beyond.structured.span[0]).toBe(bytes - 512 * 1024)
      expect(await other.call("k_output", { handle: secret })).toMatchObject({ isError: true, text: expect.stringContaining("no output") })
    },
  )

  it.skipIf(skipped)(
    "X10 a subscription hears of another front end's calls, and an ephemeral session that is gone begins no ordinary one",
    { timeout: wait },
    async () => {
      const first = await runner(cluster)
      const [one, other] = [await front(cluster), await front(cluster)]
      await well(one.call("k_eval", { code: "b:1" }))
      const uri = "k3://sessions/main/state"
      const heard: string[] = []
      other.client.setNotificationHandler("notifications/resources/updated", ({ params }) => void heard.push(params.uri))
      await other.client.subscribeResource({ uri })
      // The first look may tell of a session that it did not know; the second time it is a call.
      const again = async (): Promise<number> => {
        await well(one.call("k_eval", { code: "b:b+1" }))
        return heard.length
      }
      await expect.poll(again, { timeout: 30_000 }).toBeGreaterThan(1)
      expect(new Set(heard)).toEqual(new Set([uri]))

      await well(one.call("k_session", { action: "create", name: "brief", ephemeral: true }))
      await well(other.call("k_eval", { session: "brief", code: "c:3" }))
      await runner(cluster)
      first.process.kill("SIGTERM")
      await first.ended
      const gone = await other.call("k_eval", { session: "brief", code: "c" })
      expect(gone).toMatchObject({ isError: true, text: expect.stringContaining("Session brief was ephemeral and has ended") })
      expect(await one.call("k_eval", { session: "brief", code: "c" })).toMatchObject({ isError: true })
      expect((await well(one.call("k_eval", { code: "b>1" }))).text).toContain("1")
      await well(one.call("k_session", { action: "create", name: "brief" }))
      expect((await well(other.call("k_eval", { session: "brief", code: "1+1" }))).text).toContain("2")
    },
  )

  it.skipIf(skipped)(
    "X10 a mark of an ephemeral session that the database refuses to remove is removed later, and a session of its name does not end with its machine",
    { timeout: wait },
    async () => {
      const first = await runner(cluster)
      const { call } = await front(cluster)
      await well(call("k_session", { action: "create", name: "brief", ephemeral: true }))
      await postgres.run(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'refused'; END $$;
        CREATE TRIGGER refusing BEFORE DELETE ON k3_ephemeral FOR EACH ROW EXECUTE FUNCTION refuse()`)
      await well(call("k_session", { action: "close", name: "brief" }))
      await well(call("k_eval", { session: "brief", code: "c:3" }))
      expect(await postgres.run("SELECT session FROM k3_ephemeral")).toBe("brief")
      await postgres.run("DROP TRIGGER refusing ON k3_ephemeral; DROP FUNCTION refuse()")
      await expect.poll(() => postgres.run("SELECT session FROM k3_ephemeral")).toBe("")
      await runner(cluster)
      first.process.kill("SIGTERM")
      await first.ended
      expect((await well(call("k_eval", { session: "brief", code: "c" }))).text).toContain("3")
    },
  )

  it.skipIf(skipped)("S36 a task whose machine does not answer is not said to be unknown", { timeout: wait }, async () => {
    const hurried = { ...cluster, env: { K3_EVAL_TIMEOUT: "2s" } }
    const { process: machine } = await runner(hurried)
    const { url } = await front(hurried)
    const token = readFileSync(join(cluster.shared, "state", "token"), "utf8").trim()
    const request = async (method: string, params: object, name: string): Promise<any> => {
      const _meta = metaOf({ extensions: { [key("tasks")]: {} } })
      const { text } = await ask({ url: url.href }, token, { method, params: { ...params, _meta } }, headOf(method, name))
      return JSON.parse(text.startsWith("{") ? text : text.trim().split("data: ").at(-1)!)
    }
    const given = { name: "k_eval", arguments: { code: "while[1;1]", background: true } }
    const { taskId } = (await request("tools/call", given, "k_eval")).result
    expect((await request("tasks/get", { taskId }, taskId)).result).toMatchObject({ status: "working" })
    machine.kill("SIGSTOP")
    const { message } = (await request("tasks/get", { taskId }, taskId)).error
    expect(message).toContain("Session main is on its way to another machine")
    expect(message).not.toContain("There is no task")
  })
})
