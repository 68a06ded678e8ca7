/** Epochs in the database of the cluster, the secret that its machines share, and the number of each machine. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import * as Migrator from "effect/sql/Migrator"
import * as SqlClient from "effect/sql/SqlClient"
import { Epochs as Stored } from "../store/sql/Epochs.ts"
import { patiently } from "../store/sql/outage.ts"
import { table } from "./sqlArchives.ts"
import { Epochs, type Owned } from "./Epochs.ts"

const secretBytes = 32

const tables = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE k3_cluster (one boolean PRIMARY KEY DEFAULT true CHECK (one), secret bytea NOT NULL)`
  yield* sql`CREATE SEQUENCE k3_machines`
})

/** The names of ephemeral sessions, for the next owner of each. */
const ephemeral = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE k3_ephemeral (space text COLLATE "C" NOT NULL, session text COLLATE "C" NOT NULL, PRIMARY KEY (space, session))`
})

/** Makes the tables. Each migration runs once, even when several machines start together. */
export const migrateCluster = Effect.asVoid(
  patiently(
    Migrator.make({})({
      table: "k3_cluster_migrations",
      loader: Migrator.fromRecord({ "1_cluster": tables, "2_outputs": table, "3_ephemeral": ephemeral }),
    }),
  ),
)

/** Gives a number that no other machine has or had, and the shared secret. The first machine makes the secret of `random` bytes. */
export const join = (random: (bytes: number) => Uint8Array) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* patiently(sql`INSERT INTO k3_cluster (secret) VALUES (${random(secretBytes)}) ON CONFLICT DO NOTHING`)
    const [row] = yield* patiently(sql<{ secret: Uint8Array; number: bigint }>`
      SELECT secret, nextval('k3_machines') AS number FROM k3_cluster`)
    return { secret: Redacted.make(row!.secret, { label: "secret of the cluster" }), number: Number(row!.number) }
  })

interface Row {
  readonly space: string
  readonly session: string
  readonly machine: string
  readonly epoch: bigint
}
const ownedOf = ({ epoch, ...row }: Row): Owned => ({ ...row, epoch: Number(epoch) })

/** The most time for the query of `mine`, ms: the lease waits for its answer. */
const brief = 1000

export const layer = (machine: string) =>
  Layer.effect(
    Epochs,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const stored = yield* Stored
      return Epochs.of({
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
              Effect.retry(stored.raise(space, session, machine), Schedule.spaced("500 millis")),
              ({ epoch, before, contained }) => ({ epoch, lost: before, contained }),
            ),
          ),
        release: (space, session, epoch, lost) => Effect.ignore(stored.release(space, session, epoch, lost)),
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
  ).pipe(Layer.provide(Stored.layer))
