/**
 * Histories on disk: the next server reads the records of the earlier one.
 *
 * H3 the history survives a restart; a line cut short is dropped and reported; the limit holds on disk, too.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Scope from "effect/Scope"
import { TestClock } from "effect/testing"
import { appendFileSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { History } from "../../../src/session/history/History.ts"
import type { HistoryEntry } from "../../../src/session/history/HistoryLog.ts"
import { Settings } from "../../../src/Settings.ts"
import { Store } from "../../../src/store/Store.ts"
import { Faults } from "../../lib/faultyFileSystem.ts"
import { MemoryStore } from "../../lib/memoryStore.ts"
import { settings } from "../../lib/sessionLayers.ts"
import { scratch, stateFolder } from "../../lib/stateFolder.ts"
import { until } from "../../lib/waiting.ts"

const evaluation = (code: string): Omit<HistoryEntry, "n"> => ({ at: 0, code, output: "", ok: true, ms: 1, generation: 1 })

/** Runs an effect as one server, from its start to its orderly end. */
const server = <A>(
  folder: string | null,
  body: (history: History["Service"], store: Store["Service"]) => Effect.Effect<A>,
  historyKept = 2 ** 20,
  faults?: Faults,
): Effect.Effect<A> =>
  Effect.gen(function* () {
    return yield* body(yield* History, yield* Store)
  }).pipe(
    Effect.provide(
      Layer.fresh(History.layer).pipe(
        Layer.provideMerge(stateFolder(folder, faults)),
        Layer.provide(Layer.succeed(Settings, settings({ historyKept }))),
      ),
    ),
  )

const recorded = (name: string, codes: readonly string[]) => (history: History["Service"]) =>
  Effect.map(history.of(name), ({ record }) => codes.map((code) => record(evaluation(code)).n))
const codes = (name: string) => (history: History["Service"]) =>
  Effect.gen(function* () {
    const { page } = (yield* history.of(name)).view()
    const { entries, damaged } = yield* page({ limit: 1e9 })
    return { codes: entries.map(({ code }) => code), numbers: entries.map(({ n }) => n), damaged }
  })

const filesOf = (folder: string, name: string) => {
  const history = join(folder, "sessions", name, "history")
  return readdirSync(history).map((file) => join(history, file))
}
/** The history's text on disk; empty without one. */
const onDisk = (folder: string, name: string): string =>
  existsSync(join(folder, "sessions", name, "history"))
    ? filesOf(folder, name)
        .map((file) => readFileSync(file, "utf8"))
        .join("")
    : ""
const bytesOf = (files: readonly string[]): number => files.reduce((sum, file) => sum + statSync(file).size, 0)

describe("History", () => {
  it.effect("H3 survives a restart, and numbers continue; each session has its own", () =>
    Effect.gen(function* () {
      const folder = yield* scratch
      assert.deepStrictEqual(yield* server(folder, recorded("main", ["a:1", "é"])), [1, 2])
      yield* server(folder, recorded("two", ["z"]))
      assert.deepStrictEqual(yield* server(folder, recorded("main", ["b:2"])), [3])
      assert.deepStrictEqual(yield* server(folder, codes("main")), { codes: ["a:1", "é", "b:2"], numbers: [1, 2, 3], damaged: 0 })
      assert.deepStrictEqual((yield* server(folder, codes("two"))).codes, ["z"])
    }),
  )

  it.effect("H3 is written after a write that ended in a defect", () => {
    const store = new MemoryStore()
    return Effect.gen(function* () {
      const { record } = yield* (yield* History).of("main")
      store.isBroken = true
      record(evaluation("a:1"))
      yield* TestClock.adjust(1000)
      assert.isFalse(store.isBroken)
      yield* TestClock.adjust(60_000)
      assert.strictEqual([...store.histories.values()].flat().length, 1)
      record(evaluation("a:2"))
      yield* TestClock.adjust(1000)
      assert.strictEqual([...store.histories.values()].flat().length, 2)
    }).pipe(
      Effect.provide(
        Layer.fresh(History.layer).pipe(Layer.provide([store.layer, Layer.succeed(Settings, settings({})), Logger.layer([])])),
      ),
    )
  })

  for (const onDisk of [true, false])
    it.effect(`G9 those of closed sessions together take the memory of one${onDisk ? ", and are read again" : ""}`, () =>
      Effect.gen(function* () {
        const folder = onDisk ? yield* scratch : null
        const long = "x".repeat(1000)
        const held = yield* server(
          folder,
          (history) =>
            Effect.gen(function* () {
              const open = yield* Scope.make()
              yield* Scope.provide(history.using("open"), open)
              for (const name of ["open", "a", "b", "c", "d"]) {
                yield* recorded(name, [name, long, long, long])(history)
                yield* TestClock.adjust("2 seconds")
              }
              const of = (name: string) => Effect.map(codes(name)(history), (found) => found.codes[0])
              return yield* Effect.forEach(["open", "d", "c", "b", "a"], of)
            }),
          10_000,
        )
        assert.deepStrictEqual(held, onDisk ? ["open", "d", "c", "b", "a"] : ["open", "d", "c", "b", undefined])
      }),
    )

  it.effect("H3 is on disk a second after the record, without an orderly end", () =>
    Effect.gen(function* () {
      const folder = yield* scratch
      yield* server(folder, (history) =>
        Effect.gen(function* () {
          yield* recorded("main", ["a:1", "a:2"])(history)
          yield* TestClock.adjust(1000)
          // The disk is real, so the test waits for the file, not for a time.
          yield* until(Effect.sync(() => onDisk(folder, "main").includes("a:2")))
          assert.strictEqual(onDisk(folder, "main").split("\n").length, 3)
        }),
      )
    }),
  )

  it.effect("S30 H3 entries that a full disk refused are written when there is room again", () =>
    Effect.gen(function* () {
      const folder = yield* scratch
      const faults = new Faults()
      const refuse = (history: History["Service"], store: Store["Service"]) =>
        Effect.gen(function* () {
          faults.failing.set("write", "ENOSPC")
          yield* recorded("main", ["a:1", "a:2"])(history)
          yield* TestClock.adjust(1000)
          yield* until(Effect.map(store.trouble, (trouble) => trouble.length > 0))
          faults.failing.clear()
          yield* until(Effect.map(TestClock.adjust(60_000), () => onDisk(folder, "main").includes("a:2")))
        })
      yield* server(folder, refuse, undefined, faults)
      assert.deepStrictEqual((yield* server(folder, codes("main"))).codes, ["a:1", "a:2"])
    }),
  )

  it.effect("H3 a last line cut short is dropped and reported once; numbers continue after the last whole one", () =>
    Effect.gen(function* () {
      const folder = yield* scratch
      yield* server(folder, recorded("main", ["a", "b"]))
      appendFileSync(filesOf(folder, "main")[0]!, '{"n":3,"at":0,"code":"hal')
      const told = yield* server(folder, (history) =>
        Effect.gen(function* () {
          const first = yield* codes("main")(history)
          yield* recorded("main", ["c"])(history)
          return [first, yield* codes("main")(history)]
        }),
      )
      assert.deepStrictEqual(told, [
        { codes: ["a", "b"], numbers: [1, 2], damaged: 1 },
        { codes: ["a", "b", "c"], numbers: [1, 2, 3], damaged: 0 },
      ])
      assert.deepStrictEqual(yield* server(folder, codes("main")), { codes: ["a", "b", "c"], numbers: [1, 2, 3], damaged: 0 })
    }),
  )

  it.effect("H3 a file without an entry is set aside, and the history begins anew", () =>
    Effect.gen(function* () {
      const folder = yield* scratch
      yield* server(folder, recorded("main", ["a"]))
      const [file] = filesOf(folder, "main")
      writeFileSync(file!, "nonsense\n\0\0\n")
      assert.deepStrictEqual(yield* server(folder, recorded("main", ["b"])), [1])
      assert.isTrue(filesOf(folder, "main").some((each) => each.includes(".damaged-")))
      assert.deepStrictEqual((yield* server(folder, codes("main"))).codes, ["b"])
    }),
  )

  it.effect("H1 H3 the limit holds on disk, over restarts; entries are read in order", () =>
    Effect.gen(function* () {
      const folder = yield* scratch
      const kept = 16 * 1024
      for (let turn = 0; turn < 3; turn++) {
        const given = Array.from({ length: 200 }, (_, i) => `${turn}-${i}-${"x".repeat(i)}`)
        yield* server(folder, recorded("main", given), kept)
        assert.isAtMost(bytesOf(filesOf(folder, "main")), kept)
        const { codes: found, numbers } = yield* server(folder, codes("main"), kept)
        assert.isAbove(found.length, 20)
        assert.deepStrictEqual(found, given.slice(-found.length))
        assert.strictEqual(numbers.at(-1), (turn + 1) * 200)
      }
    }),
  )

  it.effect("without a state folder it lasts as long as the server", () =>
    Effect.gen(function* () {
      const kept = yield* server(null, (history) => Effect.andThen(recorded("main", ["a"])(history), codes("main")(history)))
      assert.deepStrictEqual(kept.codes, ["a"])
      assert.deepStrictEqual((yield* server(null, codes("main"))).codes, [])
    }),
  )
})
