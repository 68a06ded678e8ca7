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
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"
import { namePattern } from "../../limits.ts"
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
const decode = Schema.decodeUnknownOption(Schema.fromJsonString(CrashRecord))

const kept = 20

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
      const store = yield* Store
      const { crashes: stored, place } = store
      const clock = yield* Clock.Clock
      const turn = yield* Semaphore.make(1)
      const due = yield* Latch.make()
      let records: readonly CrashRecord[] | undefined
      /** In memory alone. */
      const unsaved = new Set<CrashRecord>()
      /** How often the store had been taken over when it was read. */
      let readAfter = 0
      const noted: Omit<CrashRecord, "n" | "times">[] = []

      const read = Effect.gen(function* () {
        const numbers = (yield* stored.keys).map(Number).sort((a, b) => a - b)
        const found: CrashRecord[] = []
        for (const n of numbers) {
          const lines = yield* stored.load(String(n))
          if (lines === undefined) continue
          const record = Option.getOrUndefined(decode(lines.join("")))
          if (record?.n === n) found.push(record)
          else yield* stored.setAside(String(n), "is damaged: it does not read as a crash record should")
        }
        return found
      })

      const write = Effect.fnUntraced(function* (before: readonly CrashRecord[], record: CrashRecord) {
        if (!(yield* stored.save(String(record.n), [JSON.stringify(record)]))) unsaved.add(record)
        const all = [...before, record]
        for (const each of all.slice(0, -kept)) {
          unsaved.delete(each)
          yield* stored.remove(String(each.n))
        }
        return all.slice(-kept)
      })

      const add = (before: readonly CrashRecord[], crash: Omit<CrashRecord, "n" | "times">) => {
        const last = before.at(-1)
        if (last === undefined || !isSameLaunch(last, crash)) return write(before, { ...crash, n: (last?.n ?? 0) + 1, times: 1 })
        unsaved.delete(last)
        return write(before.slice(0, -1), { ...crash, n: last.n, times: last.times + 1 })
      }

      /** What the store has, and behind it what is in memory alone. */
      const readAgain = Effect.gen(function* () {
        yield* store.available
        readAfter = store.takeovers()
        let all: readonly CrashRecord[] = yield* read
        const own = [...unsaved]
        unsaved.clear()
        for (const record of own) all = yield* write(all, { ...record, n: Math.max(record.n, (all.at(-1)?.n ?? 0) + 1) })
        return all
      })

      const settle = turn.withPermit(
        Effect.uninterruptible(
          Effect.gen(function* () {
            // This may take it over.
            if (noted.length > 0) yield* store.available
            if (records === undefined || readAfter !== store.takeovers()) records = yield* readAgain
            for (let crash = noted.shift(); crash !== undefined; crash = noted.shift()) records = yield* add(records, crash)
            return records
          }),
        ),
      )
      yield* store.takenOver.pipe(Effect.andThen(settle), Effect.forever, Effect.forkScoped)
      yield* Effect.addFinalizer(() =>
        Effect.suspend(() =>
          noted.length > 0 || (unsaved.size > 0 && place !== null) ? Effect.andThen(store.available, settle) : Effect.void,
        ),
      )
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

const isSameLaunch = (a: Omit<CrashRecord, "n" | "times">, b: Omit<CrashRecord, "n" | "times">): boolean =>
  a.reason === "launch" && b.reason === "launch" && a.session === b.session && a.build === b.build && a.stderr === b.stderr
