/** The owners of sessions in the database of the cluster. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import * as epochs from "../store/sql/epochs.ts"
import { patiently } from "../store/sql/outage.ts"
import { type OwnedSession, SessionOwners } from "./SessionOwners.ts"

interface Row {
  readonly space: string
  readonly session: string
  readonly machine: string
  readonly epoch: bigint
}
const ownedOf = ({ epoch, ...row }: Row): OwnedSession => ({ ...row, epoch: Number(epoch) })

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
      return SessionOwners.of({
        machine,
        isEphemeral: (space, session) =>
          Effect.orElseSucceed(
            Effect.map(
              patiently(sql`SELECT 1 FROM k3_ephemeral WHERE space = ${space} AND session = ${session}`),
              (rows) => rows.length > 0,
            ),
            () => false,
          ),
        setEphemeral: (space, session, is) =>
          Effect.ignore(
            patiently(
              is
                ? sql`INSERT INTO k3_ephemeral (space, session) VALUES (${space}, ${session}) ON CONFLICT DO NOTHING`
                : sql`DELETE FROM k3_ephemeral WHERE space = ${space} AND session = ${session}`,
            ),
          ),
        raise: (space, session) =>
          Effect.orDie(
            Effect.map(
              Effect.retry(
                Effect.tapError(provided(epochs.raise(space, session, machine)), () => pause),
                { while: () => true },
              ),
              ({ epoch, before, contained }) => ({ epoch, lost: before, contained }),
            ),
          ),
        release: (space, session, epoch, lost) => Effect.ignore(provided(epochs.release(space, session, epoch, lost))),
        of: (space) =>
          Effect.orElseSucceed(
            patiently(
              Effect.map(
                sql<Row>`SELECT space, session, machine, epoch FROM k3_sessions WHERE space = ${space} AND machine IS NOT NULL ORDER BY session`,
                (rows) => rows.map(ownedOf),
              ),
            ),
            () => [],
          ),
        mine: Effect.orElseSucceed(
          Effect.timeout(
            Effect.map(sql<Row>`SELECT space, session, machine, epoch FROM k3_sessions WHERE machine = ${machine}`, (rows) =>
              rows.map(ownedOf),
            ),
            brief,
          ),
          () => undefined,
        ),
      })
    }),
  )
