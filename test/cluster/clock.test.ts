/** The wall clock of a runner is set. */
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { describe, expect, it } from "vitest"
import { saidBy } from "../e2e/listening.ts"
import { front, runner } from "./machines.ts"
import { cluster, perTest, postgres } from "./perTest.ts"
import { skipped, why } from "./prerequisites.ts"

perTest()

const imported = (name: string): string => `--import ${pathToFileURL(join(import.meta.dirname, "../lib", name)).href}`
const env = { NODE_OPTIONS: `${imported("movedClock.mjs")} ${imported("hurriedTimers.mjs")}`, K3_EVAL_TIMEOUT: "20s" }

describe(`the clock of a runner${why}`, () => {
  it.skipIf(skipped)(
    "X4 jumps forward by a day: no session counts as idle for a day, and the history has the time of the clock",
    async () => {
      const on = await runner({ ...cluster, env })
      const { call } = await front(cluster)
      expect(await call("k_session", { action: "create", name: "brief", ephemeral: true })).toMatchObject({ isError: false })
      for (const session of ["main", "brief"]) expect((await call("k_eval", { session, code: "a:5" })).isError).toBe(false)
      // The requests of these calls are over by then.
      await expect.poll(() => postgres.run("SELECT contained FROM k3_sessions WHERE session = 'main'")).toBe("1")
      on.process.kill("SIGUSR2")
      await saidBy(on, (log) =>
        (log.split("the clock is moved by 86400000")[1] ?? "").split("30 s are over").length > 3 ? true : undefined,
      )
      for (const session of ["main", "brief"]) expect(await call("k_eval", { session, code: "a" })).toMatchObject({ text: "5\n" })
      const { entries } = (await call("k_history", { action: "list" })).structured
      expect(Date.parse(entries[1].at) - Date.parse(entries[0].at)).toBeGreaterThan(86_000_000)
    },
    150_000,
  )
})
