/**
 * What was asked of each session and what came back, kept over restarts where there is a store.
 *
 * Guarantees: recording waits for nothing. An entry is on disk, whole, within a second, and at an orderly end; one that a crash of the server
 * cut short is dropped when it is read, and told of. The histories of all sessions that are not open take no more memory than one may. Does
 * not: keep what a killed server recorded in its last second; without a state folder, keep what memory has no room for.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import { Settings } from "../../Settings.ts"
import { type Entry, HistoryLog, type Page, type PageRequest, parsed } from "./HistoryLog.ts"
import { type HistoryStore, Store } from "../../store/Store.ts"

/** The most histories of sessions that are not open in memory. */
const mostIdle = 1000

/** ms from a record to its being written. */
const writeDelay = 1000

export interface SessionHistory {
  /** Adds an entry, and gives it its number. */
  readonly record: (entry: Omit<Entry, "n">) => Entry
  /** As it is now. */
  readonly view: () => HistoryView
}

/** A history for who reads it. */
export interface HistoryView {
  /** Number of the oldest entry kept and of the newest, which is 0 when there is none yet. */
  readonly first: number
  readonly last: number
  /** The newest before a number that hold a text, oldest first; none older than `from`. */
  readonly page: (request: HistoryRequest) => Effect.Effect<Page>
}

export interface HistoryRequest extends Omit<PageRequest, "wanted"> {
  /** In lower case; the name of who asked is searched for whole: `agent` is in many words of code. */
  readonly text?: string | undefined
}

export class History extends Context.Service<
  History,
  {
    /** Of the session of that name, whether it is open or not; read from disk when it is first asked for. */
    readonly of: (session: string) => Effect.Effect<SessionHistory>
    /** The session of that name is open, and records, until the scope closes. */
    readonly using: (session: string, scope: Scope.Scope) => Effect.Effect<void>
  }
>()("k3-mcp/session/History") {
  static readonly layer = Layer.effect(
    History,
    Effect.gen(function* () {
      const { historyKept } = yield* Settings
      const store = yield* Store
      /** Those asked for last are the last. */
      const logs = new Map<string, { readonly log: HistoryLog; readonly history: SessionHistory }>()
      /** How many use the one of that name: a session may be opened while the one before it is closing. */
      const users = new Map<string, number>()
      const opening = yield* Semaphore.make(1)
      const writing = yield* Semaphore.make(1)
      const due = yield* Latch.make()

      /** Lets go of the oldest that no session uses, when they hold more together than one may. */
      const letGo = (onDisk: boolean): void => {
        const idle = [...logs].filter(([session]) => !users.has(session))
        let bytes = idle.reduce((sum, [, { log }]) => sum + log.held, 0)
        let left = idle.length
        for (const [session, { log }] of idle) {
          if ((bytes <= historyKept && left <= mostIdle) || left === 1) return
          if (onDisk && !log.isSaved) continue
          logs.delete(session)
          bytes -= log.held
          left--
        }
      }

      const write = writing
        .withPermit(
          Effect.gen(function* () {
            // Without a history nothing asks for the folder, which would be made then.
            if (logs.size === 0) return
            if (!(yield* store.available)) return letGo(false)
            for (const [session, { log }] of logs) {
              const { lines, gone } = log.unsaved()
              const kept = store.history(session)
              for (const segment of lines)
                if (yield* kept.append(segment.first, segment.lines)) log.saved(segment.first, segment.lines.length)
              yield* Effect.forEach(gone, kept.remove, { discard: true })
            }
            letGo(true)
          }),
        )
        .pipe(Effect.uninterruptible)
      yield* Effect.addFinalizer(() => write)

      /** However many are recorded meanwhile, they are written at once. */
      yield* due.await.pipe(
        Effect.andThen(Effect.sleep(writeDelay)),
        Effect.andThen(due.close),
        Effect.andThen(write),
        Effect.forever,
        Effect.forkScoped,
      )

      /** The newest segment that can be read, with its lines, and those before it by what the folder tells of them. */
      const found = Effect.fnUntraced(function* (kept: HistoryStore) {
        const segments = [...(yield* kept.segments)]
        for (let newest = segments.pop(); newest !== undefined; newest = segments.pop()) {
          const lines = yield* kept.lines(newest.first)
          if (lines.some((line) => parsed(line) !== undefined)) return [...segments, { ...newest, lines }]
          yield* kept.setAside(newest.first, "holds no entry of a history")
        }
        return []
      })

      const open = Effect.fnUntraced(function* (session: string) {
        const present = logs.get(session)
        if (present !== undefined) return present.history
        const kept = store.history(session)
        const log = new HistoryLog(historyKept, kept.lines, yield* found(kept))
        const history: SessionHistory = {
          record: (entry) => {
            due.openUnsafe()
            return log.record(entry)
          },
          view: () => ({
            first: log.first,
            last: log.last,
            page: ({ text, ...request }) => log.page({ ...request, ...(text !== undefined && { wanted: holding(text) }) }),
          }),
        }
        logs.set(session, { log, history })
        letGo(yield* store.available)
        return history
      })

      return History.of({
        of: (session) =>
          Effect.suspend(() => {
            const present = logs.get(session)
            if (present === undefined) return opening.withPermit(Effect.uninterruptible(open(session)))
            logs.delete(session)
            logs.set(session, present)
            return Effect.succeed(present.history)
          }),
        using: (session, scope) => {
          const count = (by: number) =>
            Effect.sync(() => {
              const now = (users.get(session) ?? 0) + by
              if (now > 0) users.set(session, now)
              else users.delete(session)
            })
          return Effect.andThen(count(1), Scope.addFinalizer(scope, count(-1)))
        },
      })
    }),
  )
}

const holding =
  (text: string) =>
  ({ by, code, output, error }: Entry): boolean =>
    by?.toLowerCase() === text || [code, output, error?.name, error?.text].some((each) => each?.toLowerCase().includes(text))
