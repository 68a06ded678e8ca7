/**
 * What was asked of each session and what came back, kept over restarts where there is a state folder.
 *
 *     sessions/<name>/history/<number of the first entry>.log      a segment: entries as JSON, one a line
 *
 * Guarantees: recording waits for nothing; what was recorded is on disk a second later, whole entries only, and at an orderly end; an
 * entry that a crash of the server cut short is dropped when it is read, and told of. Does not: keep what a killed server recorded in
 * its last second, nor anything on disk without a state folder.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import * as Semaphore from "effect/Semaphore"
import { Settings } from "../../Settings.ts"
import { type Entry, HistoryLog, type Page, type PageRequest, parsed } from "./HistoryLog.ts"
import { StateFolder } from "../disk/StateFolder.ts"
import { sessionFolder } from "../disk/sessionFiles.ts"

/** ms from a record to its being written. */
const writeDelay = 1000

export interface SessionHistory {
  /** Adds an entry, and gives it its number. */
  readonly record: (entry: Omit<Entry, "n">) => Entry
  /** Number of the oldest entry kept and of the newest, which is 0 when there is none yet. */
  readonly first: () => number
  readonly last: () => number
  /** The newest before a number for which `wanted` holds, oldest first; none older than `from`. */
  readonly page: (request: PageRequest) => Effect.Effect<Page>
}

export class History extends Context.Service<
  History,
  {
    /** Of the session of that name, whether it is open or not; read from disk when it is first asked for. */
    readonly of: (session: string) => Effect.Effect<SessionHistory>
  }
>()("k3-mcp/session/History") {
  static readonly layer = Layer.effect(
    History,
    Effect.gen(function* () {
      const { historyKept } = yield* Settings
      const disk = yield* StateFolder
      const logs = new Map<string, { readonly log: HistoryLog; readonly history: SessionHistory }>()
      const opening = yield* Semaphore.make(1)
      const writing = yield* Semaphore.make(1)
      const due = yield* Latch.make()

      const write = writing
        .withPermit(
          Effect.gen(function* () {
            // Without a history nothing asks for the folder, which would be made then.
            if (logs.size === 0 || !(yield* disk.available)) return
            for (const [session, { log }] of logs) {
              const { lines, gone } = log.unsaved()
              for (const segment of lines)
                if (yield* disk.append(fileOf(session, segment.first), segment.lines)) log.saved(segment.first, segment.lines.length)
              yield* Effect.forEach(gone, (first) => disk.remove(fileOf(session, first)), { discard: true })
            }
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

      const linesOf = (session: string, first: number): Effect.Effect<readonly string[]> =>
        Effect.map(disk.read(fileOf(session, first)), (bytes) =>
          bytes === undefined
            ? []
            : new TextDecoder()
                .decode(bytes)
                .split("\n")
                .filter((line) => line !== ""),
        )

      /** The newest segment that can be read, with its lines, and those before it by what the folder tells of them. */
      const found = Effect.fnUntraced(function* (session: string) {
        const segments = (yield* disk.list(folderOf(session)))
          .flatMap(({ name, bytes }) => (/^\d+\.log$/.test(name) ? [{ first: Number.parseInt(name, 10), bytes }] : []))
          .sort((a, b) => a.first - b.first)
        for (let newest = segments.pop(); newest !== undefined; newest = segments.pop()) {
          const lines = yield* linesOf(session, newest.first)
          if (lines.some((line) => parsed(line) !== undefined)) return [...segments, { ...newest, lines }]
          yield* disk.setAside(fileOf(session, newest.first), "holds no entry of a history")
        }
        return []
      })

      const open = Effect.fnUntraced(function* (session: string) {
        const present = logs.get(session)
        if (present !== undefined) return present.history
        const log = new HistoryLog(historyKept, (first) => linesOf(session, first), yield* found(session))
        const history: SessionHistory = {
          record: (entry) => {
            due.openUnsafe()
            return log.record(entry)
          },
          first: () => log.first,
          last: () => log.last,
          page: (request) => log.page(request),
        }
        logs.set(session, { log, history })
        return history
      })

      return History.of({
        of: (session) =>
          Effect.suspend(() => {
            const present = logs.get(session)
            return present === undefined ? opening.withPermit(Effect.uninterruptible(open(session))) : Effect.succeed(present.history)
          }),
      })
    }),
  )
}

const folderOf = (session: string): string => `${sessionFolder(session)}/history`
const fileOf = (session: string, first: number): string => `${folderOf(session)}/${first}.log`
