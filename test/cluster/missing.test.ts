/** Which evaluations are named after a machine was lost, on real processes and a real PostgreSQL (`prerequisites.ts`). */
import { describe, expect, it } from "vitest"
import { front, runner } from "./machines.ts"
import { cluster, perTest, postgres } from "./perTest.ts"
import { skipped, why } from "./prerequisites.ts"

/** The database refuses what is written of sessions, until the function that is returned is called. `which`: a condition on a row of k3_contents. */
const refusing = async (which: string): Promise<() => Promise<unknown>> => {
  await postgres.run(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'refused'; END $$;
    CREATE TRIGGER refusing BEFORE INSERT ON k3_contents FOR EACH ROW WHEN (${which}) EXECUTE FUNCTION refuse()`)
  return () => postgres.run("DROP TRIGGER refusing ON k3_contents; DROP FUNCTION refuse()")
}
const contained = () => postgres.run("SELECT contained FROM k3_sessions WHERE session = 'main'")
const storedHistory = () =>
  postgres.run(
    "SELECT coalesce(string_agg(convert_from(content, 'UTF8'), ''), '') FROM k3_contents WHERE kind = 'history' AND session = 'main'",
  )

/** The number of the latest entry with each code. */
const numbersOf = async ({ call }: Awaited<ReturnType<typeof front>>): Promise<Map<string, number>> => {
  const { structured } = await call("k_history", { action: "list" })
  return new Map(structured.entries.map(({ n, code }: { readonly n: number; readonly code: string }) => [code, n]))
}

describe(`missing evaluations in a cluster${why}`, () => {
  perTest()

  it.skipIf(skipped)(
    "X11 after kill -9 the next reply names by number what was answered and not written, each client once; the numbers go on above",
    { timeout: 150_000 },
    async () => {
      const runners = [await runner(cluster), await runner(cluster)]
      const one = await front(cluster)
      const other = await front(cluster)
      expect((await one.call("k_eval", { code: "b:1" })).isError).toBe(false)
      // An evaluation that changes nothing is contained as well.
      expect((await one.call("k_eval", { code: "1+1" })).text).toBe("2\n")
      await expect.poll(contained, { timeout: 20_000 }).toBe("2")
      await expect.poll(storedHistory).toContain("1+1")
      const allow = await refusing("true")
      expect((await one.call("k_eval", { code: "b:3" })).isError).toBe(false)
      expect((await one.call("k_eval", { code: "b:4" })).isError).toBe(false)
      expect((await other.call("k_eval", { code: "b:5" })).isError).toBe(false)
      const { structured: before } = await one.call("k_status")
      runners.find(({ address }) => String(before.machine).startsWith(`${address}#`))!.process.kill("SIGKILL")
      await allow()

      const asked = async ({ call }: typeof one) => {
        let reply = await call("k_eval", { code: "b" })
        for (; reply.isError; reply = await call("k_eval", { code: "b" })) expect(reply.text).toContain("lost")
        return reply.text
      }
      const told = await asked(one)
      expect(told).toContain("1 variable is back from disk")
      expect(told).toContain(
        "Note: evaluations 3 to 4 ran on a machine that is gone, and are not in what was restored. Lost: what those evaluations changed.",
      )
      expect(told).toMatch(/^1$/m)
      expect(await asked(one)).toBe("1\n")
      // What the other front end alone was answered is added when it asks; its client is told of all.
      const late = await asked(other)
      expect(late).toContain("Note: evaluations 3 to 4 ran on a machine that is gone")
      expect(late).toContain("Note: evaluation 5 ran on a machine that is gone, and is not in what was restored.")
      expect(await asked(other)).toBe("1\n")
      const again = await asked(one)
      expect(again).toContain("Note: evaluation 5 ran on a machine that is gone")
      expect(again).not.toContain("3 to 4")
      expect(await asked(one)).toBe("1\n")
      const numbers = await numbersOf(one)
      expect(numbers.get("b:1")).toBe(1)
      expect(numbers.get("1+1")).toBe(2)
      expect([...numbers.keys()].some((code) => /b:[345]/.test(code))).toBe(false)
      expect(numbers.get("b")).toBeGreaterThan(5)
    },
  )

  it.skipIf(skipped)(
    "X11 what the stored history has above the state is named, without a front end that knows; a session that moved in order names nothing",
    { timeout: 150_000 },
    async () => {
      const first = await runner(cluster)
      const one = await front(cluster)
      expect((await one.call("k_eval", { code: "b:1" })).isError).toBe(false)
      const joining = runner(cluster)
      // Before the second one is there, which may take the session at once and end what runs in it.
      expect(await one.call("k_eval", { code: "b:b" })).toMatchObject({ isError: false })
      const second = await joining
      first.process.kill("SIGTERM")
      expect((await first.ended).code).toBe(0)
      // Its last second, too, is in the history.
      await expect.poll(storedHistory).toContain("b:b")
      const moved = await one.call("k_eval", { code: "b" })
      expect(moved.text).toContain("1 variable is back from disk")
      expect(moved.text).not.toContain("is gone")
      await expect.poll(contained, { timeout: 20_000 }).toBe("3")
      const allow = await refusing("new.kind <> 'history'")
      expect((await one.call("k_eval", { code: "b:4" })).isError).toBe(false)
      await expect.poll(storedHistory, { timeout: 20_000 }).toContain("b:4")
      second.process.kill("SIGKILL")
      await allow()
      await runner(cluster)
      const other = await front(cluster)
      const told = await other.call("k_eval", { code: "b" })
      expect(told.text).toContain("Note: evaluation 4 ran on a machine that is gone, and is not in what was restored.")
      expect(told.text).toMatch(/^1$/m)
      const numbers = await numbersOf(other)
      expect(numbers.get("b:4")).toBe(4)
      expect(numbers.get("b")).toBe(5)
    },
  )
})
