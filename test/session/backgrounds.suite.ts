/** The promises about background evaluations: S33 to S35, and S1, S3, S5, S24 and S25 applied to them. */
import { assert } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import type { BackgroundEvaluation } from "../../src/session/Backgrounds.ts"
import type { Sessions } from "../../src/session/Sessions.ts"
import { running, until } from "../lib/waiting.ts"
import type { Stage } from "./session.suite.ts"

type All = Sessions["Service"]

const isOver = ({ backgrounds }: All, handle: string) =>
  Effect.map(Effect.orDie(backgrounds.find(handle)), ({ phase }) => phase === "ended")
const ended = (sessions: All, handle: string) =>
  Effect.andThen(until(isOver(sessions, handle)), Effect.orDie(sessions.backgrounds.find(handle)))
const succeeded = ({ exit }: BackgroundEvaluation) => (exit !== undefined && Exit.isSuccess(exit) ? exit.value : assert.fail(String(exit)))
const failed = ({ exit }: BackgroundEvaluation) =>
  exit !== undefined && Exit.isFailure(exit) ? exit.cause.reasons.find(Cause.isFailReason)?.error : assert.fail(String(exit))

export const backgrounds = ({ test, code, pass }: Stage): void => {
  test("S33 the handle is returned at once; it shows the output so far, the phase, and the result at the end", {}, (session, sessions) =>
    Effect.gen(function* () {
      const begun = yield* sessions.backgrounds.begin(session.name, { code: `${code.value[0]}\n${code.assign}\n${code.loop}` })
      assert.deepInclude(begun, { handle: "e1", session: "main", exit: undefined })
      yield* running(session, code.loop)
      const now = yield* sessions.backgrounds.find("e1")
      assert.deepInclude(now, { phase: "running", bytes: code.value[1].length })
      const page = yield* sessions.outputs.page("e1", { from: 1, unit: "line", shown: 100 })
      assert.strictEqual(page.text, code.value[1])
      yield* session.interrupt
      assert.strictEqual(failed(yield* ended(sessions, "e1"))?._tag, "EvaluationStopped")
      const { handle } = yield* sessions.backgrounds.begin(session.name, { code: code.value[0] })
      assert.strictEqual(handle, "e2")
      assert.deepInclude(succeeded(yield* ended(sessions, "e2")), { ok: true, output: code.value[1] })
    }),
  )

  test(
    "S33 it has a deadline of its own, which may exceed that of an ordinary call",
    { evalTimeoutMax: 1000, backgroundTimeout: 2000 },
    (_, sessions) =>
      Effect.gen(function* () {
        // A launch within the evaluation would count in the deadline, and takes seconds on a busy computer.
        yield* sessions.create({ name: "launched" })
        const session = yield* sessions.get("launched")
        const { handle } = yield* sessions.backgrounds.begin(session.name, { code: code.loop, timeoutMs: 9000 })
        yield* running(session)
        yield* pass(2000)
        const error = failed(yield* ended(sessions, handle))
        assert.deepInclude(error, { _tag: "DeadlineExceeded", timeoutMs: 2000, waiting: false })
        // An interpreter that had to be ended is launched anew, which would count in the next deadline.
        yield* until(Effect.map(session.status, ({ phase }) => phase === "ready"))
        assert.isTrue((yield* session.evaluate({ code: code.value[0] })).ok)
      }),
  )

  test("S33 other calls of its session wait for it, other sessions do not, and a fork runs beside it", {}, (session, sessions) =>
    Effect.gen(function* () {
      yield* session.evaluate({ code: code.assign })
      yield* session.snapshots.save("before")
      yield* sessions.backgrounds.begin(session.name, { code: code.loop })
      yield* running(session)
      const { handle } = yield* sessions.backgrounds.begin(session.name, { code: code.value[0] })
      assert.deepInclude(yield* sessions.backgrounds.find(handle), { phase: "waiting" })
      const other = yield* sessions.get("other")
      assert.strictEqual((yield* other.evaluate({ code: code.value[0] })).output, code.value[1])
      yield* sessions.fork({ from: "main", snapshot: "before", name: "beside" })
      const beside = yield* sessions.get("beside")
      assert.strictEqual((yield* beside.evaluate({ code: code.read[0] })).output, code.read[1])
      assert.deepInclude(yield* Effect.flip(sessions.fork({ from: "main", name: "beside" })), { _tag: "NameTaken" })
      assert.deepInclude(yield* sessions.backgrounds.find(handle), { phase: "waiting" })
      yield* session.interrupt
      assert.strictEqual(succeeded(yield* ended(sessions, handle)).output, code.value[1])
    }),
  )

  test("S33 it is stopped by its handle, also while it waits in the queue", {}, (session, sessions) =>
    Effect.gen(function* () {
      const first = yield* sessions.backgrounds.begin(session.name, { code: code.loop })
      yield* running(session)
      const second = yield* sessions.backgrounds.begin(session.name, { code: code.reassign })
      assert.deepInclude(yield* sessions.backgrounds.stop(second.handle), { _tag: "EvaluationStopped", statementNumber: 0 })
      assert.strictEqual((yield* sessions.backgrounds.find(first.handle)).phase, "running")
      assert.deepInclude(yield* sessions.backgrounds.stop(first.handle), { _tag: "EvaluationStopped", statementNumber: 1 })
      assert.isUndefined(yield* sessions.backgrounds.stop(first.handle))
      assert.deepInclude(yield* Effect.flip(sessions.backgrounds.stop("e9")), { _tag: "NoEvaluation" })
      assert.strictEqual((yield* session.evaluate({ code: code.value[0] })).output, code.value[1])
    }),
  )

  test("S33 rollback, changes and errors of K are as in any evaluation, and the history has it", {}, (session, sessions) =>
    Effect.gen(function* () {
      yield* session.evaluate({ code: code.assign })
      const undone = yield* sessions.backgrounds.begin(session.name, { code: `${code.reassign}\n${code.error[0]}`, rollback: true })
      const result = succeeded(yield* ended(sessions, undone.handle))
      assert.deepInclude(result, { ok: false, failedStatement: 2, rolledBack: true })
      assert.strictEqual((yield* session.evaluate({ code: code.read[0] })).output, code.read[1])
      const changing = yield* sessions.backgrounds.begin(session.name, { code: code.another, changes: true })
      assert.deepEqual(
        succeeded(yield* ended(sessions, changing.handle)).changes?.map(({ before }) => before),
        [undefined],
      )
      const history = yield* sessions.history.of("main")
      const entry = (yield* history.page({ limit: 1, from: history.last })).entries[0]
      assert.deepInclude(entry, { code: code.another, ok: true })
    }),
  )

  test("S34 the handle reports the interpreter's death, and the end of the session", {}, (session, sessions) =>
    Effect.gen(function* () {
      const dead = yield* sessions.backgrounds.begin(session.name, { code: `${code.exit.before}\n${code.exit.line}` })
      const error = failed(yield* ended(sessions, dead.handle))
      assert.deepInclude(error, { _tag: "ChildDied", statementNumber: 2, ...code.exit.how })
      const other = yield* sessions.get("other")
      const closed = yield* sessions.backgrounds.begin(other.name, { code: code.loop })
      const waiting = yield* sessions.backgrounds.begin(other.name, { code: code.value[0] })
      yield* running(other)
      yield* sessions.close("other")
      for (const { handle } of [closed, waiting]) assert.strictEqual(failed(yield* ended(sessions, handle))?._tag, "SessionClosed")
      for (const never of ["e9", "e0", "e01", "e1.5"])
        assert.deepInclude(yield* Effect.flip(sessions.backgrounds.find(never)), { _tag: "NoEvaluation", dropped: false })
    }),
  )

  test("S35 a wait ends at more output, at the end, and at its time limit", {}, (session, sessions) =>
    Effect.gen(function* () {
      const { handle } = yield* sessions.backgrounds.begin(session.name, { code: `${code.value[0]}\n${code.loop}` })
      yield* sessions.backgrounds.wait(handle, 0, 1_000_000)
      assert.strictEqual((yield* sessions.backgrounds.find(handle)).bytes, code.value[1].length)
      const waits = yield* Effect.forkChild(sessions.backgrounds.wait(handle, code.value[1].length, 20))
      yield* Effect.yieldNow
      yield* pass(20)
      yield* Fiber.join(waits)
      assert.strictEqual((yield* sessions.backgrounds.find(handle)).phase, "running")
      const end = yield* Effect.forkChild(sessions.backgrounds.wait(handle, code.value[1].length, 1_000_000))
      yield* running(session, code.loop)
      yield* session.interrupt
      yield* Fiber.join(end)
      assert.strictEqual((yield* sessions.backgrounds.find(handle)).phase, "ended")
    }),
  )
}
