/**
 * H7 each unexpected end of a child leaves a record of its causes; the last twenty are kept, over restarts.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import { TestClock } from "effect/testing"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { type CrashRecord, CrashRecords } from "../../../src/session/history/CrashRecord.ts"
import { Sessions } from "../../../src/session/Sessions.ts"
import type { SettingValues } from "../../../src/Settings.ts"
import { someCrash } from "../../lib/documents.ts"
import { MemoryStore } from "../../lib/memoryStore.ts"
import { Script } from "../../lib/scriptedChild.ts"
import { settled } from "../../lib/scriptedSession.ts"
import { scripted } from "../../lib/sessionLayers.ts"
import { scratch, stateFolder } from "../../lib/stateFolder.ts"
import { running } from "../../lib/waiting.ts"

const server = <A>(folder: string | null, body: (crashes: CrashRecords["Service"]) => Effect.Effect<A>): Effect.Effect<A> =>
  Effect.flatMap(CrashRecords, body).pipe(Effect.provide(Layer.fresh(CrashRecords.layer).pipe(Layer.provide(stateFolder(folder)))))
const numbers = (all: readonly CrashRecord[]) => all.map(({ n }) => n)

describe("CrashRecords", () => {
  it.effect("H7 the last twenty are kept, over restarts, numbered on", () =>
    Effect.gen(function* () {
      const folder = yield* scratch
      yield* server(folder, ({ note, all }) =>
        Effect.andThen(
          Effect.sync(() => Array.from({ length: 15 }, () => note(someCrash))),
          all,
        ),
      )
      // Noted, and the server ends in order.
      yield* server(folder, ({ note }) => Effect.sync(() => Array.from({ length: 10 }, () => note({ ...someCrash, generation: 7 }))))
      const all = yield* server(folder, (crashes) => crashes.all)
      assert.deepStrictEqual(
        numbers(all),
        Array.from({ length: 20 }, (_, i) => i + 6),
      )
      assert.deepInclude(all.at(-1), { generation: 7, times: 1 })
    }),
  )

  it.effect("H7 a record is written after a write that ended in a defect", () => {
    const store = new MemoryStore()
    return Effect.gen(function* () {
      const { note } = yield* CrashRecords
      store.isBroken = true
      note(someCrash)
      yield* settled
      assert.isFalse(store.isBroken)
      note(someCrash)
      yield* settled
      assert.isAbove(store.documents.size, 0)
    }).pipe(Effect.provide(Layer.fresh(CrashRecords.layer).pipe(Layer.provide([store.layer, Logger.layer([])]))))
  })

  it.effect("H7 a launch that fails again in the same way is counted", () =>
    server(null, ({ note, all }) =>
      Effect.gen(function* () {
        const launch = { ...someCrash, reason: "launch", stderr: "no .NET" } as const
        for (const each of [launch, launch, { ...launch, stderr: "other" }, someCrash, someCrash, launch]) note(each)
        assert.deepStrictEqual(
          (yield* all).map(({ n, times, reason }) => [n, times, reason]),
          [
            [1, 2, "launch"],
            [2, 1, "launch"],
            [3, 1, "exit"],
            [4, 1, "exit"],
            [5, 1, "launch"],
          ],
        )
      }),
    ),
  )

  it.effect("H7 a damaged record is set aside, and the others are there", () =>
    Effect.gen(function* () {
      const folder = yield* scratch
      yield* server(folder, ({ note }) => Effect.sync(() => [note(someCrash), note(someCrash)]))
      writeFileSync(join(folder, "crashes/1"), "nonsense")
      assert.deepStrictEqual(numbers(yield* server(folder, ({ all }) => all)), [2])
    }),
  )
})

const test = (
  name: string,
  settings: Partial<SettingValues>,
  body: (script: Script, sessions: Sessions["Service"]) => Effect.Effect<void, unknown>,
) =>
  it.effect(name, () => {
    const script = new Script()
    return Effect.flatMap(Sessions, (sessions) => body(script, sessions)).pipe(
      Effect.provide(scripted(script, { evalTimeout: 1000, ...settings })),
    )
  })

const newest = (sessions: Sessions["Service"]) => Effect.map(sessions.crashes.all, (all) => all.at(-1))

describe.each(["embedded", "k3csharp"] as const)("a record of the %s engine", (engine) => {
  test(
    "H7 has the exit, the statement to blame, the evaluations before it, and a script that reproduces it",
    { engine },
    (script, sessions) =>
      Effect.gen(function* () {
        const session = yield* sessions.get("main")
        yield* session.evaluate({ code: "x: 5" })
        yield* TestClock.adjust(500)
        yield* settled
        yield* session.evaluate({ code: "y: 6" })
        yield* Effect.flip(session.evaluate({ code: "print 1\nexit 7\nprint 2" }))
        const crash = yield* newest(sessions)
        assert.deepInclude(crash, {
          n: 1,
          session: "main",
          reason: "exit",
          exitCode: 7,
          signal: null,
          stderr: "stderr of exit 7",
          statement: "exit 7",
          engine,
          build: "11",
          generation: 1,
        })
        assert.deepStrictEqual(
          crash!.inputs.map(({ code }) => code),
          ["x: 5", "y: 6", "print 1\nexit 7\nprint 2"],
        )
        assert.match(crash!.script, /under way; the last statement is to blame\nprint 1\nexit 7\n$/)
        assert.strictEqual(script.alive.length, 0)
      }),
  )

  test("H7 is made for an idle child that ends by itself, and for a child out of step", { engine }, (script, sessions) =>
    Effect.gen(function* () {
      const session = yield* sessions.get("main")
      yield* session.evaluate({ code: "x: 5" })
      script.latest.exit({ code: null, signal: "SIGKILL" })
      yield* settled
      const crash = yield* newest(sessions)
      assert.deepInclude(crash, { n: 1, reason: "exit", signal: "SIGKILL" })
      assert.notProperty(crash, "statement")
      yield* TestClock.adjust(5000)
      yield* session.evaluate({ code: "y: 1" })
      script.latest.print("unasked")
      yield* settled
      assert.deepInclude(yield* newest(sessions), { n: 2, reason: "out-of-step", generation: 2 })
    }),
  )

  test("H7 is made for a failed launch, and for a kill at a deadline", { engine, interruptGrace: 100 }, (script, sessions) =>
    Effect.gen(function* () {
      const session = yield* sessions.get("main")
      script.launches.push("exit")
      yield* Effect.flip(session.evaluate({ code: "print 1" }))
      assert.deepInclude(yield* newest(sessions), { n: 1, reason: "launch", exitCode: 150, stderr: "You must install .NET" })
      yield* TestClock.adjust(5000)
      const call = yield* Effect.forkChild(Effect.flip(session.evaluate({ code: "print 1\ndeaf" })))
      yield* running(session)
      yield* TestClock.adjust(1200)
      yield* settled
      assert.isNotNull(call)
      assert.deepInclude(yield* newest(sessions), { n: 2, reason: "killed", statement: "deaf" })
    }),
  )

  test("H7 is not made for a reset, reload, rollback or close", { engine }, (_script, sessions) =>
    Effect.gen(function* () {
      const session = yield* sessions.get("main")
      yield* session.evaluate({ code: "x: 5" })
      yield* session.evaluate({ code: "err type", rollback: true })
      yield* session.reload({ preserveState: true })
      yield* session.reset
      yield* sessions.close("main")
      yield* settled
      assert.deepStrictEqual(yield* sessions.crashes.all, [])
    }),
  )
})
