/**
 * One principal's part of the database: its reads, its writes and its problems.
 *
 * Guarantees: no operation fails; a problem becomes a sentence of `trouble`. A write to a session is one transaction, which commits only if this
 * process owns the session at its end (`Ownership`) and the space does not grow beyond its quota. An operation tries for `patience`; after a
 * failure of the database, operations try once until the database answers. No sentence holds a text of the database or a credential.
 *
 * Does not: hold the quota exactly when several machines write at once; each of them counts only the bytes that are committed.
 */
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as SqlClient from "effect/sql/SqlClient"
import { SqlError, UnknownError } from "effect/sql/SqlError"
import { monotonic } from "../../elapsed.ts"
import { Ownership } from "../Ownership.ts"
import { RefusedWrites } from "../RefusedWrites.ts"
import { Trouble } from "../Trouble.ts"
import * as contents from "./contents.ts"
import { makeTrying, reasonOf } from "./outage.ts"
import { capital, goesOn, NotOwner, OverQuota, problemOf, type WriteError } from "./problems.ts"

export interface SpaceOptions {
  /** The name of the principal's space. */
  readonly space: string
  /** The name of the database in sentences, without credentials. */
  readonly place: string
  /** The most bytes that the space may have. */
  readonly quota: number
}

/** The database's limits for a transaction, ms: for standing still, and for waiting for a lock. */
const standstill = 5000
const lockWait = 8000

/** The error of a write to a database that is read only. */
const readOnly = new SqlError({ reason: new UnknownError({ cause: { code: "25006" } }) })

/** Runs `then` after a write that succeeded. */
export const whenWritten = <E>(write: Effect.Effect<boolean, E>, then: () => void): Effect.Effect<boolean, E> =>
  Effect.map(write, (done) => {
    if (done) then()
    return done
  })

export const make = Effect.fnUntraced(function* ({ space, place, quota }: SpaceOptions) {
  const sql = yield* SqlClient.SqlClient
  const { epochOf } = yield* Ownership
  const trouble = new Trouble()
  const refused = new RefusedWrites(yield* monotonic)
  const rows = contents.make(sql, space)

  const trying = makeTrying()

  /** The number of document writes in the space (`k3_spaces.revision`) that this process saw last. */
  let revision: number | undefined
  let takeovers = 0
  /** A read of documents failed: the database may have documents that this process has not seen. */
  let isBehind = false
  const takingOver = yield* Latch.make()

  /** Reports a failed operation. */
  const failed = (what: string, doing: "read" | "written", error: WriteError): Effect.Effect<void> => {
    const { subject, sentence } = problemOf(what, doing, error, place)
    return trouble.report(subject, sentence)
  }

  /** Runs a read. When the read fails, reports the failure and returns `otherwise`. */
  const reading = <A, const B>(what: string, otherwise: B, effect: Effect.Effect<A, SqlError>): Effect.Effect<A | B> =>
    trying(effect).pipe(
      // A write may still fail: on a full disk, or in a database that is read only.
      Effect.tap(Effect.sync(() => trouble.resolve("database read "))),
      Effect.catch((error) => Effect.as(failed(what, "read", error), otherwise)),
    )

  /** Forgets the refused writes of a session that is closed, or that another machine has: nobody tries them again. Their names end in the session's. */
  const giveUp = (session: string): void => void refused.forget((each) => each.endsWith(`session ${session}`))

  /** Runs a write. Returns its answer, or reports the failure and returns false. `resolved`: subjects of problems that a successful write ends. */
  const tryWrite = (what: string, effect: Effect.Effect<boolean, WriteError>, ...resolved: readonly string[]): Effect.Effect<boolean> =>
    whenWritten(trying(effect), () => {
      const over = refused.forget((each) => each === what) ? ["database ", "quota"] : ["database read "]
      for (const about of [...over, `overtaken ${what}`, ...resolved]) trouble.resolve(about)
    }).pipe(
      Effect.catch((error) => {
        if (error._tag === "NotOwner") giveUp(error.session)
        else refused.add(what)
        return Effect.as(failed(what, "written", error), false)
      }),
    )

  const used = sql`(SELECT coalesce(sum(bytes), 0) FROM k3_sessions WHERE space = ${space})
    + (SELECT coalesce(sum(bytes), 0) FROM k3_spaces WHERE space = ${space})`
  const isWithin = (grown: number) => sql`(${grown}::float8 <= 0 OR ${used} + ${grown}::float8 <= ${quota}::float8)`
  const overQuota = Effect.flatMap(
    sql<{ readonly used: number }>`SELECT (${used})::float8 AS used`,
    ([row]) => new OverQuota({ used: row!.used, most: quota }),
  )

  const mine = (session: string, epoch: number) => sql`space = ${space} AND session = ${session} AND epoch = ${epoch}`

  /** A process that stands still inside a transaction locks its rows for `standstill` at most. */
  const limits = sql`set_config('idle_in_transaction_session_timeout', ${String(standstill)}, true), set_config('lock_timeout', ${String(lockWait)}, true)`

  /** The first statement of a transaction. Fails when the session has another owner, before any content is sent. */
  const begin = Effect.fnUntraced(function* (session: string, epoch: number) {
    const [row] = yield* sql<{ readonly owned: boolean }>`
      SELECT ${limits}, EXISTS (SELECT 1 FROM k3_sessions WHERE ${mine(session, epoch)}) AS owned`
    if (!row!.owned) return yield* new NotOwner({ session, epoch })
  })

  /** The last statement of a transaction. Only this statement locks the session's row, so the next owner waits for the commit alone. */
  const finish = Effect.fnUntraced(function* (session: string, epoch: number, grown: number, contains: number | null | undefined) {
    const done = yield* sql`
      UPDATE k3_sessions SET bytes = bytes + ${grown}::bigint${contains === undefined ? sql`` : sql`, contained = ${contains}::bigint`}
      WHERE ${mine(session, epoch)} AND ${isWithin(grown)} RETURNING 1 AS done`
    if (done.length > 0) return
    yield* begin(session, epoch)
    return yield* overQuota
  })

  /**
   * Writes to a session. The effect returns the number of bytes by which the session grows; it may run several times. False when the write
   * failed. `contains`: the number of the latest history entry whose changes the stored variables have after the write; null: not known, or
   * nothing is stored.
   */
  const writing = <E extends WriteError>(
    what: string,
    session: string,
    effect: Effect.Effect<number, E>,
    contains?: number | null,
  ): Effect.Effect<boolean> =>
    tryWrite(
      what,
      Effect.suspend(() => {
        const epoch = epochOf(session)
        if (epoch === undefined) return new NotOwner({ session, epoch })
        return sql.withTransaction(
          Effect.flatMap(Effect.andThen(begin(session, epoch), effect), (grown) =>
            Effect.as(finish(session, epoch, grown, contains), true),
          ),
        )
      }),
      `owner ${session} `,
    )

  const tookOver = Effect.suspend(() => {
    takeovers++
    isBehind = false
    return takingOver.release
  })

  const saw = (now: number, own: boolean): Effect.Effect<unknown> =>
    Effect.suspend(() => {
      const before = revision
      revision = now
      return isBehind || (before !== undefined && now !== before + (own ? 1 : 0)) ? tookOver : Effect.void
    })

  const document = Effect.fnUntraced(function* <E extends WriteError>(effect: Effect.Effect<number, E>) {
    yield* sql`SELECT ${limits}`
    const grown = yield* effect
    yield* sql`INSERT INTO k3_spaces (space, revision) VALUES (${space}, 0) ON CONFLICT DO NOTHING`
    const [row] = yield* sql<{ readonly revision: bigint }>`
      UPDATE k3_spaces SET revision = revision + 1, bytes = bytes + ${grown}::bigint
      WHERE space = ${space} AND ${isWithin(grown)} RETURNING revision`
    return row === undefined ? yield* overQuota : Number(row.revision)
  })

  /**
   * Writes a document. Any machine may write it. False when the write failed; no problem is reported when another machine was quicker, since a
   * takeover follows.
   */
  const writingDocument = <E extends WriteError>(what: string, effect: Effect.Effect<number, E>): Effect.Effect<boolean> =>
    tryWrite(
      what,
      sql.withTransaction(document(effect)).pipe(
        Effect.flatMap((now) => Effect.as(saw(now, true), true)),
        Effect.catchIf(
          (error) => error._tag === "Overtaken" || (error._tag === "SqlError" && error.reason._tag === "UniqueViolation"),
          () => Effect.as(tookOver, false),
        ),
      ),
    )

  /** Also finds a database that is read only: a front end may have nothing to write. */
  const available = Effect.gen(function* () {
    const row = yield* reading(
      "what is kept",
      undefined,
      Effect.map(
        sql<{ readonly revision: bigint | null; readonly fixed: boolean }>`
          SELECT (SELECT revision FROM k3_spaces WHERE space = ${space}) AS revision, current_setting('transaction_read_only')::bool AS fixed`,
        ([found]) => found,
      ),
    )
    if (row === undefined) return false
    if (row.fixed) yield* failed("what is kept", "written", readOnly)
    else trouble.resolve(`database written ${reasonOf(readOnly)}`)
    yield* saw(Number(row.revision ?? 0), false)
    return true
  })

  /**
   * Sets the rows of a condition aside under a new number of `k3_asides`, and reports it; false when that failed. `session`: the session of the rows;
   * undefined for documents.
   */
  const setAside = Effect.fnUntraced(function* (
    what: string,
    why: string,
    session: string | undefined,
    condition: ReturnType<typeof rows.where>,
  ): Effect.fn.Return<boolean> {
    let number = 0n
    const moved = Effect.gen(function* () {
      const [row] = yield* sql<{ readonly aside: bigint }>`
        INSERT INTO k3_asides (space, what, why) VALUES (${space}, ${what}, ${why}) RETURNING aside`
      yield* sql`UPDATE k3_contents SET aside = ${row!.aside} WHERE ${condition}`
      number = row!.aside
      return 0
    })
    const done = yield* session === undefined ? writingDocument(what, moved) : writing(what, session, moved)
    yield* trouble.report(
      `aside ${what}`,
      done
        ? `${capital(what)} ${why}. It was put aside as number ${number} of k3_asides.`
        : `${capital(what)} ${why}, and cannot be put aside. Nothing is written over it. ${goesOn}.`,
    )
    return done
  })

  return {
    sql,
    place,
    rows,
    giveUp,
    trouble,
    reading,
    writing,
    writingDocument,
    setAside,
    available,
    /** False when no document of any kind was ever written in the space. */
    mayHaveDocuments: Effect.map(available, (isKnown) => !isKnown || revision !== 0),
    /** Notes that a read of documents failed: `takeovers` grows when the database answers again. */
    missedDocuments: Effect.sync(() => {
      isBehind = true
    }),
    takeovers: () => takeovers,
    takenOver: takingOver.await,
  }
})

export type SqlSpace = Effect.Success<ReturnType<typeof make>>
