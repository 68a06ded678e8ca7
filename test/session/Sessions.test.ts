/** S15 named sessions: their limit, and their end when idle. */
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { TestClock } from "effect/testing"
import { availableParallelism } from "node:os"
import { test } from "../lib/scriptedSession.ts"
import { running } from "../lib/waiting.ts"

describe("sessions", () => {
  test(
    "S15 there are no more sessions than the limit; an idle one ends, a busy one does not",
    { maxSessions: 2, sessionTtl: 10_000, evalTimeout: 60_000 },
    (script, session, _, sessions) =>
      Effect.gen(function* () {
        yield* session.evaluate({ code: "print 1" })
        const busy = yield* sessions.get("busy")
        const call = yield* Effect.forkChild(busy.evaluate({ code: "loop" }))
        yield* running(busy)
        assert.deepInclude(yield* Effect.flip(sessions.get("third")), {
          _tag: "TooManySessions",
          limit: 2,
          idle: [{ name: "main", idleMs: 0 }],
          busy: ["busy"],
        })
        yield* TestClock.adjust(10_000)
        assert.deepStrictEqual(
          (yield* sessions.list).map(({ name }) => name),
          ["busy"],
        )
        assert.deepStrictEqual(script.alive, [1002])
        yield* sessions.get("third")
        yield* Fiber.interrupt(call)
      }),
  )

  test("C7 brief sessions take no place of the others", { maxSessions: 2 }, (_, session, __, sessions) =>
    Effect.gen(function* () {
      yield* session.evaluate({ code: "print 1" })
      const { name } = yield* sessions.create({ isEphemeral: true, isBrief: true })
      yield* sessions.get("second")
      assert.deepInclude(yield* Effect.flip(sessions.get("third")), { _tag: "TooManySessions", limit: 2 })
      yield* sessions.close(name)
      assert.deepInclude(yield* Effect.flip(sessions.get("third")), { _tag: "TooManySessions", limit: 2 })
    }),
  )

  test("S15 status of an unknown session makes no session and launches no child", {}, (script, _, __, sessions) =>
    Effect.gen(function* () {
      assert.deepInclude(yield* sessions.status("ghost"), { name: "ghost", phase: "down", generation: 0, pid: null })
      assert.deepStrictEqual(
        (yield* sessions.list).map(({ name }) => name),
        ["main"],
      )
      assert.strictEqual(script.processes.length, 0)
    }),
  )

  test(
    "N16 as many evaluations of a principal begin at once as there are processors: the next waits within its deadline, whose error says why",
    { isHosted: true, fence: "required", evalTimeout: 60_000, maxSessions: 1000 },
    (_, session, __, sessions) =>
      Effect.gen(function* () {
        yield* session.evaluate({ code: "print 1" })
        const next = yield* sessions.get("next")
        yield* next.evaluate({ code: "print 1" })
        for (let n = 0; n < availableParallelism(); n++) {
          const other = yield* sessions.get(`s${n}`)
          yield* Effect.forkChild(other.evaluate({ code: "loop" }))
          yield* running(other)
        }
        const late = yield* Effect.forkChild(Effect.flip(session.evaluate({ code: "print 2", timeoutMs: 900 })), { startImmediately: true })
        const patient = yield* Effect.forkChild(next.evaluate({ code: "print 3" }), { startImmediately: true })
        yield* TestClock.adjust(900)
        const error = yield* Fiber.join(late)
        assert.deepInclude(error, { _tag: "DeadlineExceeded", waiting: true, statementNumber: 0 })
        assert.match(("place" in error && error.place) || "", /^a place: other evaluations of this principal/)
        yield* TestClock.adjust(100)
        assert.deepInclude(yield* Fiber.join(patient), { ok: true })
      }),
  )
})
