/** Captures after evaluations, and restores, over scripted children. */
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { TestClock } from "effect/testing"
import type { Session } from "../../../src/session/Session.ts"
import type { Script } from "../../lib/scriptedChild.ts"
import { fails, idle, settled, test } from "../../lib/scriptedSession.ts"

/** An evaluation that ends after `ms` milliseconds; the code ends in `loop`. */
const evaluatedFor = Effect.fnUntraced(function* (ms: number, code: string, script: Script, session: Session) {
  const running = yield* Effect.forkChild(session.evaluate({ code }))
  yield* settled
  yield* TestClock.adjust(ms)
  script.latest.finish("")
  yield* Fiber.join(running)
})

describe("restoring", () => {
  for (const engine of ["embedded", "k3csharp"] as const) {
    test(`S23 ${engine}: a variable that is not restored is named with the reason`, { engine }, (_, session) =>
      Effect.gen(function* () {
        yield* session.evaluate({ code: "a: 1\nb: shy\nc: 3" })
        yield* idle
        yield* fails(session, "exit 3")
        yield* idle
        const { notices } = yield* session.evaluate({ code: "a" })
        assert.deepInclude(notices[0], {
          kind: "restored",
          restored: 2,
          lost: [{ path: ".k.b", why: engine === "embedded" ? "it is shy" : "Error: it is shy" }],
        })
        yield* fails(session, "exit 3")
        yield* idle
        assert.deepInclude((yield* session.evaluate({ code: "c" })).notices[0], { restored: 2, lost: [] })
      }),
    )

    for (const [kills, becomes, restored, lost] of [
      [2, "kept", 3, []],
      [3, "set aside", 2, [{ path: ".k.b", why: "restoring it ended the interpreter" }]],
    ] as const)
      test(
        `S23 ${engine}: a value is ${becomes} after ${kills} children were killed while it was restored`,
        { engine },
        (script, session) =>
          Effect.gen(function* () {
            yield* session.evaluate({ code: "a: 1\nb: fragile\nc: 3" })
            yield* idle
            script.kills = kills
            yield* fails(session, "exit 3")
            yield* idle
            assert.deepInclude((yield* session.evaluate({ code: "c" })).notices[0], { kind: "restored", restored, lost })
            assert.strictEqual(script.kills, 0)
            assert.lengthOf(script.alive, 1)
          }),
      )

    test(`S23 ${engine}: a value that ends the child is set aside after a restore of this value alone`, { engine }, (script, session) =>
      Effect.gen(function* () {
        yield* session.evaluate({ code: "a: 1\nb: deadly\nc: 3" })
        yield* idle
        yield* fails(session, "exit 3")
        yield* idle
        const reply = yield* session.evaluate({ code: "c" })
        assert.deepInclude(reply, { output: "3", generation: 2 })
        assert.deepInclude(reply.notices[0], {
          kind: "restored",
          restored: 2,
          lost: [{ path: ".k.b", why: "restoring it ended the interpreter" }],
        })
        assert.lengthOf(script.processes, 4)
        assert.lengthOf(script.alive, 1)
      }),
    )
  }

  test("S22 the names of a session whose child ended before a capture are those that the next child gets", {}, (script, session) =>
    Effect.gen(function* () {
      yield* session.evaluate({ code: "a: 1" })
      yield* idle
      yield* session.evaluate({ code: "b: 2" })
      script.latest.exit({ code: 1, signal: null })
      yield* settled
      const { names, ageMs } = yield* session.names
      assert.deepStrictEqual([[...names.keys()], ageMs], [[".k.a"], 0])
    }),
  )

  test("H4 a script of the variables is made even when no child can be launched", { engine: "k3csharp", restartCrashes: 1 }, (_, session) =>
    Effect.gen(function* () {
      yield* session.evaluate({ code: "a: 1" })
      yield* idle
      yield* fails(session, "exit 3")
      assert.strictEqual((yield* fails(session, "a"))._tag, "BreakerOpen")
      const { text, variables, missed } = yield* session.script(1000)
      assert.match(text, /^a:/)
      assert.deepStrictEqual([variables, missed], [1, 0])
    }),
  )

  test("S22 changes after the capture are reported as missing", { engine: "k3csharp" }, (_, session) =>
    Effect.gen(function* () {
      yield* session.evaluate({ code: "a: 1" })
      yield* idle
      yield* session.evaluate({ code: "b: 2" })
      assert.deepInclude(yield* fails(session, "exit 3"), {
        held: { variables: 1, missed: 1, lost: [{ path: ".k.b", why: "no capture was made since it was defined" }] },
      })
      yield* idle
      assert.deepInclude((yield* session.evaluate({ code: "a" })).notices[0], { kind: "restored", restored: 1, missed: 1 })
    }),
  )

  test(
    "S21 S22 a long evaluation is captured at once, and a call that comes meanwhile waits for that capture",
    { engine: "k3csharp" },
    (script, session) =>
      Effect.gen(function* () {
        yield* session.evaluate({ code: "a: slow" })
        yield* evaluatedFor(400, "b: 2\nloop", script, session)
        yield* Effect.andThen(TestClock.adjust(50), settled)
        const next = yield* Effect.forkChild(session.evaluate({ code: "print 1" }))
        yield* Effect.andThen(TestClock.adjust(150), settled)
        assert.isUndefined(next.pollUnsafe())
        script.latest.finish("49")
        assert.strictEqual((yield* Fiber.join(next)).output, "1")
        assert.deepInclude(yield* fails(session, "exit 3"), { held: { variables: 2, missed: 1, lost: [] } })
      }),
  )

  test("S21 S22 a long evaluation is captured before the next one that comes without a pause", { engine: "k3csharp" }, (script, session) =>
    Effect.gen(function* () {
      yield* evaluatedFor(400, "b: 2\nloop", script, session)
      assert.deepInclude(yield* fails(session, "exit 3"), { held: { variables: 1, missed: 0, lost: [] } })
    }),
  )

  test(
    "S21 S22 a capture that needs longer than one evaluation earns is made in a stream of them too",
    { engine: "k3csharp" },
    (script, session) =>
      Effect.gen(function* () {
        /** Tells whether its session was captured before it. Reading each of the four variables takes 30 ms. */
        const evaluation = Effect.gen(function* () {
          const asked = script.latest?.lines.length ?? 0
          const running = yield* Effect.forkChild(session.evaluate({ code: "a: slow\nb: slow\nc: slow\nd: slow\nloop" }))
          yield* settled
          while (script.latest.lines.at(-1) !== "loop") {
            yield* Effect.andThen(TestClock.adjust(30), settled)
            script.latest.finish("49")
            yield* settled
          }
          yield* Effect.andThen(TestClock.adjust(100), settled)
          script.latest.finish("")
          yield* Fiber.join(running)
          return script.latest.lines.slice(asked).includes("\\p")
        })
        const isCaptured: boolean[] = []
        for (let i = 0; i < 5; i++) isCaptured.push(yield* evaluation)
        assert.deepStrictEqual(isCaptured, [false, false, false, false, true])
      }),
  )

  test("S21 S22 a capture before an evaluation leaves half of its time to it", { engine: "k3csharp" }, (script, session) =>
    Effect.gen(function* () {
      yield* evaluatedFor(900, "a: slow\nb: slow\nc: 3\nloop", script, session)
      const next = yield* Effect.forkChild(session.evaluate({ code: "c", timeoutMs: 300 }))
      yield* Effect.andThen(TestClock.adjust(160), settled)
      script.latest.finish("49")
      yield* Effect.andThen(settled, TestClock.adjust(150))
      assert.deepInclude(yield* Fiber.join(next), { output: "3", generation: 1 })
    }),
  )

  test("S3 S22 a deadline during the capture before an evaluation ends no child that answers", { engine: "k3csharp" }, (script, session) =>
    Effect.gen(function* () {
      yield* evaluatedFor(900, "a: slow\nc: 3\nloop", script, session)
      const next = yield* Effect.forkChild(Effect.flip(session.evaluate({ code: "c", timeoutMs: 300 })))
      yield* Effect.andThen(TestClock.adjust(310), settled)
      script.latest.finish("49")
      assert.deepInclude(yield* Fiber.join(next), { _tag: "DeadlineExceeded", state: "kept", waiting: true })
      assert.deepInclude(yield* session.evaluate({ code: "c" }), { output: "3", generation: 1 })
    }),
  )

  test("S23 embedded: after an answer without a list, all variables count as lost", { engine: "embedded" }, (_, session) =>
    Effect.gen(function* () {
      yield* session.evaluate({ code: "a: 1\nb: broken" })
      yield* idle
      yield* fails(session, "exit 3")
      yield* idle
      const { notices } = yield* session.evaluate({ code: "print 1" })
      const why = "the interpreter failed: RangeError: it is broken"
      assert.deepInclude(notices[0], {
        kind: "fresh",
        lost: [
          { path: ".k.a", why },
          { path: ".k.b", why },
        ],
      })
    }),
  )

  test("S21 a capture that an inspection interrupted is repeated", { engine: "k3csharp" }, (script, session) =>
    Effect.gen(function* () {
      yield* session.evaluate({ code: "a: slow\nb: 2" })
      yield* idle
      const look = yield* Effect.forkChild(session.inspect(""))
      yield* settled
      script.latest.finish("49")
      yield* Fiber.join(look)
      assert.strictEqual((yield* session.status).held.missed, 1)
      yield* idle
      assert.deepInclude((yield* session.status).held, { variables: 2, missed: 0 })
    }),
  )

  test("S21 an evaluation interrupts a capture", { engine: "k3csharp" }, (script, session) =>
    Effect.gen(function* () {
      yield* session.evaluate({ code: "a: 1" })
      yield* idle
      const before = script.latest.lines.length
      yield* session.evaluate({ code: "b: 2" })
      yield* session.evaluate({ code: "c: 3" })
      assert.deepStrictEqual(script.latest.lines.slice(before), ["b: 2", "c: 3"])
    }),
  )
})
