/**
 * Crash records: the last twenty unexpected ends of children, of all sessions. With a store, they survive restarts.
 *
 * Guarantees: `note` returns at once, and the record is written in the background. Numbers continue after a restart. A launch that fails again
 * in the same way only raises the count of the last record. Records made while another server has the store are added to that server's records
 * at the takeover. Does not: save a record that was noted just before the server itself was killed.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { engineKinds } from "../../engineKinds.ts"
import { namePattern } from "../../limits.ts"
import { loggingDefects } from "../../loggingDefects.ts"
import * as DocumentCache from "../../store/DocumentCache.ts"
import { Store } from "../../store/Store.ts"

export const CrashRecord = Schema.Struct({
  /** Number of the record, from 1. */
  n: Schema.Int,
  /** ms since 1970. */
  at: Schema.Finite,
  session: Schema.String.check(Schema.isPattern(namePattern)),
  /** `killed`: the child did not stop at a deadline or cancel, or its engine cannot be interrupted. */
  reason: Schema.Literals(["exit", "memory", "out-of-step", "unread", "launch", "killed"]),
  exitCode: Schema.NullOr(Schema.Finite),
  signal: Schema.NullOr(Schema.String),
  /** The beginning and the end of the child's standard error. */
  stderr: Schema.String,
  /** The statement that ran; absent when the child was idle. */
  statement: Schema.optionalKey(Schema.String),
  engine: Schema.Literals(engineKinds),
  build: Schema.NullOr(Schema.String),
  generation: Schema.Finite,
  /** Resident memory of the child at the last measurement, in bytes. */
  memory: Schema.NullOr(Schema.Finite),
  /** The latest evaluations, oldest first. */
  inputs: Schema.Array(Schema.Struct({ at: Schema.Finite, code: Schema.String })),
  /** K code that reproduces the crash in an empty workspace, as far as it is known. */
  script: Schema.String,
  /** Number of times in a row that the same launch failed; 1 for other crashes. */
  times: Schema.Int,
})
export type CrashRecord = typeof CrashRecord.Type

type Crash = Omit<CrashRecord, "n" | "times">

export class CrashRecords extends Context.Service<
  CrashRecords,
  {
    readonly note: (crash: Omit<CrashRecord, "n" | "at" | "times">) => void
    /** All kept records, oldest first. */
    readonly all: Effect.Effect<readonly CrashRecord[]>
  }
>()("k3-mcp/session/CrashRecords") {
  static readonly layer = Layer.effect(
    CrashRecords,
    Effect.gen(function* () {
      const clock = yield* Clock.Clock
      const due = yield* Latch.make()
      const noted: Crash[] = []
      const documents = yield* DocumentCache.make<CrashRecord>({
        documents: (yield* Store).documents.crashes,
        name: "a crash record",
        ...DocumentCache.numbered(CrashRecord),
        join: (kept, key, own) => {
          // The store wrote this record, and the confirmation was lost.
          const stored = kept.get(key)
          if (stored !== undefined && isSame(stored, own)) return [key, own]
          const n = Math.max(own.n, (inOrder(kept).at(-1)?.n ?? 0) + 1)
          return [String(n), { ...own, n }]
        },
        most: 20,
      })

      const settle = documents.use(
        Effect.fnUntraced(function* (all) {
          for (let crash = noted.shift(); crash !== undefined; crash = noted.shift()) {
            const last = inOrder(all).at(-1)
            const { n, times } = last !== undefined && isSameLaunch(last, crash) ? last : { n: (last?.n ?? 0) + 1, times: 0 }
            yield* documents.save(String(n), { ...crash, n, times: times + 1 })
          }
          return inOrder(all)
        }),
      )
      yield* Effect.addFinalizer(() => Effect.suspend(() => (noted.length > 0 ? settle : Effect.void)))
      yield* due.await.pipe(
        Effect.andThen(due.close),
        Effect.andThen(loggingDefects("Crash records were not written", settle, Effect.void)),
        Effect.forever,
        Effect.forkScoped,
      )

      return CrashRecords.of({
        note: (crash) => {
          noted.push({ ...crash, at: clock.currentTimeMillisUnsafe() })
          due.openUnsafe()
        },
        all: settle,
      })
    }),
  )
}

const inOrder = (all: ReadonlyMap<string, CrashRecord>): readonly CrashRecord[] => [...all.values()].sort((a, b) => a.n - b.n)

const isSame = (a: Crash, b: Crash): boolean =>
  (["at", "session", "generation", "statement", "stderr"] as const).every((each) => a[each] === b[each])

const isSameLaunch = (a: Crash, b: Crash): boolean =>
  a.reason === "launch" && b.reason === "launch" && a.session === b.session && a.build === b.build && a.stderr === b.stderr
