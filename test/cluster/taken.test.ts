/** A session that another machine takes from the machine to which its requests go on, as a late `raise` of a machine without the shard does. */
import { describe, expect, it } from "vitest"
import { front, runner, statusOf } from "./machines.ts"
import { cluster, perTest, postgres } from "./perTest.ts"
import { skipped, why } from "./prerequisites.ts"

perTest()

/** The epoch is raised for a machine that never answers a request. */
const take = () =>
  postgres.run("UPDATE k3_sessions SET epoch = epoch + 1, before = machine, machine = '127.0.0.1:9#99' WHERE session = 'main'")
const machine = () => postgres.run("SELECT machine FROM k3_sessions WHERE session = 'main'")

describe(`a session that is taken${why}`, () => {
  it.skipIf(skipped)("X3 goes on where its requests go, under a new epoch: told, and written again", { timeout: 150_000 }, async () => {
    const { address } = await runner(cluster)
    const { call } = await front(cluster)
    const status = () => statusOf(call)
    expect((await call("k_eval", { code: "b:1" })).isError).toBe(false)
    await expect.poll(async () => (await status()).disk.behind, { timeout: 20_000 }).toBe(0)
    const { pid, epoch } = await status()
    await take()
    // The session that is taken ends here; the next request begins it anew.
    await expect.poll(async () => (await call("k_status")).structured.pid, { timeout: 20_000 }).not.toBe(pid)
    let reply = await call("k_eval", { code: "c:2\nb" })
    for (; reply.isError; reply = await call("k_eval", { code: "c:2\nb" })) expect(reply.text).toContain("is not run again")
    expect(reply.text).toContain("1 variable is back from disk")
    expect(reply.text).toMatch(/^1$/m)
    expect(await machine()).toContain(address)
    expect((await status()).epoch).toBeGreaterThan(epoch + 1)
    const saved = await call("k_snapshot", { action: "save", name: "now" })
    expect(saved.isError).toBe(false)
    expect((await status()).disk.behind).toBe(0)
  })

  it.skipIf(skipped)(
    "X3 an evaluation in the middle of which the session is taken is told as lost, and the next call goes on",
    { timeout: 150_000 },
    async () => {
      await runner(cluster)
      const { call } = await front(cluster)
      expect((await call("k_eval", { code: "b:1" })).isError).toBe(false)
      await expect.poll(async () => (await statusOf(call)).disk.behind, { timeout: 20_000 }).toBe(0)
      const running = call("k_eval", { code: "b:2; while[1;b+:0]" })
      await expect.poll(async () => (await statusOf(call)).running, { timeout: 20_000 }).toBeDefined()
      await take()
      const told = await running
      expect(told.isError).toBe(true)
      expect(told.text).toContain("is not run again")
      expect(told.text).not.toContain("was closed")
      const next = await call("k_eval", { code: "b" })
      expect(next.isError).toBe(false)
      expect(next.text).toMatch(/^1$/m)
    },
  )

  it.skipIf(skipped)("X3 a snapshot whose session could not be written says so", { timeout: 150_000 }, async () => {
    await runner(cluster)
    const { call } = await front(cluster)
    expect((await call("k_eval", { code: "b:1" })).isError).toBe(false)
    await postgres.run(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'refused'; END $$;
        CREATE TRIGGER refusing BEFORE INSERT ON k3_contents FOR EACH ROW WHEN (NEW.kind IN ('state', 'values')) EXECUTE FUNCTION refuse()`)
    expect((await call("k_eval", { code: "b:2" })).isError).toBe(false)
    const saved = await call("k_snapshot", { action: "save", name: "now" })
    expect(saved.text).toContain("Snapshot now: 1 variable.")
    expect(saved.text).toContain("The session itself is not written to the database as it is now")
    expect((await call("k_status")).text).toContain("Session main cannot be written")
    await postgres.run("DROP TRIGGER refusing ON k3_contents; DROP FUNCTION refuse()")
    expect((await call("k_snapshot", { action: "save", name: "now" })).text).not.toContain("is not written")
  })
})
