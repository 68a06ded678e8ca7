/** Long outputs in the database of the cluster: two rows for each output, its beginning and its end. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import { patiently } from "../store/sql/outage.ts"
import { half, mostKept, StoredOutputs } from "./StoredOutputs.ts"

export const table = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE k3_outputs (
    space text COLLATE "C" NOT NULL,
    handle text COLLATE "C" NOT NULL,
    part integer NOT NULL,
    bytes bigint NOT NULL,
    newlines bigint NOT NULL,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    content bytea NOT NULL CHECK (octet_length(content) <= ${sql.literal(String(half))}),
    PRIMARY KEY (space, handle, part)
  )`
})

interface Row {
  readonly bytes: bigint
  readonly newlines: bigint
  readonly content: Uint8Array
}

export const layer = Layer.effect(
  StoredOutputs,
  Effect.map(SqlClient.SqlClient, (sql) =>
    StoredOutputs.of({
      save: (space, handle, { bytes, newlines, head, tail }) =>
        Effect.gen(function* () {
          yield* sql`DELETE FROM k3_outputs WHERE space = ${space} AND handle = ${handle}`
          for (const [part, content] of [head, tail].entries())
            yield* sql`INSERT INTO k3_outputs (space, handle, part, bytes, newlines, content)
              VALUES (${space}, ${handle}, ${part}, ${bytes}, ${newlines}, ${content})`
          yield* sql`DELETE FROM k3_outputs WHERE space = ${space} AND handle IN (
            SELECT handle FROM k3_outputs WHERE space = ${space} AND part = 0 ORDER BY at DESC OFFSET ${mostKept})`
        }).pipe(
          sql.withTransaction,
          patiently,
          Effect.as(true),
          Effect.orElseSucceed(() => false),
        ),
      find: (space, handle) =>
        Effect.map(
          patiently(sql<Row>`SELECT bytes, newlines, content FROM k3_outputs WHERE space = ${space} AND handle = ${handle} ORDER BY part`),
          ([head, tail]) =>
            head && tail && { bytes: Number(head.bytes), newlines: Number(head.newlines), head: head.content, tail: tail.content },
        ).pipe(Effect.orElseSucceed(() => undefined)),
    }),
  ),
)
