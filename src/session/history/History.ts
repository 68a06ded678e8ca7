/**
 * The histories of all sessions: requests and replies. With a store, they survive restarts.
 *
 * Guarantees: `record` returns at once. The entry is written within about a second, and at an orderly end of the server; an entry that the store
 * refuses is retried. An entry that a crash of the server cut short is dropped when it is read, and counted as damaged. The histories
 * of all closed sessions together take no more memory than one history may. Does not: save the entries of a killed server's last second, or,
 * without a store, keep entries beyond that memory.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import { loggingDefects } from "../../loggingDefects.ts"
import { Settings } from "../../Settings.ts"
import { Caller } from "../Caller.ts"
import { HeldHistories } from "./HeldHistories.ts"
import { type HistoryEntry, HistoryLog, type HistoryPage, type HistoryRequest, parsed } from "./HistoryLog.ts"
import { type HistoryStore, Store, makeRetry } from "../../store/Store.ts"

/** ms between recording an entry and writing it. */
const writeDelay = 1000

export interface SessionHistory {
  /** Adds an entry, and gives it its number. */
  readonly record: (entry: Omit<HistoryEntry, "n">) => HistoryEntry
  /** The greatest number that an entry has, here or elsewhere; 0 without entries. */
  readonly last: number
  /** Later entries have greater numbers than this one, which an entry elsewhere has. */
  readonly reach: (number: number) => void
  /** The history for readers, as it is now. */
  readonly view: () => HistoryView
}

/** Records something other than an evaluation, in the name of the caller. `code`: K that does the same in an empty session. */
export const recordEvent = (
  { record }: SessionHistory,
  about: Pick<HistoryEntry, "generation"> & Partial<Pick<HistoryEntry, "code" | "output" | "event">>,
): Effect.Effect<void> =>
  Effect.zipWith(
    Clock.currentTimeMillis,
    Caller,
    (at, { name: by }) => void record({ at, by, code: "", output: "", ok: true, ms: 0, ...about }),
  )

/** A history for readers. */
export interface HistoryView {
  /** Number of the oldest kept entry. `last`: number of the newest entry, 0 without entries. */
  readonly first: number
  readonly last: number
  /** The newest entries before a number that contain a text, oldest first; none older than `from`. */
  readonly page: (request: HistoryRequest) => Effect.Effect<HistoryPage>
}

export class History extends Context.Service<
  History,
  {
    /** The history of a session, which need not be open. Read from the store on first use. */
    readonly of: (session: string) => Effect.Effect<SessionHistory>
    /** Keeps the history of an open session in memory until the scope closes. */
    readonly using: (session: string) => Effect.Effect<unknown, never, Scope.Scope>
    /**
     * Drops a session's history from memory, since another machine may add to it. `isWritten`: first writes the entries that the store does not have.
     * Entries that it refuses are lost, and without `isWritten` all of these.
     */
    readonly leave: (session: string, isWritten: boolean) => Effect.Effect<void>
  }
>()("k3-mcp/session/History") {
  static readonly layer = Layer.effect(
    History,
    Effect.gen(function* () {
      const { historyKept } = yield* Settings
      const store = yield* Store
      const held = new HeldHistories(historyKept)
      const opening = yield* Semaphore.make(1)
      const writing = yield* Semaphore.make(1)
      const due = yield* Latch.make()

      /** Writes one history. True when the store has all of it. */
      const writeOf = (session: string) =>
        Effect.suspend(() => {
          const present = held.all.get(session)
          return present === undefined ? Effect.succeed(true) : writeTo(store.history(session), present)
        })
      /** One history at a time, so that `leave` waits for one write, not for those of all sessions. */
      const alone = <A>(effect: Effect.Effect<A>) => Effect.uninterruptible(writing.withPermit(effect))

      const write: Effect.Effect<void> = Effect.gen(function* () {
        // `store.available` makes the state folder, which is not needed without a history.
        if (held.all.size === 0) return
        const isOnDisk = yield* store.available
        let isWritten = isOnDisk
        if (isOnDisk) for (const session of Array.from(held.all.keys())) isWritten = (yield* alone(writeOf(session))) && isWritten
        held.letGo(isOnDisk)
        if (!isWritten) yield* retryLater
      })
      const retryLater = yield* makeRetry(write)
      yield* Effect.addFinalizer(() => write)

      // All entries recorded during the delay are written together.
      yield* due.await.pipe(
        Effect.andThen(Effect.sleep(writeDelay)),
        Effect.andThen(due.close),
        Effect.andThen(loggingDefects("The histories were not written", write, retryLater)),
        Effect.forever,
        Effect.forkScoped,
      )

      const open = Effect.fnUntraced(function* (session: string) {
        const present = held.all.get(session)
        if (present !== undefined) return present
        const kept = store.history(session)
        const log = new HistoryLog(historyKept, kept.lines, yield* segmentsIn(kept), () => due.openUnsafe())
        held.all.set(session, log)
        held.letGo(yield* store.available)
        return log
      })

      return History.of({
        of: (session) =>
          Effect.suspend(() => {
            const present = held.use(session)
            return present === undefined ? opening.withPermit(Effect.uninterruptible(open(session))) : Effect.succeed(present)
          }),
        using: (session) => held.using(session),
        leave: (session, isWritten) =>
          alone(
            Effect.andThen(
              isWritten ? writeOf(session) : Effect.void,
              Effect.sync(() => held.all.delete(session)),
            ),
          ),
      })
    }),
  )
}

/** The stored segments up to the newest readable one. Only that one has its lines; unreadable newer ones are set aside. */
const segmentsIn = Effect.fnUntraced(function* (kept: HistoryStore) {
  const segments = [...(yield* kept.segments)]
  for (let newest = segments.pop(); newest !== undefined; newest = segments.pop()) {
    const lines = yield* kept.lines(newest.first)
    if (lines.some((line) => parsed(line) !== undefined)) return [...segments, { ...newest, lines }]
    yield* kept.setAside(newest.first, "holds no entry of a history")
  }
  return []
})

/** False when the store refused an entry. */
const writeTo = Effect.fnUntraced(function* (kept: HistoryStore, log: HistoryLog) {
  const { lines, gone } = log.unsaved()
  let isWritten = true
  for (const segment of lines) {
    if (yield* kept.append(segment.first, segment.lines)) log.saved(segment.first, segment.lines.length)
    else isWritten = false
  }
  yield* Effect.forEach(gone, kept.remove, { discard: true })
  return isWritten
})
