/**
 * Records of unexpected ends of children: the last twenty of all sessions, kept over restarts where there is a store.
 *
 * Guarantees: writing a record waits for nothing; numbers go on after a restart. A launch that fails again in the same way raises the count of
 * the last record, so that it does not push others out. Records made while another server has the store are added to that server's when the
 * store is taken over. Does not: keep on disk a record made in the moment the server itself was killed.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { namePattern } from "../../limits.ts"
import * as DocumentCache from "../../store/DocumentCache.ts"
import { Store } from "../../store/Store.ts"

const nullable = <A>(schema: Schema.Codec<A>) => Schema.NullOr(schema)
const optional = <A>(schema: Schema.Codec<A>) => Schema.optionalKey(schema)

export const CrashRecord = Schema.Struct({
  /** From 1. */
  n: Schema.Int,
  /** ms since 1970. */
  at: Schema.Finite,
  session: Schema.String.check(Schema.isPattern(namePattern)),
  /** `killed`: it did not stop at a deadline or cancel, or its engine cannot. */
  reason: Schema.Literals(["exit", "memory", "out-of-step", "launch", "killed"]),
  exitCode: nullable(Schema.Finite),
  signal: nullable(Schema.String),
  /** The beginning and the end of standard error. */
  stderr: Schema.String,
  /** The statement to blame; absent when nothing ran. */
  statement: optional(Schema.String),
  engine: Schema.Literals(["k3csharp", "embedded"]),
  build: nullable(Schema.String),
  generation: Schema.Finite,
  /** What it was last seen to use, in bytes. */
  memory: nullable(Schema.Finite),
  /** The last that was evaluated, oldest first. */
  inputs: Schema.Array(Schema.Struct({ at: Schema.Finite, code: Schema.String })),
  /** K that leads there from an empty workspace, as far as it is known. */
  script: Schema.String,
  /** How often it happened in a row. */
  times: Schema.Int,
})
export type CrashRecord = typeof CrashRecord.Type

type Crash = Omit<CrashRecord, "n" | "times">

export class CrashRecords extends Context.Service<
  CrashRecords,
  {
    readonly note: (crash: Omit<CrashRecord, "n" | "at" | "times">) => void
    /** Those kept, oldest first. */
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
        documents: (yield* Store).crashes,
        name: "a crash record",
        ...DocumentCache.numbered(CrashRecord),
        join: (kept, _, own) => {
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
      yield* due.await.pipe(Effect.andThen(due.close), Effect.andThen(settle), Effect.forever, Effect.forkScoped)

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

const isSameLaunch = (a: Crash, b: Crash): boolean =>
  a.reason === "launch" && b.reason === "launch" && a.session === b.session && a.build === b.build && a.stderr === b.stderr
