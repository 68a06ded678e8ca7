/**
 * The epochs of sessions. The machine that raised a session's epoch last owns the session.
 *
 * Guarantees: each `raise` returns a number above all earlier ones of the session, across restarts of the database. After it, a write under an
 * older epoch changes nothing, even if the write began before. `raise` waits for the last statement of a write that is just ending.
 * Does not: notify the previous owner.
 */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { patiently } from "./outage.ts"

/**
 * Makes the machine the owner of the session. `before`: the machine that owned the session and did not release it, or the `to` of its release.
 * `contained`: the number of the latest history entry whose changes the stored variables have; undefined when the number is not known.
 */
export const raise = (space: string, session: string, machine: string) => {
  /** True from the second attempt on. An earlier one whose answer did not come may have made this machine the owner, which is no loss. */
  let isAgain = false
  return Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const attempt = Effect.suspend(() => {
      const lost = isAgain ? sql`CASE WHEN it.machine = excluded.machine THEN it.before ELSE it.machine END` : sql`it.machine`
      isAgain = true
      return sql<{ epoch: bigint; before: string | null; contained: bigint | null }>`
        INSERT INTO k3_sessions AS it (space, session, epoch, machine, contained, contained_epoch)
        VALUES (${space}, ${session}, 1, ${machine}, 0, 1)
        ON CONFLICT (space, session) DO UPDATE
        SET epoch = it.epoch + 1, before = ${lost}, machine = excluded.machine, raised_at = now(),
          contained = CASE WHEN it.contained_epoch = it.epoch THEN it.contained END, contained_epoch = it.epoch + 1
        RETURNING epoch, before, contained`
    })
    const [row] = yield* patiently(attempt)
    return {
      epoch: Number(row!.epoch),
      before: row!.before ?? undefined,
      contained: row!.contained === null ? undefined : Number(row!.contained),
    }
  })
}

/** Ends the ownership. `to`: the machine that the next `raise` returns as `before`; undefined: none. False when the epoch is an older one. */
export const release = Effect.fnUntraced(function* (space: string, session: string, epoch: number, to?: string) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* patiently(sql`
    UPDATE k3_sessions SET machine = ${to ?? null}
    WHERE space = ${space} AND session = ${session} AND epoch = ${epoch} RETURNING 1 AS done`)
  return rows.length > 0
})
