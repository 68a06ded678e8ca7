/** Launches, restarts, reset and reload, over scripted children. */
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { TestClock } from "effect/testing"
import { fails, settled, test } from "../lib/scriptedSession.ts"

describe("launching", () => {
  test("S6 a launch that never gets ready fails in time, and its process is gone", { launchTimeout: 700 }, (script, session) =>
    Effect.gen(function* () {
      script.launches.push("mute")
      const call = yield* Effect.forkChild(fails(session, "print 1"))
      yield* settled
      assert.strictEqual((yield* session.status).phase, "launching")
      yield* TestClock.adjust(700)
      assert.deepInclude(yield* Fiber.join(call), { _tag: "LaunchFailed", reason: "timeout", timeoutMs: 700 })
      assert.isFalse(script.processes[0]!.alive())
    }),
  )

  test("S6 a launch that ends at once quotes the child's standard error", {}, (script, session) =>
    Effect.gen(function* () {
      script.launches.push("exit")
      assert.deepInclude(yield* fails(session, "print 1"), {
        _tag: "LaunchFailed",
        reason: "exit",
        exitCode: 150,
        stderr: "You must install .NET",
      })
      script.launches.push("refuse")
      yield* TestClock.adjust(5000)
      assert.strictEqual((yield* session.evaluate({ code: "print 1" })).output, "1")
    }),
  )

  test(
    "S7 delays double, stay below the cap, and end in Failed; the cool-down lets one launch through",
    {
      restartFirstDelay: 100,
      restartMaxDelay: 300,
      restartCrashes: 5,
      restartWindow: 10_000,
      restartCooldown: 20_000,
    },
    (script, session) =>
      Effect.gen(function* () {
        script.launches.push("exit", "exit", "exit", "exit", "exit", "exit")
        assert.strictEqual((yield* fails(session, "print 1"))._tag, "LaunchFailed")
        const launches: number[] = []
        for (let ms = 0; ms < 1000; ms += 10) {
          yield* settled
          while (launches.length < script.processes.length) launches.push(ms)
          yield* TestClock.adjust(10)
        }
        const delays = launches.slice(1).map((at, i) => at - launches[i]!)
        assert.strictEqual(launches.length, 5)
        assert.isTrue(delays[0]! >= 80 && delays[0]! <= 130, `first delay ${delays[0]}`)
        assert.isTrue(delays[1]! >= 160 && delays[1]! <= 250, `second delay ${delays[1]}`)
        assert.isTrue(
          delays.every((delay) => delay <= 310),
          `capped ${String(delays)}`,
        )
        const open = yield* fails(session, "print 1")
        assert.deepInclude(open, { _tag: "BreakerOpen", crashes: 5 })
        assert.strictEqual((yield* session.status).phase, "failed")
        assert.include(open._tag === "BreakerOpen" ? open.last : "", "You must install .NET")

        yield* TestClock.adjust(20_000)
        assert.strictEqual((yield* fails(session, "print 1"))._tag, "LaunchFailed")
        assert.strictEqual((yield* fails(session, "print 1"))._tag, "BreakerOpen")
        assert.strictEqual(script.processes.length, 6)

        assert.strictEqual((yield* session.reset).how, "relaunched")
        assert.strictEqual((yield* session.evaluate({ code: "print 1" })).output, "1")
      }),
  )

  test(
    "S7 crashes of a running child open the breaker; a stable run starts the delays over",
    {
      restartFirstDelay: 100,
      restartCrashes: 3,
      restartWindow: 10_000,
    },
    (script, session) =>
      Effect.gen(function* () {
        for (let i = 0; i < 4; i++) {
          yield* session.evaluate({ code: "print 1" })
          yield* TestClock.adjust(10_001)
          assert.strictEqual((yield* fails(session, "exit 1"))._tag, "ChildDied")
          yield* TestClock.adjust(125)
          yield* settled
          assert.strictEqual((yield* session.status).phase, "ready")
        }
        yield* fails(session, "exit 1")
        yield* TestClock.adjust(1000)
        yield* fails(session, "exit 1")
        yield* TestClock.adjust(1000)
        assert.deepInclude(yield* fails(session, "print 1"), { _tag: "BreakerOpen", crashes: 3 })
        yield* TestClock.adjust(60_000)
        assert.strictEqual((yield* session.evaluate({ code: "print 1" })).output, "1")
        assert.strictEqual((yield* fails(session, "exit 1"))._tag, "ChildDied")
        assert.strictEqual((yield* fails(session, "print 1"))._tag, "BreakerOpen")
        assert.strictEqual((yield* session.reload({ preserveState: false })).generation > 1, true)
        assert.strictEqual((yield* session.evaluate({ code: "print 1" })).output, "1")
        assert.strictEqual(script.alive.length, 1)
      }),
  )
})

describe("reset and reload", () => {
  test("S14 a workspace that `\\9` leaves unclean is relaunched", { engine: "embedded" }, (_, session) =>
    Effect.gen(function* () {
      yield* session.evaluate({ code: "sticky: 1" })
      assert.deepStrictEqual(yield* session.reset, { how: "relaunched", generation: 2 })
      assert.deepStrictEqual((yield* session.inspect("")).entries, [])
    }),
  )

  for (const how of ["reset", "reload"] as const)
    test(`S14 an inspection during an evaluation shows no variables of before the ${how}`, {}, (_, session) =>
      Effect.gen(function* () {
        yield* session.evaluate({ code: "x: 5" })
        assert.lengthOf((yield* session.inspect("")).entries, 1)
        if (how === "reset") yield* session.reset
        else yield* session.reload({ preserveState: false })
        yield* Effect.forkChild(session.evaluate({ code: "loop" }))
        yield* settled
        assert.deepInclude(yield* session.inspect(""), { entries: [], unknown: true })
      }),
    )

  test("S14 reload keeps the old child and its variables when the new child fails its check", {}, (script, session) =>
    Effect.gen(function* () {
      yield* session.evaluate({ code: "x: 5" })
      script.launches.push("exit")
      assert.strictEqual((yield* Effect.flip(session.reload({ preserveState: false })))._tag, "LaunchFailed")
      assert.deepInclude(yield* session.evaluate({ code: "x" }), { output: "5", generation: 1 })
      assert.deepStrictEqual(script.alive, [1001])
    }),
  )

  test("S14 a session that cannot be reset keeps its variables, and the others are reset", {}, (script, main, _, sessions) =>
    Effect.gen(function* () {
      const both = [main, yield* sessions.get("other")]
      for (const each of both) yield* each.evaluate({ code: "x: 5" })
      script.launches.push("exit")
      assert.strictEqual((yield* Effect.flip(sessions.resetAll))._tag, "LaunchFailed")
      const outputs = yield* Effect.forEach(both, (each) => Effect.map(each.evaluate({ code: "x" }), ({ output }) => output))
      assert.sameMembers([...outputs], ["0", "5"])
    }),
  )

  test(
    "S16 a relaunch runs the earlier build, not a newer one on disk, unless the earlier one cannot be launched",
    {},
    (script, session, build) =>
      Effect.gen(function* () {
        yield* session.evaluate({ code: "print 1" })
        build.onDisk = { hash: "22", content: "22" }
        yield* fails(session, "exit 1")
        yield* TestClock.adjust(100)
        yield* session.evaluate({ code: "print 1" })
        assert.deepInclude(yield* session.status, { generation: 2, runningHash: "11", stale: true })
        script.launches.push("exit")
        yield* fails(session, "exit 1")
        yield* TestClock.adjust(1000)
        yield* session.evaluate({ code: "print 1" })
        assert.deepInclude(yield* session.status, { generation: 3, runningHash: "22", stale: false })
      }),
  )

  test("S16 a newer build is reported once, and reload runs it", {}, (_, session, build) =>
    Effect.gen(function* () {
      yield* session.evaluate({ code: "print 1" })
      build.onDisk = { hash: "22", content: "22" }
      yield* TestClock.adjust(1000)
      const { notices } = yield* session.evaluate({ code: "print 1" })
      assert.deepStrictEqual(notices, [{ kind: "stale", runningHash: "11", buildHash: "22" }])
      yield* TestClock.adjust(1000)
      assert.deepStrictEqual((yield* session.evaluate({ code: "print 1" })).notices, [])
      assert.deepInclude(yield* session.status, { runningHash: "11", buildHash: "22", stale: true })
      assert.deepInclude(yield* session.reload({ preserveState: false }), { oldHash: "11", newHash: "22" })
      assert.isFalse((yield* session.status).stale)
    }),
  )
})
