/**
 * The tables of the store in PostgreSQL, as numbered steps.
 *
 * Guarantees: a step runs once, whole or not at all, however many processes begin at once. Machines of the version before go on working
 * beside a database of this one: a step only adds, and what it makes needless is removed by a step of a later version. Does not: go back.
 */
import * as Effect from "effect/Effect"
import * as Migrator from "effect/sql/Migrator"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { patiently } from "./outage.ts"

/** Bytes of a row's content at most. */
export const mostBytes = 512 * 1024

const tables = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // Who owns a session. A row stays when the session is gone: an epoch never comes back.
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
  // A space's documents, which any machine writes: their bytes, and how often one was written.
  yield* sql`CREATE TABLE k3_spaces (
    space text COLLATE "C" PRIMARY KEY,
    revision bigint NOT NULL,
    bytes bigint NOT NULL DEFAULT 0
  )`
  // Everything that is kept, in parts. A document has no session. `aside`: 0 counts, another one is a number of k3_asides.
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
  // Values are mostly coded already: to compress them again costs time on every write.
  yield* sql`ALTER TABLE k3_contents ALTER COLUMN content SET STORAGE EXTERNAL`
})

/**
 * `contained`: the number of the latest history entry whose changes the stored variables have; null when that is not known, or nothing is
 * stored. It counts only if `contained_epoch` is the epoch: a machine of the version before does not write it.
 */
const contained = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE k3_sessions ADD COLUMN contained bigint, ADD COLUMN contained_epoch bigint`
})

const run = Migrator.make({})({ table: "k3_migrations", loader: Migrator.fromRecord({ "1_tables": tables, "2_contained": contained }) })

/** Brings the tables to this version; a short outage is waited for. */
export const migrate: Effect.Effect<void, SqlError | Migrator.MigrationError, SqlClient.SqlClient> = Effect.asVoid(patiently(run))
