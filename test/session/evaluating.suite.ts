/** The promises about evaluations: order, exact replies, deadlines, cancels and crashes (S1–S5, S8, S9, S11, S12, C4). */
import { assert } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { Announce } from "../../src/session/Announce.ts"
import { Sessions } from "../../src/session/Sessions.ts"
import { running, until } from "../lib/waiting.ts"
import type { Stage } from "./session.suite.ts"

export const evaluating = ({ test, code, it, pass, gone, pidOf, ...subject }: Stage): void => {
  test("S2 a reply has the exact printed bytes; statements run in order into one reply", {}, (session) =>
    Effect.gen(function* () {
      const one = yield* session.evaluate({ code: code.value[0] })
      assert.deepInclude(one, { ok: true, output: code.value[1], generation: 1, statements: 1, notices: [] })
      assert.strictEqual((yield* session.evaluate({ code: code.several[0] })).output, code.several[1])
    }),
  )

  test("S2 an error of K is a reply, and stops the statements after it", {}, (session) =>
    Effect.gen(function* () {
      const reply = yield* session.evaluate({ code: `${code.assign}\n${code.error[0]}\n${code.value[0]}` })
      assert.deepInclude(reply, { ok: false, failedStatement: 2, statements: 3 })
      assert.strictEqual(reply.error?.name, code.error[1])
      assert.strictEqual((yield* session.evaluate({ code: code.read[0] })).output, code.read[1])
    }),
  )

  test("S1 evaluations run one at a time, in order", {}, (session) =>
    Effect.gen(function* () {
      const order: number[] = []
      yield* Effect.forEach(
        [1, 2, 3, 4],
        (i) =>
          Effect.tap(session.evaluate({ code: code.value[0] }), () =>
            Effect.sync(() => {
              order.push(i)
            }),
          ),
        {
          concurrency: "unbounded",
        },
      )
      assert.deepStrictEqual(order, [1, 2, 3, 4])
    }),
  )

  test("S3 a missed deadline is answered with the state of the variables, and the next evaluation works", {}, (session) =>
    Effect.gen(function* () {
      yield* session.evaluate({ code: code.assign })
      const pid = yield* pidOf(session)
      const late = yield* Effect.forkChild(Effect.flip(session.evaluate({ code: `${code.value[0]}\n${code.loop}`, timeoutMs: 2000 })))
      // On a loaded machine the deadline may pass before anybody looks.
      yield* Effect.raceFirst(running(session), Effect.asVoid(Fiber.await(late)))
      yield* pass(2000)
      const error = yield* Fiber.join(late)
      assert.strictEqual(error._tag, "DeadlineExceeded")
      if (error._tag !== "DeadlineExceeded") return
      assert.deepInclude(error, {
        timeoutMs: 2000,
        waiting: false,
        statement: code.loop,
        statementNumber: 2,
        state: subject.interruptible ? "kept" : "lost",
        generation: subject.interruptible ? 1 : 2,
      })
      assert.include(error.output, code.value[1].trimEnd())
      if (subject.interruptible) assert.strictEqual(yield* pidOf(session), pid)
      else yield* gone(pid)
      const next = yield* session.evaluate({ code: subject.interruptible ? code.read[0] : code.value[0] })
      assert.deepInclude(next, {
        output: subject.interruptible ? code.read[1] : code.value[1],
        generation: error.generation,
        notices: [],
      })
      assert.strictEqual((yield* session.status).evaluations, 3)
    }),
  )

  test("S4 a client's cancel stops the evaluation, and the next one works", { evalTimeout: 60_000 }, (session) =>
    Effect.gen(function* () {
      yield* session.evaluate({ code: code.assign })
      const pid = yield* pidOf(session)
      const cancelled = yield* Effect.forkChild(session.evaluate({ code: code.loop }))
      yield* running(session)
      yield* Fiber.interrupt(cancelled)
      if (!subject.interruptible) yield* gone(pid)
      const next = yield* session.evaluate({ code: code.value[0] })
      assert.deepInclude(next, { ok: true, output: code.value[1], generation: subject.interruptible ? 1 : 2 })
      assert.deepStrictEqual(
        next.notices.map(({ kind }) => kind),
        subject.interruptible ? [] : ["fresh"],
      )
    }),
  )

  test("S4 another caller stops the evaluation, whose error gives the state of the variables", { evalTimeout: 60_000 }, (session) =>
    Effect.gen(function* () {
      assert.strictEqual(yield* session.interrupt, undefined)
      yield* session.evaluate({ code: code.assign })
      const loop = yield* Effect.forkChild(Effect.flip(session.evaluate({ code: code.loop })))
      yield* running(session)
      const told = yield* session.interrupt
      assert.deepInclude(told, { statement: code.loop, statementNumber: 1 })
      const error = yield* Fiber.join(loop)
      if (error._tag !== "EvaluationStopped") return assert.fail(error._tag)
      assert.deepInclude(error, { statement: code.loop, state: told!.state, generation: subject.interruptible ? 1 : 2 })
      if (subject.interruptible) assert.strictEqual(error.state, "kept")
      assert.deepInclude(yield* session.evaluate({ code: code.value[0] }), { ok: true, output: code.value[1] })
      assert.strictEqual(yield* session.interrupt, undefined)
    }),
  )

  test(
    "S14 a reset waits in the queue, names the running statement, and gives up at its deadline; after a stop of that statement it runs",
    { evalTimeout: 3000 },
    (session) =>
      Effect.gen(function* () {
        // On a loaded machine the first launch may take longer than the deadline of the reset.
        yield* session.evaluate({ code: code.value[0], timeoutMs: 60_000 })
        const loop = yield* Effect.forkChild(Effect.flip(session.evaluate({ code: code.loop, timeoutMs: 60_000 })))
        yield* running(session)
        const said: (readonly [what: string, isInterruptible: boolean])[] = []
        const reset = Effect.provideService(
          session.reset,
          Announce,
          (what, isInterruptible = false) => void said.push([what!, isInterruptible]),
        )
        const late = yield* Effect.forkChild(Effect.flip(reset))
        yield* until(Effect.sync(() => said.length > 0))
        assert.deepStrictEqual(said[0], [`the reset waits for what runs: ${code.loop}`, true])
        yield* pass(3000)
        assert.deepInclude(yield* Fiber.join(late), { _tag: "DeadlineExceeded", doing: "reset", statement: code.loop })
        const next = yield* Effect.forkChild(reset)
        yield* until(Effect.sync(() => said.length > 1))
        yield* session.interrupt
        assert.strictEqual((yield* Fiber.join(loop))._tag, "EvaluationStopped")
        yield* Fiber.join(next)
        assert.deepStrictEqual(said.at(-1), ["reset", false])
      }),
  )

  test("S5 a crash is reported with the running statement, and the next evaluation works in a fresh child", {}, (session) =>
    Effect.gen(function* () {
      yield* session.evaluate({ code: code.value[0] })
      const pid = yield* pidOf(session)
      const error = yield* Effect.flip(session.evaluate({ code: `${code.exit.before}\n${code.exit.line}` }))
      assert.strictEqual(error._tag, "ChildDied")
      if (error._tag !== "ChildDied") return
      assert.deepInclude(error, { reason: "exit", ...code.exit.how, statement: code.exit.line, statementNumber: 2 })
      yield* gone(pid)
      assert.include((yield* session.status).lastCrash ?? "", String(code.exit.how.exitCode ?? code.exit.how.signal))
      const next = yield* Effect.forkChild(session.evaluate({ code: code.value[0] }))
      yield* pass(50)
      assert.deepInclude(yield* Fiber.join(next), { ok: true, output: code.value[1], generation: 2 })
    }),
  )

  test("S11 a call that waits for another spends its own deadline", { evalTimeout: 60_000 }, (session) =>
    Effect.gen(function* () {
      yield* session.evaluate({ code: code.value[0] })
      const first = yield* Effect.forkChild(Effect.flip(session.evaluate({ code: code.loop })))
      yield* running(session)
      const second = yield* Effect.forkChild(Effect.flip(session.evaluate({ code: code.value[0], timeoutMs: 100 })))
      yield* until(Effect.map(session.status, ({ running }) => running?.waiting === 1))
      yield* pass(100)
      const error = yield* Fiber.join(second)
      assert.deepInclude(error, { _tag: "DeadlineExceeded", waiting: true, statement: code.loop, statementNumber: 0, timeoutMs: 100 })
      yield* Fiber.interrupt(first)
    }),
  )

  test(
    "S1 an evaluation does not delay another session; S12 status and inspection answer while one runs",
    { evalTimeout: 60_000 },
    (session, sessions) =>
      Effect.gen(function* () {
        yield* session.evaluate({ code: code.assign })
        const seen = yield* session.inspect("")
        assert.deepStrictEqual(
          seen.entries.map(({ name }) => name),
          [code.name],
        )
        assert.deepInclude(yield* session.names, { engine: subject.engine, directory: ".k", ageMs: 0 })
        const { names } = yield* session.names
        assert.deepStrictEqual([...names.keys()], [`.k.${code.name}`])
        const loop = yield* Effect.forkChild(session.evaluate({ code: code.loop }))
        yield* running(session)
        assert.deepInclude(yield* session.status, { phase: "evaluating", engine: subject.engine, generation: 1 })
        assert.strictEqual((yield* session.status).running?.statement, code.loop)
        yield* pass(250)
        assert.deepStrictEqual((yield* session.inspect("")).entries, seen.entries)
        assert.isTrue((yield* session.inspect(".x.y")).unknown)
        const held = yield* session.names
        assert.deepStrictEqual(held.names, names)
        assert.isAbove(held.ageMs ?? 0, 0)
        const other = yield* sessions.get("other")
        assert.strictEqual((yield* other.evaluate({ code: code.value[0] })).output, code.value[1])
        assert.deepStrictEqual(
          (yield* sessions.list).map(({ name, phase }) => [name, phase]),
          [
            ["main", "evaluating"],
            ["other", "ready"],
          ],
        )
        yield* Fiber.interrupt(loop)
      }),
  )

  test("C4 an evaluation whose value is requested prints as usual, and returns the value", {}, (session) =>
    Effect.gen(function* () {
      const [statement, output] = code.value
      const { value, ...reply } = yield* session.evaluate({ code: statement, value: { image: 1000 } })
      assert.strictEqual(reply.output.trimEnd(), output.trimEnd())
      assert.isAbove(value!.image.length, 0)
      assert.strictEqual(value!.engine, subject.engine)
      assert.isUndefined((yield* session.evaluate({ code: statement })).value)
      const failed = yield* session.evaluate({ code: code.error[0], value: { image: 1000 } })
      assert.deepInclude(failed, { ok: false })
      assert.isUndefined(failed.value)
    }),
  )

  test("C4 an evaluation whose value is requested reports a deadline and a death", {}, (session) =>
    Effect.gen(function* () {
      // The launch is no part of that deadline, however long it takes here.
      yield* session.evaluate({ code: code.value[0] })
      const late = yield* Effect.forkChild(Effect.flip(session.evaluate({ code: code.loop, timeoutMs: 2000, value: { image: 1000 } })))
      yield* running(session)
      yield* pass(2000)
      assert.deepInclude(yield* Fiber.join(late), { _tag: "DeadlineExceeded", statement: code.loop })
      const { before, line, how } = code.exit
      const next = yield* Effect.forkChild(session.evaluate({ code: before }))
      yield* pass(50)
      yield* Fiber.join(next)
      const died = yield* Effect.flip(session.evaluate({ code: line, value: { image: 1000 } }))
      assert.deepInclude(died, { _tag: "ChildDied", ...how, statement: line })
    }),
  )

  test("S9 a flood of output is cut with a marker", { outputShown: 1000, evalTimeout: 20_000 }, (session) =>
    Effect.gen(function* () {
      const { output, truncated } = yield* session.evaluate({ code: code.flood })
      assert.isBelow(output.length, 1200)
      assert.include(output, "cut here")
      assert.isAbove(truncated?.bytes ?? 0, 100_000)
      assert.strictEqual((yield* session.evaluate({ code: code.value[0] })).output, code.value[1])
    }),
  )

  it("S8 closing ends the child in the middle of an evaluation", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const context = yield* Layer.buildWithScope(subject.layer({ engine: subject.engine, evalTimeout: 60_000 }), scope)
      const session = yield* Context.get(context, Sessions).get("main")
      yield* session.evaluate({ code: code.value[0] })
      const pid = yield* pidOf(session)
      yield* Effect.forkChild(session.evaluate({ code: code.loop }))
      yield* running(session)
      yield* Scope.close(scope, Exit.void)
      // Inside a fence it ends with the program around it, which is the one waited for.
      yield* gone(pid)
    }))
}
