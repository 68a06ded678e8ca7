/** The tables of the cluster in its database, the secret that its machines share, and the number of each machine. */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Migrator from "effect/sql/Migrator"
import * as SqlClient from "effect/sql/SqlClient"
import { patiently } from "../store/sql/outage.ts"
import { table } from "./sqlStoredOutputs.ts"

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
