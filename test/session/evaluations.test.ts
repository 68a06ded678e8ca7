/** Stopping evaluations, reading the output stream, and refusing code, over scripted children. */
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { TestClock } from "effect/testing"
import { fails, settled, test } from "../lib/scriptedSession.ts"
import { running } from "../lib/waiting.ts"

describe("stopping", () => {
  test(
    "S3 an engine that ignores the interrupt is killed after the grace period",
    { engine: "embedded", interruptGrace: 250 },
    (script, session) =>
      Effect.gen(function* () {
        yield* session.evaluate({ code: "x: 5" })
        const call = yield* Effect.forkChild(fails(session, "deaf"))
        yield* running(session)
        yield* TestClock.adjust(1000)
        assert.strictEqual((yield* session.status).phase, "interrupting")
        yield* TestClock.adjust(249)
        assert.isTrue(script.processes[0]!.alive())
        yield* TestClock.adjust(1)
        assert.deepInclude(yield* Fiber.join(call), { state: "restored", generation: 2 })
        assert.isFalse(script.processes[0]!.alive())
        yield* settled
        assert.strictEqual((yield* session.status).generation, 2)
      }),
  )

  test("S3 the error has the output of the statement so far", {}, (_, session) =>
    Effect.gen(function* () {
      const call = yield* Effect.forkChild(fails(session, "busy"))
      yield* running(session)
      yield* TestClock.adjust(1000)
      assert.deepInclude(yield* Fiber.join(call), { _tag: "DeadlineExceeded", output: "half" })
    }),
  )

  test(
    "S19 no caller waits for a kill: the deadline is answered while the old child still ends, and the new child answers only after that end",
    {},
    (script, session) =>
      Effect.gen(function* () {
        yield* session.evaluate({ code: "print 1" })
        script.holdKills = true
        const call = yield* Effect.forkChild(fails(session, "loop"))
        yield* running(session)
        yield* TestClock.adjust(1000)
        assert.deepInclude(yield* Fiber.join(call), { _tag: "DeadlineExceeded", state: "lost" })
        assert.isTrue(script.processes[0]!.killed())
        yield* settled
        assert.deepStrictEqual(script.alive, [1001, 1002])
        const next = yield* Effect.forkChild(session.evaluate({ code: "print 2" }))
        yield* settled
        assert.strictEqual(next.pollUnsafe(), undefined)
        assert.deepInclude(yield* session.status, { phase: "launching", pid: null })
        script.release()
        assert.deepInclude(yield* Fiber.join(next), { output: "2", generation: 2 })
        assert.deepStrictEqual(script.alive, [1002])
        assert.deepInclude(yield* session.status, { phase: "ready", generation: 2, pid: 1002 })
      }),
  )

  test("S19 closing a child's scope ends that child and nothing else", {}, (script, session, _, sessions) =>
    Effect.gen(function* () {
      yield* session.evaluate({ code: "print 1" })
      const other = yield* sessions.get("other")
      yield* other.evaluate({ code: "print 1" })
      yield* session.reload({ preserveState: false })
      yield* settled
      assert.deepStrictEqual(script.alive, [1002, 1003])
    }),
  )

  test("S4 a call cancelled while it waits never runs", {}, (script, session) =>
    Effect.gen(function* () {
      yield* session.evaluate({ code: "print 1" })
      const first = yield* Effect.forkChild(fails(session, "loop"))
      yield* running(session)
      const second = yield* Effect.forkChild(session.evaluate({ code: "x: 9" }))
      yield* settled
      yield* Fiber.interrupt(second)
      assert.strictEqual((yield* session.status).running?.waiting, 0)
      yield* TestClock.adjust(1000)
      yield* Fiber.join(first)
      yield* session.evaluate({ code: "print 1" })
      assert.isFalse(script.processes.some(({ lines }) => lines.includes("x: 9")))
    }),
  )
})

describe("the stream", () => {
  test("S2 a reply that comes byte by byte is whole", {}, (_, session) =>
    Effect.map(session.evaluate({ code: "split" }), ({ output }) => assert.strictEqual(output, "split")),
  )

  test("S10 after bytes behind a reply, the child is relaunched, and the next reply reports that once", {}, (script, session) =>
    Effect.gen(function* () {
      yield* session.evaluate({ code: "spill more" })
      yield* TestClock.adjust(100)
      yield* settled
      assert.isFalse(script.processes[0]!.alive())
      const next = yield* session.evaluate({ code: "print 1" })
      assert.deepInclude(next, { output: "1", generation: 2 })
      const [notice] = next.notices
      assert.strictEqual(notice?.kind, "fresh")
      assert.include(notice?.kind === "fresh" ? notice.why : "", "out of step")
      assert.deepStrictEqual((yield* session.evaluate({ code: "print 1" })).notices, [])
    }),
  )

  test("S10 a sentinel too many fails the evaluation it belongs to", {}, (script, session) =>
    Effect.gen(function* () {
      const call = yield* Effect.forkChild(fails(session, "loop"))
      yield* running(session)
      script.latest.print("a\x01\x02b\x01\x02")
      assert.deepInclude(yield* Fiber.join(call), { _tag: "ChildDied", reason: "out-of-step" })
    }),
  )

  test("S5 a child that dies while idle is replaced, and the next reply says why", {}, (script, session) =>
    Effect.gen(function* () {
      yield* session.evaluate({ code: "print 1" })
      script.latest.exit({ code: null, signal: "SIGSEGV" })
      yield* TestClock.adjust(100)
      yield* settled
      const { notices, generation } = yield* session.evaluate({ code: "print 1" })
      assert.strictEqual(generation, 2)
      assert.include(JSON.stringify(notices), "SIGSEGV")
    }),
  )

  test("S18 running out of memory is distinguished from other ends", {}, (script, session) =>
    Effect.gen(function* () {
      const call = yield* Effect.forkChild(fails(session, "loop"))
      yield* running(session)
      Object.assign(script.latest, { stderr: () => "Unhandled exception. System.OutOfMemoryException: …" })
      script.latest.exit({ code: 134, signal: null })
      assert.deepInclude(yield* Fiber.join(call), { _tag: "ChildDied", reason: "memory", exitCode: 134 })
    }),
  )
})

describe("refused code", () => {
  for (const line of ["\\ls /", " \\ls", "\\\\ls", "\\m x", "\\w", "\\cdx", "\\lx"])
    test(`S17 ${JSON.stringify(line)} would go to a shell in K3CSharp, so none of the code runs`, {}, (script, session) =>
      Effect.gen(function* () {
        const error = yield* fails(session, `x: 1\n${line}`)
        assert.deepInclude(error, { _tag: "Refused", reason: "shell", statement: line.trim() })
        assert.isFalse(script.latest.lines.includes("x: 1"))
      }),
    )

  for (const line of ["\\v", "\\d ^", "\\d^", "\\l x", "\\t 1+1", "\\p 10", "\\r", "\\cd /tmp", "\\?", "\\9"])
    test(`S17 ${line} is a command of K3CSharp`, {}, (_, session) =>
      Effect.map(session.evaluate({ code: line }), ({ ok }) => assert.isTrue(ok)),
    )

  test(
    "S17 a shell command runs when the settings allow it; a command to end the interpreter never runs",
    { shell: "allow" },
    (_, session) =>
      Effect.gen(function* () {
        assert.isTrue((yield* session.evaluate({ code: "\\ls" })).ok)
        assert.deepInclude(yield* fails(session, "\\\\"), { _tag: "Refused", reason: "exit" })
      }),
  )

  test("S17 a child sees only the allowed environment variables and those for .NET", {}, (script, session) =>
    Effect.gen(function* () {
      process.env.K3_TEST_SECRET = "s"
      yield* session.evaluate({ code: "print 1" })
      const { env } = script.latest.spec
      assert.strictEqual(env.PATH, process.env.PATH)
      assert.strictEqual(env.DOTNET_ROLL_FORWARD, process.env.DOTNET_ROLL_FORWARD ?? "Major")
      assert.isUndefined(env.K3_TEST_SECRET)
    }),
  )

  test("S2 an unfinished statement that prints nothing carries a notice", {}, (_, session) =>
    Effect.gen(function* () {
      const { notices } = yield* session.evaluate({ code: "print " })
      assert.deepStrictEqual(notices, [])
      const open = yield* session.evaluate({ code: "flood 0 (1" })
      assert.deepStrictEqual(open.notices, [{ kind: "silent", statement: "flood 0 (1" }])
    }),
  )
})
