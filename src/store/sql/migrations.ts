/**
 * The tables of the store in PostgreSQL, made by numbered steps.
 *
 * Guarantees: a step runs once, whole or not at all, however many processes start together. A step only adds, so machines of the previous
 * version go on working with the new tables; a step of a later version removes unneeded tables and columns. Does not: undo a step.
 */
import * as Effect from "effect/Effect"
import * as Migrator from "effect/sql/Migrator"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { patiently } from "./outage.ts"

/** The most bytes of a row's content. */
export const mostBytes = 512 * 1024

const tables = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // The owner of each session. The row stays when the session is removed, so that no epoch is used again.
  yield* sql`CREATE TABLE k3_sessions (
    space text COLLATE "C" NOT NULL,
    session text COLLATE "C" NOT NULL,
    epoch bigint NOT NULL,
    machine text,
    before text,
    raised_at timestamptz NOT NULL DEFAULT now(),
    bytes bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (space, session)
  )`
  yield* sql`CREATE INDEX k3_sessions_machine ON k3_sessions (machine)`
  // For each space, the number of document writes and the bytes of the documents.
  yield* sql`CREATE TABLE k3_spaces (
    space text COLLATE "C" PRIMARY KEY,
    revision bigint NOT NULL,
    bytes bigint NOT NULL DEFAULT 0
  )`
  // All contents, in parts. The session of a document is empty. `aside`: 0, or the number in k3_asides of a thing that is set aside.
  yield* sql`CREATE TABLE k3_contents (
    space text COLLATE "C" NOT NULL,
    session text COLLATE "C" NOT NULL,
    kind text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    aside bigint NOT NULL DEFAULT 0,
    part integer NOT NULL,
    version uuid NOT NULL,
    content bytea NOT NULL CHECK (octet_length(content) <= ${sql.literal(String(mostBytes))}),
    PRIMARY KEY (space, session, kind, name, aside, part)
  )`
  yield* sql`CREATE TABLE k3_asides (
    aside bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    space text COLLATE "C" NOT NULL,
    what text NOT NULL,
    why text NOT NULL,
    at timestamptz NOT NULL DEFAULT now()
  )`
  // Without compression by the database, which would cost time on every write: most values are encoded already.
  yield* sql`ALTER TABLE k3_contents ALTER COLUMN content SET STORAGE EXTERNAL`
})

/**
 * `contained`: the number of the latest history entry whose changes the stored variables have; null when the number is not known, or nothing
 * is stored. The number is valid only if `contained_epoch` equals `epoch`: a machine of the previous version raises `epoch` alone.
 */
const contained = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE k3_sessions ADD COLUMN contained bigint, ADD COLUMN contained_epoch bigint`
})

const run = Migrator.make({})({ table: "k3_migrations", loader: Migrator.fromRecord({ "1_tables": tables, "2_contained": contained }) })

/** Runs the missing steps; waits for the database during a short outage. */
export const migrate: Effect.Effect<void, SqlError | Migrator.MigrationError, SqlClient.SqlClient> = Effect.asVoid(patiently(run))
