/** R5 the spare child. */
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import { TestClock } from "effect/testing"
import * as ChildPool from "../../src/child/ChildPool.ts"
import type { Launched, ChildProgram } from "../../src/child/Launcher.ts"
import { fails, idle, settled, test } from "../lib/scriptedSession.ts"
import { running } from "../lib/waiting.ts"

describe("a spare", () => {
  test("R5 none is launched unless the settings ask for it", {}, (script, session) =>
    Effect.gen(function* () {
      yield* session.evaluate({ code: "x: 5" })
      yield* idle
      assert.deepStrictEqual(script.alive, [1001])
      assert.strictEqual((yield* session.status).spare, null)
    }),
  )

  for (const engine of ["embedded", "k3csharp"] as const)
    test(
      `R5 ${engine}: it takes over at once after a crash, with the restored variables, and another one is launched`,
      { spare: true, engine },
      (script, session) =>
        Effect.gen(function* () {
          yield* session.evaluate({ code: "x: 5" })
          yield* idle
          assert.deepStrictEqual(script.alive, [1001, 1002])
          assert.deepInclude(yield* session.status, { pid: 1001, generation: 1, spare: { pid: 1002, memoryBytes: null } })
          yield* fails(session, "exit 1")
          // No time passes, so the delay of the restart schedule does not apply.
          const reply = yield* session.evaluate({ code: "x" })
          assert.deepInclude(reply, { output: "5", generation: 2 })
          assert.deepInclude(reply.notices[0], { kind: "restored", restored: 1 })
          yield* idle
          assert.deepInclude(yield* session.status, { pid: 1002, spare: { pid: 1003, memoryBytes: null } })
          assert.deepStrictEqual(script.alive, [1002, 1003])
        }),
    )

  test("R5 it takes over after a deadline, once the old child is gone", { spare: true }, (script, session) =>
    Effect.gen(function* () {
      yield* session.evaluate({ code: "x: 5" })
      yield* idle
      const call = yield* Effect.forkChild(fails(session, "loop"))
      yield* running(session)
      yield* TestClock.adjust(1000)
      assert.deepInclude(yield* Fiber.join(call), { _tag: "DeadlineExceeded", generation: 2 })
      assert.deepInclude(yield* session.evaluate({ code: "x" }), { output: "5", generation: 2 })
      assert.strictEqual((yield* session.status).pid, 1002)
      assert.isFalse(script.processes[0]!.alive())
    }),
  )

  test("R5 a spare that ends by itself is replaced later; that is no crash of the session", { spare: true }, (script, session) =>
    Effect.gen(function* () {
      yield* session.evaluate({ code: "x: 5" })
      for (let i = 0; i < 8; i++) {
        yield* idle
        script.latest.exit({ code: 1, signal: null })
        yield* settled
        assert.deepStrictEqual(script.alive, [1001])
        yield* TestClock.adjust(5000)
        yield* settled
        assert.lengthOf(script.alive, 2)
      }
      assert.deepInclude(yield* session.status, { phase: "ready", pid: 1001, lastCrash: null })
    }),
  )

  test("R5 when it cannot be launched, the session works without a spare", { spare: true }, (script, session) =>
    Effect.gen(function* () {
      script.launches.push("ready", "exit", "exit")
      yield* session.evaluate({ code: "x: 5" })
      yield* idle
      assert.deepInclude(yield* session.status, { phase: "ready", spare: null })
      assert.strictEqual((yield* session.evaluate({ code: "x" })).output, "5")
    }),
  )

  test(
    "R5 after a reload to a newer build, the spare is of that build, and the older one is ended",
    { spare: true },
    (script, session, build) =>
      Effect.gen(function* () {
        yield* session.evaluate({ code: "x: 5" })
        yield* idle
        build.onDisk = { hash: "22", content: "22" }
        const { newHash } = yield* session.reload({ preserveState: true })
        assert.strictEqual(newHash, "22")
        yield* idle
        assert.deepInclude(yield* session.status, { pid: 1003, runningHash: "22", spare: { pid: 1004, memoryBytes: null } })
        assert.deepStrictEqual(script.alive, [1003, 1004])
      }),
  )

  test(
    "R5 with the breaker open there is no spare; closed sessions leave none",
    { spare: true, restartCrashes: 2 },
    (script, session, _, sessions) =>
      Effect.gen(function* () {
        yield* session.evaluate({ code: "x: 5" })
        yield* idle
        yield* fails(session, "exit 1")
        yield* session.evaluate({ code: "x" })
        yield* idle
        yield* fails(session, "exit 1")
        yield* settled
        assert.strictEqual((yield* session.status).phase, "failed")
        assert.deepStrictEqual(script.alive, [])
        yield* Effect.flatMap(sessions.get("other"), (other) => other.evaluate({ code: "x: 5" }))
        yield* idle
        assert.lengthOf(script.alive, 2)
        yield* sessions.close("other")
        yield* settled
        assert.deepStrictEqual(script.alive, [])
      }),
  )

  it.effect("R5 that was dropped while the last one ended is not launched", () =>
    Effect.gen(function* () {
      const programs = ["11", "22"].map(
        (content) => ({ engine: { kind: "embedded" }, prepared: { build: { content }, shadow: null } }) as unknown as ChildProgram,
      )
      const launched: ChildProgram[] = []
      const mayEnd = yield* Deferred.make<void>()
      const pool = yield* ChildPool.make(
        Effect.fnUntraced(function* (program) {
          launched.push(program)
          const scope = yield* Scope.make()
          yield* Scope.addFinalizer(scope, Deferred.await(mayEnd))
          return { ...program, scope, child: { ended: Effect.never, kill: () => {} } } as unknown as Launched
        }),
        true,
        100,
      )
      yield* pool.keep(programs[0])
      yield* TestClock.adjust(200)
      const other = yield* Effect.forkChild(pool.keep(programs[1]), { startImmediately: true })
      const none = yield* Effect.forkChild(pool.keep(undefined), { startImmediately: true })
      yield* Deferred.succeed(mayEnd, undefined)
      yield* Fiber.join(other)
      yield* Fiber.join(none)
      yield* TestClock.adjust(1000)
      assert.deepStrictEqual(launched, programs.slice(0, 1))
    }),
  )
})
