/** The owners of sessions in the database of the cluster. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { abandonable } from "../abandonable.ts"
import * as epochs from "../store/sql/epochs.ts"
import { makeTrying, patiently } from "../store/sql/outage.ts"
import { type OwnedSession, SessionOwners } from "./SessionOwners.ts"

/** The most time for the query of `mine`, ms: the lease waits for its answer. */
const brief = 1000

/**
 * The time between two attempts to raise an epoch. An entity begins uninterruptibly; without this, a machine that is told to end while the
 * database is away would wait for the database.
 */
const pause = Effect.interruptible(Effect.sleep("500 millis"))

export const layer = (machine: string) =>
  Layer.effect(
    SessionOwners,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const provided = Effect.provideService(SqlClient.SqlClient, sql)
      const trying = makeTrying()
      const owned = (condition: Fragment) =>
        Effect.map(
          sql<Omit<OwnedSession, "epoch"> & { readonly epoch: bigint }>`
            SELECT space, session, machine, epoch FROM k3_sessions WHERE ${condition} ORDER BY session`,
          (rows) => rows.map(({ epoch, ...row }): OwnedSession => ({ ...row, epoch: Number(epoch) })),
        )
      return SessionOwners.of({
        machine,
        setEphemeral: (space, session, epoch, is) => {
          // A `raise` waits for the change of the mark, so that it sees it.
          const mine = sql`
            SELECT space, session FROM k3_sessions WHERE space = ${space} AND session = ${session} AND epoch = ${epoch} FOR SHARE`
          return Effect.isSuccess(
            patiently(
              is
                ? sql`INSERT INTO k3_ephemeral (space, session) ${mine} ON CONFLICT DO NOTHING`
                : sql`DELETE FROM k3_ephemeral WHERE (space, session) IN (${mine})`,
            ),
          )
        },
        raise: (space, session) => {
          const raised = Effect.zipWith(
            provided(epochs.raise(space, session, machine)),
            patiently(sql`SELECT 1 FROM k3_ephemeral WHERE space = ${space} AND session = ${session}`),
            ({ epoch, before, contained }, marks) => ({ epoch, lost: before, contained, isMarked: marks.length > 0 }),
          )
          return Effect.eventually(Effect.tapError(raised, () => pause))
        },
        release: (space, session, epoch, lost) => Effect.ignore(provided(epochs.release(space, session, epoch, lost))),
        of: (space) => Effect.orElseSucceed(trying(owned(sql`space = ${space} AND machine IS NOT NULL`)), () => []),
        mine: Effect.orElseSucceed(Effect.timeout(abandonable(owned(sql`machine = ${machine}`)), brief), () => undefined),
      })
    }),
  )
