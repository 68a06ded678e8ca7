/**
 * The history of a session in the database. The lines of one `append` are a row, or several rows if they are longer than a row may be.
 *
 * Guarantees: an `append` adds its lines once, even if the connection ends during the commit. Does not: parse entries.
 */
import * as Effect from "effect/Effect"
import { linesIn } from "../historyLines.ts"
import { blocks } from "../sealed.ts"
import type { HistoryStore } from "../Store.ts"
import type { SqlSpace } from "./SqlSpace.ts"

export const make = (session: string, space: SqlSpace): HistoryStore => {
  const { sql, rows, reading, writing } = space
  const what = `the history of session ${session}`
  const thing = (first: number) => ({ session, kind: "history", name: String(first) }) as const
  /** Segments whose last read failed. `setAside` leaves them, since their content is unknown. */
  const unread = new Set<number>()

  return {
    segments: Effect.map(
      reading(
        what,
        [],
        sql<{ readonly name: string; readonly bytes: number }>`
          SELECT name, sum(octet_length(content))::float8 AS bytes FROM k3_contents WHERE ${rows.where(session, "history")} GROUP BY name`,
      ),
      (found) =>
        found
          .flatMap(({ name, bytes }) => (/^[1-9]\d{0,14}$/.test(name) ? [{ first: Number(name), bytes }] : []))
          .sort((a, b) => a.first - b.first),
    ),
    lines: (first) =>
      Effect.map(reading(what, undefined, rows.bytes(thing(first))), (bytes) => {
        if (bytes === undefined) {
          unread.add(first)
          return []
        }
        unread.delete(first)
        return linesIn(bytes)
      }),
    append: (first, lines) => {
      const version = crypto.randomUUID()
      return writing(
        what,
        session,
        Effect.gen(function* () {
          const [row] = yield* sql<{ readonly next: number; readonly done: boolean }>`
            SELECT coalesce(max(part) + 1, 0) AS next, coalesce(bool_or(version = ${version}::uuid), false) AS done
            FROM k3_contents WHERE ${rows.of(thing(first))}`
          return row!.done ? 0 : yield* rows.add(thing(first), version, blocks(lines.map((line) => `${line}\n`)), row!.next)
        }),
      )
    },
    remove: (first) => writing(what, session, rows.remove(session, "history", [String(first)])),
    setAside: (first, why) =>
      unread.has(first) ? Effect.void : space.setAside(`${what} from ${first}`, why, session, rows.of(thing(first))),
  }
}
