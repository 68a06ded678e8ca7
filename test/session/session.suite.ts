/**
 * What every session promises, whatever runs behind it: one suite, run over a scripted child under a virtual clock, over the embedded
 * engine and over K3CSharp as real processes. A test carries the id of the promise it holds.
 *
 * | id  | promise                                                                                                              |
 * | --- | -------------------------------------------------------------------------------------------------------------------- |
 * | S1  | one evaluation at a time in a session, in order; other sessions are not held up                                       |
 * | S2  | a reply is the exact bytes before the sentinel, whatever the chunking; an error of K is a reply                       |
 * | S3  | a deadline ends in a reply within the limit plus the grace; the old pid and its group are gone; the next one works    |
 * | S4  | a client's cancel does the same                                                                                      |
 * | S5  | a crash is reported with exit code or signal, the end of standard error and the statement to blame                    |
 * | S6  | a launch that never gets ready fails in time, with what the child said                                               |
 * | S7  | the restart schedule gives up into Failed while the server stays up; cool-down, reset and reload lead out            |
 * | S8  | closing leaves no process behind                                                                                     |
 * | S9  | a flood of output is cut with a marker                                                                               |
 * | S10 | bytes nobody asked for mean that the stream is out of step: said, and relaunched                                     |
 * | S11 | a waiting call spends its own deadline                                                                               |
 * | S12 | status and inspection never wait for an evaluation                                                                   |
 * | S13 | generation counts children; an unexpected one refuses the call; a fresh workspace is said once                       |
 * | S14 | reset ends in a clean workspace; reload keeps the old child when the new one is not well                             |
 * | S15 | sessions are limited in number and end when idle                                                                     |
 * | S16 | a newer build on disk is said unasked, once                                                                          |
 * | S17 | what must not reach a child is refused, whole; a child sees no more of the environment than it needs                 |
 * | S18 | running out of memory is said to be that                                                                             |
 * | S19 | the traps of Effect: own scope, old gone before new answers, no waiting on a kill, deaf children die                 |
 * | S20 | a shadow copy is whole, private and swept                                                                            |
 * | S21 | what a session holds is captured while it is idle, in front of nobody                                                |
 * | S22 | after a kill or a crash the next child is given back what was captured; nothing is run again; it is said once         |
 * | S23 | a value that does not come back is named with the reason; one that ends the child is set aside                        |
 * | S24 | with rollback the variables are as before after an error of K, a deadline or a crash                                  |
 * | S25 | changes names what was added, changed and removed, by value                                                          |
 * | C4  | an evaluation whose value is wanted is one like any other                                                              |
 * | S26 | reload gives the new build what the old one held                                                                     |
 */
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import type * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as LayerModule from "effect/Layer"
import * as Context from "effect/Context"
import type { SettingValues } from "../../src/Settings.ts"
import type { Session } from "../../src/session/Session.ts"
import { Sessions } from "../../src/session/Sessions.ts"

/** One kind of child to hold to the promises. */
export interface Subject {
  readonly name: string
  readonly layer: (settings: Partial<SettingValues>) => Layer.Layer<Sessions>
  /** `it.effect` under the virtual clock, `it.live` with real processes. */
  readonly it: (name: string, body: () => Effect.Effect<void, unknown>) => void
  /** Lets that many milliseconds pass; real ones pass by themselves. */
  readonly pass: (ms: number) => Effect.Effect<void>
  /** Lets others run before a fact is looked at again. */
  readonly yieldNow: Effect.Effect<void>
  readonly alive: (pid: number) => boolean
  readonly interruptible: boolean
  readonly engine: "embedded" | "k3csharp"
  readonly code: {
    readonly value: readonly [code: string, output: string]
    readonly several: readonly [code: string, output: string]
    readonly assign: string
    /** Another value for the same name. */
    readonly reassign: string
    /** Another name. */
    readonly another: string
    readonly name: string
    readonly read: readonly [code: string, output: string]
    readonly loop: string
    readonly error: readonly [code: string, name: string]
    readonly exit: { readonly before: string; readonly line: string; readonly how: { exitCode: number | null; signal: string | null } }
    /** Prints more than 100,000 characters. */
    readonly flood: string
  }
}

const short = { evalTimeout: 10_000, interruptGrace: 1000, restartFirstDelay: 20 } as const

export const promises = (subject: Subject): void => {
  const { code, it, pass } = subject

  const until = (what: string, fact: Effect.Effect<boolean>): Effect.Effect<void> =>
    Effect.gen(function* () {
      for (let tries = 0; tries < 5000; tries++) {
        if (yield* fact) return
        yield* subject.yieldNow
      }
      assert.fail(`never came true: ${what}`)
    })
  const gone = (pid: number) =>
    until(
      `process ${pid} is gone`,
      Effect.sync(() => !subject.alive(pid)),
    )
  const running = (session: Session) =>
    until(
      "it evaluates",
      Effect.map(session.status, ({ phase }) => phase === "evaluating"),
    )

  const test = (
    name: string,
    settings: Partial<SettingValues>,
    body: (session: Session, sessions: Sessions["Service"]) => Effect.Effect<void, unknown>,
  ) =>
    it(name, () =>
      Effect.gen(function* () {
        const sessions = yield* Sessions
        const session = yield* sessions.get("main")
        yield* body(session, sessions)
      }).pipe(Effect.provide(subject.layer({ ...short, engine: subject.engine, ...settings }))),
    )

  const pidOf = (session: Session) => Effect.map(session.status, ({ pid }) => pid ?? assert.fail("no child"))

  describe(subject.name, () => {
    test("S2 a reply is the exact bytes; statements run in order into one reply", {}, (session) =>
      Effect.gen(function* () {
        const one = yield* session.evaluate({ code: code.value[0] })
        assert.deepInclude(one, { ok: true, output: code.value[1], generation: 1, statements: 1, notices: [] })
        assert.strictEqual((yield* session.evaluate({ code: code.several[0] })).output, code.several[1])
      }),
    )

    test("S2 an error of K is a reply, and stops the statements behind it", {}, (session) =>
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

    test("S3 a deadline is answered, says what became of the state, and the next evaluation works", {}, (session) =>
      Effect.gen(function* () {
        yield* session.evaluate({ code: code.assign })
        const pid = yield* pidOf(session)
        const late = yield* Effect.forkChild(Effect.flip(session.evaluate({ code: `${code.value[0]}\n${code.loop}`, timeoutMs: 400 })))
        yield* running(session)
        yield* pass(400)
        const error = yield* Fiber.join(late)
        assert.strictEqual(error._tag, "DeadlineExceeded")
        if (error._tag !== "DeadlineExceeded") return
        assert.deepInclude(error, {
          timeoutMs: 400,
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

    test("S5 a crash is reported with what ran, and the next evaluation works in a fresh child", {}, (session) =>
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

    test("S11 a call that waits for another spends its own deadline", { evalTimeout: 3000 }, (session) =>
      Effect.gen(function* () {
        yield* session.evaluate({ code: code.value[0] })
        const first = yield* Effect.forkChild(Effect.flip(session.evaluate({ code: code.loop })))
        yield* running(session)
        const second = yield* Effect.forkChild(Effect.flip(session.evaluate({ code: code.value[0], timeoutMs: 100 })))
        yield* until(
          "it waits",
          Effect.map(session.status, ({ running }) => running?.waiting === 1),
        )
        yield* pass(100)
        const error = yield* Fiber.join(second)
        assert.deepInclude(error, { _tag: "DeadlineExceeded", waiting: true, statement: code.loop, statementNumber: 0, timeoutMs: 100 })
        yield* Fiber.interrupt(first)
      }),
    )

    test(
      "S1 another session is not held up; S12 status and inspection answer while one runs",
      { evalTimeout: 60_000 },
      (session, sessions) =>
        Effect.gen(function* () {
          yield* session.evaluate({ code: code.assign })
          const seen = yield* session.inspect(".")
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
          assert.deepStrictEqual((yield* session.inspect(".")).entries, seen.entries)
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

    test("S13 an unexpected generation refuses the call before anything runs", {}, (session) =>
      Effect.gen(function* () {
        yield* session.evaluate({ code: code.value[0], expectGeneration: 1 })
        const error = yield* Effect.flip(session.evaluate({ code: code.assign, expectGeneration: 7 }))
        assert.deepInclude(error, { _tag: "GenerationMismatch", expected: 7, actual: 1 })
        assert.deepStrictEqual((yield* session.inspect(".")).entries, [])
      }),
    )

    test("S14 reset leaves a clean workspace; reload a fresh child, and the old one gone", {}, (session) =>
      Effect.gen(function* () {
        yield* session.evaluate({ code: code.assign })
        const { how, generation } = yield* session.reset
        assert.deepStrictEqual(
          { how, generation },
          subject.interruptible ? { how: "cleared", generation: 1 } : { how: "relaunched", generation: 2 },
        )
        assert.deepStrictEqual((yield* session.inspect(".")).entries, [])
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

    /** Lets the capture that follows an evaluation come to its end. */
    const captured = (session: Session) =>
      Effect.andThen(
        pass(250),
        until(
          "everything is captured",
          Effect.map(session.status, ({ held }) => held.variables > 0 && held.missed === 0),
        ),
      )
    const kinds = (evaluation: { readonly notices: readonly { readonly kind: string }[] }) => evaluation.notices.map(({ kind }) => kind)

    test("S21 S22 a crash costs what was not captured, and the next reply says what came back, once", {}, (session) =>
      Effect.gen(function* () {
        yield* session.evaluate({ code: code.assign })
        yield* captured(session)
        const error = yield* Effect.flip(session.evaluate({ code: `${code.reassign}\n${code.exit.before}\n${code.exit.line}` }))
        assert.deepInclude(error, { _tag: "ChildDied", generation: 2, held: { variables: 1, missed: 0, lost: [] } })
        const next = yield* Effect.forkChild(session.evaluate({ code: code.read[0] }))
        yield* pass(50)
        const reply = yield* Fiber.join(next)
        assert.deepInclude(reply, { ok: true, output: code.read[1], generation: 2 })
        assert.deepInclude(reply.notices[0], { kind: "restored", generation: 2, restored: 1, lost: [], missed: 0 })
        assert.include(reply.notices[0]?.kind === "restored" ? reply.notices[0].why : "", code.exit.line)
        assert.deepStrictEqual(kinds(yield* session.evaluate({ code: code.read[0] })), [])
        yield* captured(session)
      }),
    )

    test("S22 after a deadline the variables are kept or given back", {}, (session) =>
      Effect.gen(function* () {
        yield* session.evaluate({ code: code.assign })
        yield* captured(session)
        const late = yield* Effect.forkChild(Effect.flip(session.evaluate({ code: code.loop, timeoutMs: 400 })))
        yield* running(session)
        yield* pass(400)
        assert.deepInclude(yield* Fiber.join(late), { _tag: "DeadlineExceeded", state: subject.interruptible ? "kept" : "restored" })
        const reply = yield* session.evaluate({ code: code.read[0] })
        assert.strictEqual(reply.output, code.read[1])
        assert.deepStrictEqual(kinds(reply), subject.interruptible ? [] : ["restored"])
      }),
    )

    test("C4 an evaluation whose value is wanted prints as ever, and tells the value", {}, (session) =>
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

    test("C4 a deadline and a death are told of an evaluation whose value is wanted", {}, (session) =>
      Effect.gen(function* () {
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

    test("S24 rollback undoes an error of K, and says so", {}, (session) =>
      Effect.gen(function* () {
        yield* session.evaluate({ code: code.assign })
        const failed = yield* session.evaluate({ code: `${code.reassign}\n${code.another}\n${code.error[0]}`, rollback: true })
        assert.deepInclude(failed, { ok: false, rolledBack: true, generation: subject.interruptible ? 1 : 2 })
        assert.strictEqual((yield* session.evaluate({ code: code.read[0] })).output, code.read[1])
        assert.deepStrictEqual(
          (yield* session.inspect(".")).entries.map(({ name }) => name),
          [code.name],
        )
        const well = yield* session.evaluate({ code: code.reassign, rollback: true })
        assert.isUndefined(well.rolledBack)
        assert.notStrictEqual((yield* session.evaluate({ code: code.read[0] })).output, code.read[1])
      }),
    )

    test("S24 rollback undoes what ran before a deadline or a crash", {}, (session) =>
      Effect.gen(function* () {
        yield* session.evaluate({ code: code.assign })
        const late = yield* Effect.forkChild(
          Effect.flip(session.evaluate({ code: `${code.reassign}\n${code.loop}`, timeoutMs: 2000, rollback: true })),
        )
        yield* until(
          "it is in the loop",
          Effect.map(session.status, (status) => status.running?.statement === code.loop),
        )
        yield* pass(2000)
        assert.deepInclude(yield* Fiber.join(late), { _tag: "DeadlineExceeded", state: "rolled-back" })
        assert.strictEqual((yield* session.evaluate({ code: code.read[0] })).output, code.read[1])
        yield* Effect.flip(session.evaluate({ code: `${code.reassign}\n${code.exit.before}\n${code.exit.line}`, rollback: true }))
        const next = yield* Effect.forkChild(session.evaluate({ code: code.read[0] }))
        yield* pass(50)
        assert.strictEqual((yield* Fiber.join(next)).output, code.read[1])
      }),
    )

    test("S25 changes are told by value", {}, (session) =>
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

    test("S26 reload gives the new child what the old one held, unless that is not wanted", {}, (session) =>
      Effect.gen(function* () {
        yield* session.evaluate({ code: code.assign })
        const pid = yield* pidOf(session)
        const reloaded = yield* session.reload({ preserveState: true })
        assert.deepInclude(reloaded, { generation: 2, givenBack: { restored: 1, lost: [], missed: 0 } })
        yield* gone(pid)
        assert.deepInclude(yield* session.evaluate({ code: code.read[0] }), { output: code.read[1], notices: [] })
        assert.deepInclude(yield* session.reload({ preserveState: false }), { generation: 3, givenBack: null })
        assert.deepStrictEqual((yield* session.inspect(".")).entries, [])
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
        const context = yield* LayerModule.buildWithScope(subject.layer({ engine: subject.engine, evalTimeout: 60_000 }), scope)
        const session = yield* Context.get(context, Sessions).get("main")
        yield* session.evaluate({ code: code.value[0] })
        const pid = yield* pidOf(session)
        yield* Effect.forkChild(session.evaluate({ code: code.loop }))
        yield* running(session)
        yield* Scope.close(scope, Exit.void)
        assert.isFalse(subject.alive(pid))
      }))
  })
}
