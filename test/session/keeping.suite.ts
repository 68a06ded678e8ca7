/** The promises about variables: generations, reset and reload, capture, restore, rollback and changes (S13, S14, S21–S26). */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type { Session } from "../../src/session/Session.ts"
import { begun, captured, running } from "../lib/waiting.ts"
import type { Stage } from "./session.suite.ts"

export const keeping = ({ test, code, pass, gone, pidOf, ...subject }: Stage): void => {
  /** Lets the capture after an evaluation happen. */
  const looked = (session: Session) => Effect.andThen(pass(250), captured(session))
  test("S13 an unexpected generation refuses the call before anything runs", {}, (session) =>
    Effect.gen(function* () {
      yield* session.evaluate({ code: code.value[0], expectGeneration: 1 })
      const error = yield* Effect.flip(session.evaluate({ code: code.assign, expectGeneration: 7 }))
      assert.deepInclude(error, { _tag: "GenerationMismatch", expected: 7, actual: 1 })
      assert.deepStrictEqual((yield* session.inspect("")).entries, [])
    }),
  )

  test("S14 reset empties the workspace; reload launches a fresh child and ends the old one", {}, (session) =>
    Effect.gen(function* () {
      yield* session.evaluate({ code: code.assign })
      const { how, generation } = yield* session.reset
      assert.deepStrictEqual(
        { how, generation },
        subject.interruptible ? { how: "cleared", generation: 1 } : { how: "relaunched", generation: 2 },
      )
      assert.deepStrictEqual((yield* session.inspect("")).entries, [])
      const pid = yield* pidOf(session)
      assert.strictEqual((yield* session.reload({ preserveState: false })).generation, generation + 1)
      yield* gone(pid)
      assert.deepInclude(yield* session.evaluate({ code: code.value[0] }), {
        output: code.value[1],
        generation: generation + 1,
        notices: [],
      })
    }),
  )

  const kinds = (evaluation: { readonly notices: readonly { readonly kind: string }[] }) => evaluation.notices.map(({ kind }) => kind)

  test("S21 S22 a crash loses only uncaptured changes, and the next reply reports the restored variables, once", {}, (session) =>
    Effect.gen(function* () {
      yield* session.evaluate({ code: code.assign })
      yield* looked(session)
      const error = yield* Effect.flip(session.evaluate({ code: `${code.reassign}\n${code.exit.before}\n${code.exit.line}` }))
      const lost = (code.exit.defines ?? []).map((path) => ({ path, why: "no capture was made since it was defined" }))
      assert.deepInclude(error, { _tag: "ChildDied", generation: 2, held: { variables: 1, missed: 0, lost } })
      const next = yield* Effect.forkChild(session.evaluate({ code: code.read[0] }))
      yield* pass(50)
      const reply = yield* Fiber.join(next)
      assert.deepInclude(reply, { ok: true, output: code.read[1], generation: 2 })
      assert.deepInclude(reply.notices[0], { kind: "restored", generation: 2, restored: 1, lost, missed: 0 })
      assert.include(reply.notices[0]?.kind === "restored" ? reply.notices[0].why : "", code.exit.line)
      assert.deepStrictEqual(kinds(yield* session.evaluate({ code: code.read[0] })), [])
      yield* looked(session)
    }),
  )

  test("S22 after a deadline the variables are kept or restored", {}, (session) =>
    Effect.gen(function* () {
      yield* session.evaluate({ code: code.assign })
      yield* looked(session)
      const late = yield* Effect.forkChild(Effect.flip(session.evaluate({ code: code.loop, timeoutMs: 400 })))
      yield* begun(session, late)
      yield* pass(400)
      assert.deepInclude(yield* Fiber.join(late), { _tag: "DeadlineExceeded", state: subject.interruptible ? "kept" : "restored" })
      const reply = yield* session.evaluate({ code: code.read[0] })
      assert.strictEqual(reply.output, code.read[1])
      assert.deepStrictEqual(kinds(reply), subject.interruptible ? [] : ["restored"])
    }),
  )

  test("S24 rollback undoes an error of K, and says so", {}, (session) =>
    Effect.gen(function* () {
      yield* session.evaluate({ code: code.assign })
      const failed = yield* session.evaluate({ code: `${code.reassign}\n${code.another}\n${code.error[0]}`, rollback: true })
      assert.deepInclude(failed, { ok: false, rolledBack: true, generation: subject.interruptible ? 1 : 2 })
      assert.strictEqual((yield* session.evaluate({ code: code.read[0] })).output, code.read[1])
      assert.deepStrictEqual(
        (yield* session.inspect("")).entries.map(({ name }) => name),
        [code.name],
      )
      const well = yield* session.evaluate({ code: code.reassign, rollback: true })
      assert.isUndefined(well.rolledBack)
      assert.notStrictEqual((yield* session.evaluate({ code: code.read[0] })).output, code.read[1])
    }),
  )

  test("S23 names without a capture are reported as lost when the child ends", {}, (session) =>
    Effect.gen(function* () {
      const lost = [{ path: `.k.${code.name}`, why: "no capture was made since it was defined" }]
      const died = yield* Effect.flip(session.evaluate({ code: `${code.assign}\n${code.exit.before}\n${code.exit.line}` }))
      assert.deepInclude(died, { _tag: "ChildDied" })
      assert.deepStrictEqual(died._tag === "ChildDied" && died.held?.lost.filter(({ path }) => path === lost[0]!.path), lost)
      const next = yield* Effect.forkChild(session.evaluate({ code: code.value[0] }))
      yield* pass(50)
      assert.deepInclude((yield* Fiber.join(next)).notices[0], { kind: "fresh", lost: died._tag === "ChildDied" ? died.held!.lost : [] })
      if (subject.interruptible) return
      const late = yield* Effect.forkChild(Effect.flip(session.evaluate({ code: `${code.assign}\n${code.loop}`, timeoutMs: 2000 })))
      yield* running(session, code.loop)
      yield* pass(2000)
      const error = yield* Fiber.join(late)
      if (error._tag !== "DeadlineExceeded") return assert.fail(error._tag)
      assert.strictEqual(error.state, "lost")
      // The evaluation before it is missed, unless the session was idle long enough in between to be captured.
      assert.deepInclude(error.held, { variables: 0, lost })
    }),
  )

  test("S24 rollback undoes the statements before a deadline or a crash", {}, (session) =>
    Effect.gen(function* () {
      yield* session.evaluate({ code: code.assign })
      const late = yield* Effect.forkChild(
        Effect.flip(session.evaluate({ code: `${code.reassign}\n${code.loop}`, timeoutMs: 2000, rollback: true })),
      )
      yield* running(session, code.loop)
      yield* pass(2000)
      assert.deepInclude(yield* Fiber.join(late), { _tag: "DeadlineExceeded", state: "rolled-back" })
      assert.strictEqual((yield* session.evaluate({ code: code.read[0] })).output, code.read[1])
      yield* Effect.flip(session.evaluate({ code: `${code.reassign}\n${code.exit.before}\n${code.exit.line}`, rollback: true }))
      const next = yield* Effect.forkChild(session.evaluate({ code: code.read[0] }))
      yield* pass(50)
      assert.strictEqual((yield* Fiber.join(next)).output, code.read[1])
    }),
  )

  test("S25 changes are reported by value", {}, (session) =>
    Effect.gen(function* () {
      const names = (all: typeof first.changes) =>
        (all ?? []).map(({ path, before, after }) => [path, before !== undefined, after !== undefined])
      const first = yield* session.evaluate({ code: code.assign, changes: true })
      assert.deepStrictEqual(names(first.changes), [[`.k.${code.name}`, false, true]])
      const same = yield* session.evaluate({ code: `${code.assign}\n${code.value[0]}`, changes: true })
      assert.deepStrictEqual(names(same.changes), [])
      const more = yield* session.evaluate({ code: `${code.reassign}\n${code.another}`, changes: true })
      assert.deepStrictEqual(names(more.changes), [
        [`.k.${code.name}`, true, true],
        [".k.y", false, true],
      ])
      assert.isUndefined((yield* session.evaluate({ code: code.value[0] })).changes)
    }),
  )

  test("S26 reload restores the variables in the new child, unless the request declines that", {}, (session) =>
    Effect.gen(function* () {
      yield* session.evaluate({ code: code.assign })
      const pid = yield* pidOf(session)
      const reloaded = yield* session.reload({ preserveState: true })
      assert.deepInclude(reloaded, { generation: 2, variables: { restored: 1, lost: [], missed: 0 } })
      yield* gone(pid)
      assert.deepInclude(yield* session.evaluate({ code: code.read[0] }), { output: code.read[1], notices: [] })
      assert.deepInclude(yield* session.reload({ preserveState: false }), { generation: 3, variables: null })
      assert.deepStrictEqual((yield* session.inspect("")).entries, [])
    }),
  )
}
