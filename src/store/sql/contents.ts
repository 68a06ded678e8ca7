/**
 * The rows of `k3_contents`. A thing is one text with a session (empty for documents), a kind and a name; each of its parts is a row.
 *
 * Guarantees: the content of a row has at most `mostBytes`. Does not: check the owner, or begin a transaction; `SqlSpace.ts` does both.
 */
import * as Effect from "effect/Effect"
import * as Iterable from "effect/Iterable"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { joinedBytes } from "../../joinedBytes.ts"
import type { DocumentKind } from "../documentKinds.ts"
import { type Form, unsealed } from "../sealed.ts"
import { mostBytes } from "./migrations.ts"
import { progressed } from "./outage.ts"

/** The name of a thing: ENGINE.NUMBER of a segment (`values`), the engine of a `state`, the number of the first entry of a `history`. */
export type ContentKind = "state" | "values" | "snapshot" | "history" | DocumentKind["name"]

export interface Thing {
  readonly session: string
  readonly kind: ContentKind
  readonly name: string
}

/** The most rows in one INSERT. */
const atOnce = 8

/** The same bytes in pieces of `mostBytes`; the last piece may be shorter. */
const pieces = function* (blocks: Iterable<Uint8Array>): Generator<Uint8Array> {
  let held: Uint8Array[] = []
  let size = 0
  for (const block of blocks)
    for (let at = 0; at < block.length;) {
      const some = block.subarray(at, at + mostBytes - size)
      held.push(some)
      at += some.length
      size += some.length
      if (size < mostBytes) continue
      yield joinedBytes(held)
      held = []
      size = 0
    }
  if (size > 0) yield joinedBytes(held)
}

export const make = (sql: SqlClient, space: string) => {
  /** The rows of a kind that are not set aside. */
  const where = (session: string, kind: ContentKind) => sql`space = ${space} AND session = ${session} AND kind = ${kind} AND aside = 0`

  /** The rows of a thing. */
  const of = ({ session, kind, name }: Thing) => sql`${where(session, kind)} AND name = ${name}`

  /** Removes rows; returns the number of bytes by which the space grows, which is never above 0. */
  const removed = (condition: ReturnType<typeof where>) =>
    Effect.map(
      sql<{ readonly grown: number }>`
        WITH gone AS (DELETE FROM k3_contents WHERE ${condition} RETURNING octet_length(content) AS bytes)
        SELECT 0 - coalesce(sum(bytes), 0)::float8 AS grown FROM gone`,
      ([row]) => row!.grown,
    )

  /** The parts of a thing, in order. */
  const parts = (thing: Thing) =>
    sql<{ readonly version: string; readonly content: Uint8Array }>`
      SELECT version, content FROM k3_contents WHERE ${of(thing)} ORDER BY part`

  const bytesOf = (all: Effect.Success<ReturnType<typeof parts>>): Uint8Array => joinedBytes(all.map(({ content }) => content))

  return {
    where,
    of,
    inSpace: (kind: ContentKind) => sql`space = ${space} AND kind = ${kind} AND aside = 0`,

    /** The content of a thing; empty when there is none. */
    bytes: (thing: Thing) => Effect.map(parts(thing), bytesOf),

    /** The version and the lines of a thing, or the reason why the lines cannot be used; undefined when there is none. */
    sealed: Effect.fnUntraced(function* (thing: Thing, form: Form) {
      const all = yield* parts(thing)
      return all.length === 0 ? undefined : { version: all[0]!.version, lines: yield* unsealed(form, bytesOf(all)) }
    }),

    /** The names of the things of a kind, sorted. */
    names: (session: string, kind: ContentKind): Effect.Effect<readonly string[], SqlError> =>
      Effect.map(
        sql<{ readonly name: string }>`SELECT DISTINCT name FROM k3_contents WHERE ${where(session, kind)} ORDER BY name`,
        (rows) => rows.map(({ name }) => name),
      ),

    versionOf: (thing: Thing): Effect.Effect<string | undefined, SqlError> =>
      Effect.map(sql<{ readonly version: string }>`SELECT version FROM k3_contents WHERE ${of(thing)} LIMIT 1`, ([row]) => row?.version),

    /** The number of these names that exist. */
    count: (session: string, kind: ContentKind, names: readonly string[]): Effect.Effect<number, SqlError> =>
      names.length === 0
        ? Effect.succeed(0)
        : Effect.map(
            sql<{ readonly count: number }>`
              SELECT count(DISTINCT name)::int4 AS count FROM k3_contents WHERE ${where(session, kind)} AND name = ANY(${names}::text[])`,
            ([row]) => row!.count,
          ),

    /** Adds parts, numbered from `first`; returns the number of bytes by which the space grows. */
    add: Effect.fnUntraced(function* (
      { session, kind, name }: Thing,
      version: string,
      blocks: Iterable<Uint8Array>,
      first = 0,
    ): Effect.fn.Return<number, SqlError> {
      let bytes = 0
      let part = first
      for (const some of Iterable.chunksOf(pieces(blocks), atOnce)) {
        const numbers = some.map(({ length }) => {
          bytes += length
          return part++
        })
        yield* sql`
          INSERT INTO k3_contents (space, session, kind, name, part, version, content)
          SELECT ${space}, ${session}, ${kind}, ${name}, part, ${version}::uuid, content
          FROM unnest(${numbers}::int4[], ${some}::bytea[]) AS parts (part, content)`
        yield* progressed
      }
      return bytes
    }),

    /** Removes the things of these names, or only their rows of `version`. Returns the growth of the space in bytes, 0 or less. */
    remove: (session: string, kind: ContentKind, names: readonly string[], version?: string): Effect.Effect<number, SqlError> =>
      names.length === 0
        ? Effect.succeed(0)
        : removed(
            sql`${where(session, kind)} AND name = ANY(${names}::text[]) AND ${version === undefined ? sql`true` : sql`version = ${version}::uuid`}`,
          ),

    /** Removes the things of a kind whose name starts with `beginning`. Returns the same. */
    removeAll: (session: string, kind: ContentKind, beginning = ""): Effect.Effect<number, SqlError> =>
      removed(sql`${where(session, kind)} AND starts_with(name, ${beginning})`),
  }
}
