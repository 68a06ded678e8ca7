/**
 * The epochs of sessions. The machine that raised a session's epoch last owns the session.
 *
 * Guarantees: each `raise` returns a number above all earlier ones of the session, across restarts of the database. After it, a write under an
 * older epoch changes nothing, even if the write began before. `raise` waits for the last statement of a write that is just ending.
 * Does not: notify the previous owner.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { patiently } from "./outage.ts"

export interface Raised {
  readonly epoch: number
  /** The machine that owned the session and did not release it, or the `to` of its release. */
  readonly before: string | undefined
  /** The number of the latest history entry whose changes the stored variables have; undefined when the number is not known. */
  readonly contained: number | undefined
}

export class Epochs extends Context.Service<
  Epochs,
  {
    /** Makes the machine the owner of the session. */
    readonly raise: (space: string, session: string, machine: string) => Effect.Effect<Raised, SqlError>
    /** The epoch and the owner. Undefined when no machine ever owned the session; `machine` is undefined when the session is released. */
    readonly current: (
      space: string,
      session: string,
    ) => Effect.Effect<{ readonly epoch: number; readonly machine: string | undefined } | undefined, SqlError>
    /** Ends the ownership. `to`: the machine that the next `raise` returns as `before`; undefined: none. False when the epoch is an older one. */
    readonly release: (space: string, session: string, epoch: number, to?: string) => Effect.Effect<boolean, SqlError>
  }
>()("k3-mcp/store/sql/Epochs") {
  static readonly layer: Layer.Layer<Epochs, never, SqlClient.SqlClient> = Layer.effect(
    Epochs,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      return Epochs.of({
        raise: (space, session, machine) =>
          Effect.map(
            patiently(sql<{ epoch: bigint; before: string | null; contained: bigint | null }>`
              INSERT INTO k3_sessions AS it (space, session, epoch, machine, contained, contained_epoch)
              VALUES (${space}, ${session}, 1, ${machine}, 0, 1)
              ON CONFLICT (space, session) DO UPDATE
              SET epoch = it.epoch + 1, before = it.machine, machine = excluded.machine, raised_at = now(),
                contained = CASE WHEN it.contained_epoch = it.epoch THEN it.contained END, contained_epoch = it.epoch + 1
              RETURNING epoch, before, contained`),
            ([row]) => ({
              epoch: Number(row!.epoch),
              before: row!.before ?? undefined,
              contained: row!.contained === null ? undefined : Number(row!.contained),
            }),
          ),
        current: (space, session) =>
          Effect.map(
            patiently(sql<{ epoch: bigint; machine: string | null }>`
              SELECT epoch, machine FROM k3_sessions WHERE space = ${space} AND session = ${session}`),
            ([row]) => row && { epoch: Number(row.epoch), machine: row.machine ?? undefined },
          ),
        release: (space, session, epoch, to) =>
          Effect.map(
            patiently(sql`
              UPDATE k3_sessions SET machine = ${to ?? null}
              WHERE space = ${space} AND session = ${session} AND epoch = ${epoch} RETURNING 1 AS done`),
            (rows) => rows.length > 0,
          ),
      })
    }),
  )
}
