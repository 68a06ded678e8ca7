/** A database and a folder for each test of the suite that calls `perTest`; both are removed after the test. */
import { afterEach, beforeEach } from "vitest"
import { scratchFolder } from "../e2e/server.ts"
import { Postgres } from "../lib/postgres.ts"
import type { Cluster } from "./machines.ts"
import { node, skipped } from "./prerequisites.ts"

/** The database of the running test. */
export let postgres: Postgres
/** The cluster of the running test, without a machine yet. */
export let cluster: Cluster

const within = 60_000

export const perTest = (): void => {
  beforeEach(async () => {
    if (skipped) return
    postgres = await Postgres.start()
    cluster = { node: node!, database: postgres.url, shared: scratchFolder() }
  }, within)
  afterEach(async () => {
    if (!skipped) await postgres.remove()
  }, within)
}
