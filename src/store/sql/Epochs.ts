/**
 * Who owns a session: the machine that raised its epoch last.
 *
 * Guarantees: of all who raise one, each gets another number, higher than every number before, however often the database restarts; from
 * then on no write under a lower one changes anything, also one that has begun. Waits for a write of the owner before that is just ending.
 * Does not: tell the owner before.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { patiently } from "./outage.ts"

export interface Raised {
  readonly epoch: number
  /** The machine that had it and did not release it. */
  readonly before: string | undefined
  /** The number of the latest history entry whose changes the stored variables have; undefined when that is not known. */
  readonly contained: number | undefined
}

export class Epochs extends Context.Service<
  Epochs,
  {
    /** Makes the machine the owner. */
    readonly raise: (space: string, session: string, machine: string) => Effect.Effect<Raised, SqlError>
    /** Undefined when nobody ever owned it; `machine` when it is released. */
    readonly current: (
      space: string,
      session: string,
    ) => Effect.Effect<{ readonly epoch: number; readonly machine: string | undefined } | undefined, SqlError>
    /** `to`: the machine that the next owner hears of as the one before; nobody when undefined. False when another one owns it by now. */
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
