/** Stores in PostgreSQL as a cluster's machines have them: each with its own pool, and with sessions whose epoch it has raised. */
import * as PgClient from "@effect/sql-pg/PgClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import type { SqlClient } from "effect/sql/SqlClient"
import { afterAll, beforeAll } from "vitest"
import { Ownership } from "../../src/store/Ownership.ts"
import * as epochs from "../../src/store/sql/epochs.ts"
import { migrate } from "../../src/store/sql/migrations.ts"
import * as SqlStore from "../../src/store/sql/SqlStore.ts"
import type { Store } from "../../src/store/Store.ts"
import { isInstalled, Postgres } from "./postgres.ts"

/** A PostgreSQL server with the store's tables, for all tests of a file. */
export const withPostgres = (...options: readonly string[]): (() => Postgres) => {
  let postgres: Postgres | undefined
  beforeAll(async () => {
    if (!isInstalled) return
    postgres = await Postgres.start(...options)
    await Effect.runPromise(Effect.scoped(Effect.provide(migrate, client(postgres.url))))
  })
  afterAll(() => postgres?.remove())
  return () => postgres!
}

export const client = (url: string): Layer.Layer<SqlClient> =>
  Layer.orDie(PgClient.layer({ url: Redacted.make(url), applicationName: "k3-mcp", connectTimeout: "3 seconds" }))

interface Machine {
  readonly url: string
  readonly space: string
  readonly machine?: string
  readonly quota?: number
  /** The sessions that the machine owns from its start. */
  readonly owns?: readonly string[]
}

/** Runs an effect as a machine: over a new store, which is closed at the end. */
export const asMachine =
  ({ url, space, machine = "one", quota = 1e12, owns = ["main"] }: Machine) =>
  <A, E>(effect: Effect.Effect<A, E, Store | SqlClient | Scope.Scope>): Effect.Effect<A, E> => {
    const owning = Layer.effect(
      Ownership,
      Effect.gen(function* () {
        const raised = yield* Effect.forEach(owns, (session) => Effect.orDie(epochs.raise(space, session, machine)))
        const epochOf = new Map(owns.map((session, i) => [session, raised[i]!.epoch]))
        return Ownership.of({ epochOf: (session) => epochOf.get(session) })
      }),
    )
    const store = SqlStore.layer({ space, place: "the database of the test", quota }).pipe(Layer.provide(owning))
    const all = store.pipe(Layer.provideMerge(client(url)), Layer.provideMerge(Logger.layer([])))
    return Effect.provide(Effect.scoped(effect), Layer.fresh(all))
  }
