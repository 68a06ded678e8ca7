/** Writing sessions to disk and reading them: scripted children under a virtual clock, and a real folder. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { TestClock } from "effect/testing"
import { readdirSync } from "node:fs"
import type { Session } from "../../../src/session/Session.ts"
import { Sessions } from "../../../src/session/Sessions.ts"
import type { SettingValues } from "../../../src/Settings.ts"
import { Script } from "../../lib/scriptedChild.ts"
import { scripted } from "../../lib/sessionLayers.ts"
import { scratch } from "../../lib/stateFolder.ts"
import * as waiting from "../../lib/waiting.ts"

/** Runs an effect as a server with the folder, from its start to its end. */
const server =
  (stateDir: string | null, given: Partial<SettingValues>, script = new Script()) =>
  <A, E>(body: (sessions: Sessions["Service"], script: Script) => Effect.Effect<A, E>) =>
    Effect.flatMap(Sessions, (sessions) => body(sessions, script)).pipe(Effect.provide(scripted(script, { ...given, stateDir })))

const answered = <A, E>(effect: Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    const reply = yield* Effect.forkChild(effect)
    yield* waiting.until(Effect.sync(() => reply.pollUnsafe() !== undefined))
    return yield* Fiber.join(reply)
  })
const run = (session: Session, code: string) => answered(session.evaluate({ code }))

/** Lets the capture after an evaluation happen. */
const captured = (session: Session) =>
  Effect.gen(function* () {
    yield* TestClock.adjust(200)
    yield* waiting.captured(session)
  })
const behind = (session: Session) => Effect.map(session.status, ({ onDisk }) => onDisk?.behind)
const files = (dir: string) => readdirSync(dir, { recursive: true, encoding: "utf8" }).filter((name) => name !== "lock")

for (const engine of ["embedded", "k3csharp"] as const)
  describe(`sessions on disk, scripted child as ${engine}`, () => {
    it.effect("B11 an ephemeral session leaves nothing on disk, has no history, and stays open while it has variables", () =>
      Effect.gen(function* () {
        const dir = yield* scratch
        yield* server(dir, { engine, sessionTtl: 10_000, persistEvery: 1 })((sessions) =>
          Effect.gen(function* () {
            const { name } = yield* answered(sessions.create({ isEphemeral: true }))
            const session = yield* sessions.get(name)
            yield* run(session, "x: 5")
            yield* captured(session)
            yield* run(session, "x: 6")
            yield* answered(session.snapshots.save("s"))
            yield* answered(Effect.flip(session.evaluate({ code: "exit 3" })))
            yield* TestClock.adjust(10_000)
            assert.strictEqual((yield* run(session, "x")).output, "6")
            yield* TestClock.adjust(60_000)
            assert.deepStrictEqual(
              (yield* sessions.list).map((each) => [each.name, each.isEphemeral, each.onDisk]),
              [[name, true, null]],
            )
            assert.strictEqual((yield* sessions.history.of(name)).last, 0)
            assert.deepStrictEqual(yield* sessions.crashes.all, [])
            const copy = yield* answered(sessions.fork({ from: name, isEphemeral: true }))
            assert.strictEqual((yield* run(yield* sessions.get(copy.name), "x")).output, "6")
            assert.strictEqual((yield* sessions.history.of(copy.name)).last, 0)
          }),
        )
        assert.deepStrictEqual(files(dir), [])
      }),
    )

    it.effect("B1 B6 a snapshot, and a fork, that are asked for before a reset have the variables from before it", () =>
      Effect.gen(function* () {
        const dir = yield* scratch
        yield* server(dir, { engine })((sessions) =>
          Effect.gen(function* () {
            const session = yield* sessions.get("main")
            /** The result of an effect that is asked for together with a reset, before it. */
            const beforeReset = <A, E>(first: Effect.Effect<A, E>) =>
              Effect.gen(function* () {
                yield* run(session, "x: 5")
                const [result] = yield* answered(Effect.all([first, session.reset], { concurrency: "unbounded" }))
                return result
              })
            assert.strictEqual((yield* beforeReset(session.snapshots.save("s"))).snapshot.variables, 1)
            const { name } = yield* beforeReset(sessions.fork({ from: "main", name: "copy" }))
            assert.strictEqual((yield* run(yield* sessions.get(name), "x")).output, "5")
          }),
        )
      }),
    )

    it.effect("B6 B12 variables of a fork or merge are on disk at the server's end, also without an evaluation", () =>
      Effect.gen(function* () {
        const dir = yield* scratch
        const ended = server(dir, { engine })
        yield* ended((sessions) =>
          Effect.gen(function* () {
            yield* run(yield* sessions.get("main"), "x: 5")
            yield* answered(sessions.fork({ from: "main", name: "copy" }))
            yield* answered(sessions.create({ name: "merged" }))
            yield* answered(sessions.merge({ from: "main", into: "merged", names: ["x"], overwrite: false }))
          }),
        )
        yield* ended((sessions) =>
          Effect.gen(function* () {
            const stored = (yield* sessions.disk).stored.map(({ name, variables }) => `${name} ${variables}`).toSorted()
            assert.deepStrictEqual(stored, ["copy 1", "main 1", "merged 1"])
            assert.strictEqual((yield* run(yield* sessions.get("merged"), "x")).output, "5")
          }),
        )
      }),
    )

    it.effect("B11 an ephemeral session takes no stored name, and closing it removes nothing from disk", () =>
      Effect.gen(function* () {
        const dir = yield* scratch
        const ended = server(dir, { engine })
        yield* ended((sessions) => Effect.flatMap(sessions.get("kept"), (session) => run(session, "x: 5")))
        yield* ended((sessions) =>
          Effect.gen(function* () {
            assert.deepInclude(yield* Effect.flip(sessions.create({ name: "kept", isEphemeral: true })), { _tag: "NameTaken" })
            const { name } = yield* answered(sessions.create({ isEphemeral: true }))
            yield* answered(sessions.close(name))
            assert.strictEqual((yield* run(yield* sessions.get("kept"), "x")).output, "5")
          }),
        )
      }),
    )

    it.effect("S15 S31 an idle session is written and ended, and is restored on use, which is reported once", () =>
      Effect.gen(function* () {
        yield* server(yield* scratch, { engine, sessionTtl: 10_000 })((sessions, script) =>
          Effect.gen(function* () {
            yield* run(yield* sessions.get("main"), "x: 5")
            yield* TestClock.adjust(9_999)
            assert.strictEqual(script.alive.length, 1)
            yield* TestClock.adjust(10_000)
            yield* waiting.until(Effect.map(sessions.list, ({ length }) => length === 0))
            yield* waiting.until(Effect.sync(() => script.alive.length === 0))
            const { stored } = yield* sessions.disk
            assert.deepInclude(stored[0], { name: "main", engine, variables: 1 })
            yield* TestClock.adjust(60_000)
            const again = yield* sessions.get("main")
            const reply = yield* run(again, "x")
            assert.strictEqual(reply.output, "5")
            assert.deepInclude(reply.notices[0], { kind: "restored", why: "it had been idle for 10 s", restored: 1, lost: [] })
            assert.deepStrictEqual((yield* run(again, "x")).notices, [])
            assert.deepStrictEqual((yield* sessions.disk).stored, [])
          }),
        )
      }),
    )

    it.effect("S15 without a folder an idle session with variables or snapshots stays open; an empty one ends", () =>
      server(null, { engine, sessionTtl: 10_000 })((sessions, script) =>
        Effect.gen(function* () {
          const session = yield* sessions.get("main")
          yield* run(session, "x: 5")
          yield* run(yield* sessions.get("bare"), "print 1")
          const saved = yield* sessions.get("saved")
          yield* run(saved, "y: 6")
          yield* answered(saved.snapshots.save("early"))
          yield* answered(saved.reset)
          for (let i = 0; i < 5; i++) yield* Effect.andThen(TestClock.adjust(10_000), waiting.until(Effect.succeed(true)))
          yield* waiting.until(Effect.map(sessions.list, ({ length }) => length === 2))
          assert.isAtLeast(script.alive.length, 2)
          assert.deepInclude(yield* run(session, "x"), { output: "5", notices: [] })
          assert.deepStrictEqual(
            (yield* saved.snapshots.list).map(({ name }) => name),
            ["early"],
          )
        }),
      ),
    )

    it.effect("S21 S31 a session is written after a number of evaluations, when a capture has seen them", () =>
      Effect.gen(function* () {
        const dir = yield* scratch
        yield* server(dir, { engine, persistEvery: 3 })((sessions) =>
          Effect.gen(function* () {
            const session = yield* sessions.get("main")
            for (const code of ["x: 1", "x: 2"]) yield* run(session, code)
            yield* captured(session)
            assert.deepStrictEqual([files(dir), yield* behind(session)], [[], undefined])
            yield* run(session, "x: 3")
            assert.deepStrictEqual(files(dir), [])
            yield* captured(session)
            yield* waiting.until(Effect.map(behind(session), (n) => n === 0))
            assert.include(files(dir), `sessions/main/${engine}/values.1`)
            yield* run(session, "x: 4")
            assert.strictEqual(yield* behind(session), 1)
            assert.isTrue(yield* session.persist)
            assert.strictEqual(yield* behind(session), 0)
          }),
        )
      }),
    )

    it.effect("S21 S31 a session is written a second after a capture that has its few evaluations", () =>
      Effect.gen(function* () {
        const dir = yield* scratch
        yield* server(dir, { engine })((sessions) =>
          Effect.gen(function* () {
            const session = yield* sessions.get("main")
            yield* run(session, "x: 1")
            yield* captured(session)
            yield* TestClock.adjust(800)
            assert.deepStrictEqual(files(dir), [])
            yield* TestClock.adjust(200)
            yield* waiting.until(Effect.map(behind(session), (n) => n === 0))
            assert.include(files(dir), `sessions/main/${engine}/values.1`)
          }),
        )
      }),
    )

    it.effect("S22 S31 after a restart of the server, the stored variables are restored again when a child ends", () =>
      Effect.gen(function* () {
        const dir = yield* scratch
        yield* server(dir, { engine })((sessions) => Effect.flatMap(sessions.get("main"), (session) => run(session, "x: 5")))
        yield* server(dir, { engine })((sessions) =>
          Effect.gen(function* () {
            const session = yield* sessions.get("main")
            assert.strictEqual((yield* run(session, "x")).output, "5")
            yield* captured(session)
            assert.strictEqual((yield* Effect.flip(session.evaluate({ code: "exit 1" })))._tag, "ChildDied")
            yield* TestClock.adjust(1000)
            const reply = yield* run(session, "x")
            assert.strictEqual(reply.output, "5")
            assert.deepInclude(reply.notices[0], { kind: "restored", restored: 1 })
            assert.notProperty(reply.notices[0], "savedMsAgo")
          }),
        )
      }),
    )

    it.effect("S23 S31 a value from disk that ends the child is set aside by name", () =>
      Effect.gen(function* () {
        const dir = yield* scratch
        yield* server(dir, { engine })((sessions) =>
          Effect.flatMap(sessions.get("main"), (session) => Effect.andThen(run(session, "x: 5"), run(session, "y: deadly"))),
        )
        yield* server(dir, { engine })((sessions) =>
          Effect.gen(function* () {
            const reply = yield* run(yield* sessions.get("main"), "x")
            assert.strictEqual(reply.output, "5")
            const restored = reply.notices[0]
            assert.deepInclude(restored, { kind: "restored", restored: 1 })
            assert.deepStrictEqual(restored?.kind === "restored" ? restored.lost : [], [
              { path: ".k.y", why: "restoring it ended the interpreter" },
            ])
          }),
        )
      }),
    )

    it.effect("S31 a session with an engine of its own is restored with that engine; a stored one can be closed, forked and listed", () =>
      Effect.gen(function* () {
        const dir = yield* scratch
        const other = engine === "embedded" ? "k3csharp" : "embedded"
        yield* server(dir, { engine })((sessions) =>
          Effect.gen(function* () {
            yield* answered(sessions.create({ name: "a", engine: other }))
            yield* run(yield* sessions.get("a"), "x: 5")
            yield* run(yield* sessions.get("b"), "x: 6")
          }),
        )
        yield* server(dir, { engine })((sessions) =>
          Effect.gen(function* () {
            assert.strictEqual((yield* Effect.flip(sessions.fork({ from: "b", name: "a" })))._tag, "NameTaken")
            assert.deepInclude(yield* answered(sessions.fork({ from: "b", name: "c" })), { engine })
            assert.strictEqual((yield* run(yield* sessions.get("c"), "x")).output, "6")
            assert.deepInclude(yield* sessions.close("b"), { name: "b", held: { variables: 1, missed: 0, lost: [] } })
            const reply = yield* run(yield* sessions.get("a"), "x")
            assert.strictEqual(reply.output, "5")
            assert.strictEqual((yield* sessions.status("a")).engine, other)
            assert.strictEqual((yield* Effect.flip(sessions.close("b")))._tag, "NoSession")
          }),
        )
        yield* server(dir, { engine })((sessions) =>
          Effect.gen(function* () {
            assert.deepStrictEqual((yield* sessions.disk).stored.map((each) => `${each.name} ${each.engine}`).toSorted(), [
              `a ${other}`,
              `c ${engine}`,
            ])
            yield* sessions.close("a")
            assert.deepStrictEqual(
              (yield* sessions.disk).stored.map(({ name }) => name),
              ["c"],
            )
          }),
        )
      }),
    )

    it.effect("S14 S31 a reset, or a reload without variables, removes the stored variables, also of a session not used yet", () =>
      Effect.gen(function* () {
        for (const how of ["reset", "reload", "resetAll"] as const) {
          const dir = yield* scratch
          yield* server(dir, { engine })((sessions) => Effect.flatMap(sessions.get("main"), (session) => run(session, "x: 5")))
          yield* server(dir, { engine })((sessions) =>
            Effect.gen(function* () {
              if (how === "resetAll") assert.deepStrictEqual(yield* sessions.resetAll, [{ name: "main", how: "cleared", generation: 0 }])
              const session = yield* sessions.get("main")
              if (how === "reset") yield* session.reset
              if (how === "reload") yield* session.reload({ preserveState: false })
              assert.deepStrictEqual((yield* run(session, "x")).notices, [])
            }),
          )
          assert.isFalse(
            files(dir).some((path) => path.includes("values")),
            how,
          )
        }
      }),
    )
  })

describe("sessions on disk, scripted child as embedded", () => {
  it.effect("S21 S31 a write that gets due during an evaluation follows its capture at once", () =>
    Effect.gen(function* () {
      const dir = yield* scratch
      yield* server(dir, { engine: "embedded" })((sessions) =>
        Effect.gen(function* () {
          const session = yield* sessions.get("main")
          yield* run(session, "x: 1")
          yield* captured(session)
          const long = yield* Effect.forkChild(Effect.exit(session.evaluate({ code: "x: 2\nloop", timeoutMs: 2000 })))
          yield* waiting.running(session)
          yield* TestClock.adjust(1999)
          assert.notInclude(files(dir), "sessions/main/embedded/values.1")
          yield* TestClock.adjust(1)
          yield* Fiber.join(long)
          yield* waiting.until(Effect.sync(() => files(dir).includes("sessions/main/embedded/values.1")))
        }),
      )
    }),
  )
})
