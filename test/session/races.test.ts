/** Concurrent events: an event of an earlier launch or epoch changes nothing. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { TestClock } from "effect/testing"
import { availableParallelism } from "node:os"
import { Artifacts } from "../../src/child/builds/Artifact.ts"
import { limits } from "../../src/limits.ts"
import { Announce } from "../../src/session/Announce.ts"
import type { SessionError } from "../../src/session/SessionError.ts"
import { Sessions } from "../../src/session/Sessions.ts"
import { type Snapshot, Store } from "../../src/store/Store.ts"
import { MemoryStore } from "../lib/memoryStore.ts"
import { Script } from "../lib/scriptedChild.ts"
import { fails, idle, settled, test } from "../lib/scriptedSession.ts"
import { FakeBuild, scripted } from "../lib/sessionLayers.ts"
import { scratch } from "../lib/stateFolder.ts"
import { until } from "../lib/waiting.ts"

describe("a reload", () => {
  for (const engine of ["embedded", "k3csharp"] as const)
    test(
      `S20 ${engine}: the new build stays when the old child dies during the launch of the new one`,
      { engine },
      (script, session, build) =>
        Effect.gen(function* () {
          yield* session.evaluate({ code: "x: 5" })
          build.onDisk = { hash: "22", content: "22" }
          script.launches.push("slow", "slow")
          const reload = yield* Effect.forkChild(session.reload({ preserveState: true }))
          yield* settled
          script.processes[0]!.exit({ code: 1, signal: null })
          yield* TestClock.adjust(1000)
          yield* settled
          script.wake(1)
          const { generation } = yield* Fiber.join(reload)
          script.wake()
          yield* idle
          assert.deepInclude(yield* session.status, { generation, runningHash: "22" })
          assert.deepInclude(yield* session.evaluate({ code: "x" }), { output: "5", generation })
          assert.lengthOf(script.alive, 1)
        }),
    )

  test("S20 a reload reports variables that were lost before it, when a cancel ended their child", { engine: "k3csharp" }, (_, session) =>
    Effect.gen(function* () {
      yield* session.evaluate({ code: "x: 5" })
      const evaluation = yield* Effect.forkChild(session.evaluate({ code: "deaf" }))
      yield* settled
      const cancelled = yield* Effect.forkChild(Fiber.interrupt(evaluation))
      const reload = yield* Effect.forkChild(session.reload({ preserveState: true }))
      yield* settled
      yield* TestClock.adjust(1000)
      yield* Fiber.join(cancelled)
      const { variables } = yield* Fiber.join(reload)
      const lost = [{ path: ".k.x", why: "no capture was made since it was defined" }]
      assert.deepEqual(variables, { restored: 0, lost, missed: 1 })
    }),
  )

  test("S14 a reload with checks says at once what it waits for, and gives up at its deadline", {}, (_, session) =>
    Effect.gen(function* () {
      yield* Effect.forkChild(session.evaluate({ code: "loop", timeoutMs: 60_000 }))
      yield* settled
      const said: (string | undefined)[] = []
      const reload = Effect.provideService(
        session.reload({ preserveState: true, check: ["print 1"] }),
        Announce,
        (what) => void said.push(what),
      )
      const late = yield* Effect.forkChild(Effect.flip(reload))
      yield* settled
      assert.deepStrictEqual(said, ["the reload waits for what runs: loop"])
      yield* TestClock.adjust(1000)
      assert.deepInclude(yield* Fiber.join(late), { _tag: "DeadlineExceeded", doing: "reload", statement: "loop" })
    }),
  )

  test("S20 the old build is launched again when the new one fails, and the old child died meanwhile", {}, (script, session) =>
    Effect.gen(function* () {
      yield* session.evaluate({ code: "x: 5" })
      yield* idle
      script.launches.push("mute")
      const reload = yield* Effect.forkChild(Effect.flip(session.reload({ preserveState: true })))
      yield* settled
      script.processes[0]!.exit({ code: 1, signal: null })
      yield* TestClock.adjust(60_000)
      assert.deepInclude(yield* Fiber.join(reload), { _tag: "LaunchFailed", reason: "timeout" })
      assert.deepInclude(yield* session.evaluate({ code: "x" }), { output: "5", generation: 2 })
      assert.lengthOf(script.alive, 1)
    }),
  )
})

describe("during the restore after a crash", () => {
  for (const what of ["reset", "reload"] as const)
    test(`S19 a ${what} leaves no interpreter behind`, { engine: "embedded" }, (script, session) =>
      Effect.gen(function* () {
        yield* session.evaluate({ code: "x: endless" })
        yield* idle
        yield* fails(session, "exit 1")
        yield* TestClock.adjust(100)
        yield* settled
        assert.strictEqual((yield* session.status).phase, "launching")
        if (what === "reset") yield* session.reset
        else yield* session.reload({ preserveState: false })
        yield* idle
        assert.deepStrictEqual<readonly (number | null)[]>(script.alive, [(yield* session.status).pid])
      }),
    )

  test("S13 the generation is that of the next child", { engine: "embedded" }, (_, session) =>
    Effect.gen(function* () {
      yield* session.evaluate({ code: "x: endless" })
      yield* idle
      assert.deepInclude(yield* fails(session, "exit 1"), { generation: 2 })
      yield* TestClock.adjust(100)
      yield* settled
      assert.deepInclude(yield* session.status, { phase: "launching", generation: 2 })
    }),
  )
})

const overStore = (
  name: string,
  body: (script: Script, store: MemoryStore, sessions: Sessions["Service"]) => Effect.Effect<void, unknown>,
  engine: "embedded" | "k3csharp" = "embedded",
) =>
  it.effect(name, () => {
    const script = new Script()
    const store = new MemoryStore()
    return Effect.flatMap(Sessions, (sessions) => body(script, store, sessions)).pipe(
      Effect.provide(scripted(script, { engine, evalTimeout: 1000, sessionTtl: 10_000 }, undefined, store.layer)),
    )
  })

describe("the store", () => {
  const held = { path: ".k.x", type: 4, shape: "", bytes: 1, text: "5", image: "5" }
  const settings = { precision: 7, seed: -314159, directory: ".k", folder: "/" }
  const contents = { variables: new Map([[".k.x", held]]), settings }

  for (const remove of ["close", "reset"] as const)
    overStore(`S14 a session that is opened while a ${remove} removes what is stored of its name is written`, (_, store, sessions) =>
      Effect.gen(function* () {
        store.workspaces.set("main", { engine: "embedded", contents, savedAt: 1 })
        store.delay = 100
        let isRemoving = false
        Object.defineProperty(store, "isFull", { get: () => ((isRemoving = true), false) })
        const removal = yield* Effect.forkChild(sessions[remove]("main"))
        yield* until(Effect.sync(() => isRemoving))
        const opened = Effect.flatMap(sessions.get("main"), (session) =>
          Effect.andThen(session.evaluate({ code: "y: 7" }), session.persist),
        )
        const isKept = yield* Effect.forkChild(opened)
        yield* settled
        while (removal.pollUnsafe() === undefined || isKept.pollUnsafe() === undefined)
          yield* Effect.andThen(TestClock.adjust(100), settled)
        store.delay = 0
        assert.isTrue(yield* Fiber.join(isKept))
        assert.deepStrictEqual([...store.workspaces.get("main")!.contents.variables.keys()], [".k.y"])
      }),
    )

  overStore("S14 a reset while a launch reads it forgets what is read", (script, store, sessions) =>
    Effect.gen(function* () {
      store.workspaces.set("main", { engine: "embedded", contents, savedAt: 1 })
      store.delay = 500
      const session = yield* sessions.get("main")
      const late = yield* Effect.forkChild(Effect.flip(session.evaluate({ code: "x", timeoutMs: 100 })))
      yield* settled
      yield* TestClock.adjust(100)
      assert.deepInclude(yield* Fiber.join(late), { _tag: "DeadlineExceeded", waiting: true })
      const reset = yield* Effect.forkChild(session.reset)
      yield* settled
      yield* TestClock.adjust(2000)
      assert.isDefined(reset.pollUnsafe(), JSON.stringify(yield* session.status))
      store.delay = 0
      assert.deepInclude(yield* session.evaluate({ code: "x" }), { output: "0", notices: [] })
      assert.lengthOf(script.alive, 1)
    }),
  )

  overStore("S14 a reset while a script is made of it forgets what is read", (script, store, sessions) =>
    Effect.gen(function* () {
      store.workspaces.set("main", { engine: "embedded", contents, savedAt: 1 })
      store.delay = 500
      // Without a child the script is made of the stored variables, and no launch, which the reset would stop, reads them.
      script.launches.push("refuse")
      const session = yield* sessions.get("main")
      const scripting = yield* Effect.forkChild(session.script(1000))
      yield* settled
      assert.isUndefined(scripting.pollUnsafe(), "the store is being read")
      const reset = yield* Effect.forkChild(session.reset)
      yield* settled
      yield* TestClock.adjust(2000)
      assert.isDefined(reset.pollUnsafe(), JSON.stringify(yield* session.status))
      store.delay = 0
      assert.isDefined(scripting.pollUnsafe(), "a script")
      assert.notInclude((yield* Fiber.join(scripting)).text, "x:")
      assert.deepInclude(yield* session.evaluate({ code: "x" }), { output: "0", notices: [] })
      assert.lengthOf(script.alive, 1)
    }),
  )

  for (const last of ["save", "remove"] as const)
    overStore(`S29 a snapshot's ${last} during the writes after a takeover is the last word`, (_, store, sessions) =>
      Effect.gen(function* () {
        const session = yield* sessions.get("main")
        yield* session.evaluate({ code: "x: 1" })
        store.isFull = true
        yield* session.snapshots.save("same")
        yield* session.evaluate({ code: "x: 2" })
        store.isFull = false
        store.delay = 1000
        yield* store.takeOver
        yield* settled
        store.delay = 100
        const change = yield* Effect.forkChild(Effect.asVoid(session.snapshots[last]("same")))
        yield* settled
        yield* TestClock.adjust(5000)
        yield* Fiber.join(change)
        store.delay = 0
        assert.strictEqual(store.snapshots.get("main same")?.variables.get(".k.x")?.image, last === "save" ? "2" : undefined)
      }),
    )

  overStore("S31 evaluations that a capture has while the store is slow are written after the present write", (_, store, sessions) =>
    Effect.gen(function* () {
      const session = yield* sessions.get("main")
      const evaluations = Effect.andThen(
        Effect.forEach(Array.from({ length: 20 }), (__, n) => session.evaluate({ code: `x: ${n}` }), { discard: true }),
        idle,
      )
      yield* session.evaluate({ code: "x: 0" })
      store.delay = 2000
      yield* evaluations
      yield* evaluations
      yield* session.evaluate({ code: "x: last" })
      yield* idle
      yield* TestClock.adjust(4000)
      yield* settled
      store.delay = 0
      assert.strictEqual(store.workspaces.get("main")?.contents.variables.get(".k.x")?.image, "last")
    }),
  )

  for (const isRestored of [false, true])
    overStore(
      `S14 S22 after a reset that is cancelled, the variables ${isRestored ? "restored after a crash " : ""}are captured again`,
      (_, store, sessions) =>
        Effect.gen(function* () {
          const session = yield* sessions.get("main")
          yield* session.evaluate({ code: "x: 5" })
          yield* idle
          const crash = Effect.andThen(fails(session, "exit 1"), Effect.andThen(TestClock.adjust(1000), settled))
          if (isRestored) yield* crash
          yield* session.evaluate({ code: "print 1" })
          store.delay = 500
          const reset = yield* Effect.forkChild(session.reset)
          yield* settled
          yield* Fiber.interrupt(reset)
          store.delay = 0
          assert.deepInclude(yield* session.evaluate({ code: "x" }), { output: "5" })
          yield* idle
          yield* crash
          assert.deepInclude(yield* session.evaluate({ code: "x" }), { output: "5" })
        }),
    )

  overStore("S15 a session that cannot be written does not end for being idle", (_, store, sessions) =>
    Effect.gen(function* () {
      store.isFull = true
      const session = yield* sessions.get("main")
      yield* session.evaluate({ code: "x: 5" })
      yield* idle
      yield* TestClock.adjust(60_000)
      yield* settled
      assert.deepInclude(yield* session.evaluate({ code: "x" }), { output: "5", generation: 1 })
      store.isFull = false
      yield* TestClock.adjust(60_000)
      yield* settled
      assert.deepStrictEqual(yield* sessions.list, [])
      assert.strictEqual(store.workspaces.get("main")?.contents.variables.get(".k.x")?.image, "5")
    }),
  )
})

describe("a defect in an evaluation", () => {
  for (const engine of ["embedded", "k3csharp"] as const) {
    test(`S1 ${engine}: before a statement is sent, it fails that evaluation alone`, { engine }, (script, session) =>
      Effect.gen(function* () {
        yield* session.evaluate({ code: "x: 5" })
        yield* idle
        const broken = yield* Effect.exit(
          session.evaluate({
            code: "x",
            // Read when the options of the statements are made.
            get value(): never {
              throw new RangeError("Maximum call stack size exceeded")
            },
          }),
        )
        assert.isTrue(Exit.hasDies(broken))
        yield* settled
        assert.deepInclude(yield* session.status, { phase: "ready", running: null })
        assert.deepInclude(yield* session.evaluate({ code: "x" }), { output: "5" })
        assert.lengthOf(script.alive, 1)
      }),
    )

    // The child has run `x: 6`. It is idle in the first case, and runs on in the others.
    for (const defect of ["defect", "defect busy", "defect deaf"]) {
      // K3CSharp has no interrupt, so a child that runs on is killed, and a new one gets the captured variables.
      const isKept = defect === "defect" || (engine === "embedded" && defect === "defect busy")
      overStore(
        `S1 ${engine}: after a statement was sent, "${defect}" leaves the session idle, captured and free to expire`,
        (script, store, sessions) =>
          Effect.gen(function* () {
            const session = yield* sessions.get("main")
            yield* session.evaluate({ code: "x: 5" })
            yield* idle
            const broken = yield* Effect.forkChild(Effect.exit(session.evaluate({ code: `x: 6\n${defect}`, value: { image: 100 } })))
            yield* settled
            yield* TestClock.adjust(1000)
            assert.isDefined(broken.pollUnsafe(), "an answer")
            assert.isTrue(Exit.hasDies(yield* Fiber.join(broken)))
            yield* settled
            const { phase, running, idleMs } = yield* session.status
            assert.deepStrictEqual({ phase, running }, { phase: "ready", running: null })
            assert.isAbove(idleMs, 0)
            const x = isKept ? "6" : "5"
            yield* idle
            assert.lengthOf(script.alive, 1)
            yield* TestClock.adjust(60_000)
            yield* settled
            assert.deepStrictEqual(yield* sessions.list, [])
            assert.lengthOf(script.alive, 0)
            assert.strictEqual(store.workspaces.get("main")?.contents.variables.get(".k.x")?.text, x)
            assert.deepInclude(yield* (yield* sessions.get("main")).evaluate({ code: "x" }), { output: x })
          }),
        engine,
      )
      test(`S1 ${engine}: after "${defect}" the next evaluation gets its own reply`, { engine }, (script, session) =>
        Effect.gen(function* () {
          yield* session.evaluate({ code: "x: 5" })
          yield* idle
          const broken = yield* Effect.forkChild(Effect.exit(session.evaluate({ code: defect, value: { image: 100 } })))
          const next = yield* Effect.forkChild(session.evaluate({ code: "x" }))
          yield* settled
          yield* TestClock.adjust(900)
          yield* settled
          for (const each of [broken, next]) assert.isDefined(each.pollUnsafe(), "an answer")
          assert.isTrue(Exit.hasDies(yield* Fiber.join(broken)))
          assert.deepInclude(yield* Fiber.join(next), { output: "5", generation: isKept ? 1 : 2 })
          assert.lengthOf(script.alive, 1)
        }),
      )
    }
  }
})

describe("a reload after an unreported crash", () => {
  test("S22 reports the number of evaluations that the restored variables lack", { engine: "k3csharp" }, (script, session) =>
    Effect.gen(function* () {
      yield* session.evaluate({ code: "x: 5" })
      script.latest.exit({ code: null, signal: "SIGKILL" })
      yield* TestClock.adjust(1000)
      yield* settled
      const { variables } = yield* session.reload({ preserveState: true })
      assert.deepStrictEqual(variables, {
        restored: 0,
        lost: [{ path: ".k.x", why: "no capture was made since it was defined" }],
        missed: 1,
      })
      assert.deepInclude(yield* session.evaluate({ code: "x" }), { output: "0", notices: [] })
    }),
  )
})

describe("a stop by other clients", () => {
  test("S4 is told about an evaluation that waits for a place", { engine: "embedded", isHosted: true }, (_, session, __, sessions) =>
    Effect.gen(function* () {
      yield* session.evaluate({ code: "print 1" })
      yield* TestClock.adjust(1000)
      // They take all places.
      for (let i = 0; i < availableParallelism(); i++) yield* Effect.forkChild(fails(yield* sessions.get(`o${i}`), "loop"))
      yield* settled
      const evaluation = yield* Effect.forkChild(fails(session, "print 2"))
      yield* settled
      assert.deepInclude(yield* session.interrupt, { statementNumber: 0, output: "" })
      assert.deepInclude(yield* Fiber.join(evaluation), { _tag: "EvaluationStopped", statementNumber: 0, output: "" })
    }),
  )

  test("S4 answers every client that asked for it", { engine: "embedded", interruptGrace: 500 }, (_, session) =>
    Effect.gen(function* () {
      const evaluation = yield* Effect.forkChild(fails(session, "deaf"))
      yield* settled
      const stops = yield* Effect.forEach([1, 2], () => Effect.forkChild(session.interrupt))
      yield* settled
      yield* TestClock.adjust(500)
      assert.strictEqual((yield* Fiber.join(evaluation))._tag, "EvaluationStopped")
      yield* settled
      for (const each of stops) assert.isDefined(each.pollUnsafe(), "an answer")
    }),
  )

  test("S13 hides no notice of an end of the interpreter after that", { engine: "k3csharp", spare: true }, (_, session) =>
    Effect.gen(function* () {
      yield* session.evaluate({ code: "print 1" })
      // The spare child takes the next evaluation at once.
      yield* idle
      const evaluation = yield* Effect.forkChild(fails(session, "loop"))
      const next = yield* Effect.forkChild(Effect.exit(session.evaluate({ code: "x: 5\ndefect busy", value: { image: 100 } })))
      yield* settled
      yield* session.interrupt
      assert.deepInclude(yield* Fiber.join(evaluation), { _tag: "EvaluationStopped", state: "lost", generation: 2 })
      assert.isTrue(Exit.hasDies(yield* Fiber.join(next)))
      const { generation, notices } = yield* session.evaluate({ code: "print 2" })
      assert.deepInclude(notices[0], { kind: "fresh", generation })
    }),
  )

  test("S13 hides no notice from a client that has cancelled the evaluation", { engine: "embedded", interruptGrace: 500 }, (_, session) =>
    Effect.gen(function* () {
      const evaluation = yield* Effect.forkChild(session.evaluate({ code: "deaf" }))
      yield* settled
      const cancel = yield* Effect.forkChild(Fiber.interrupt(evaluation))
      yield* settled
      const stop = yield* Effect.forkChild(session.interrupt)
      yield* settled
      yield* TestClock.adjust(500)
      yield* Fiber.join(cancel)
      assert.deepInclude(yield* Fiber.join(stop), { state: "lost", generation: 2 })
      const { generation, notices } = yield* session.evaluate({ code: "print 2" })
      assert.deepInclude(notices[0], { kind: "fresh", generation })
    }),
  )

  for (const engine of ["embedded", "k3csharp"] as const)
    test(`S4 ${engine}: is told about the evaluation that was stopped, not about the next one`, { engine }, (_, session) =>
      Effect.gen(function* () {
        yield* session.evaluate({ code: "print 1" })
        const evaluation = yield* Effect.forkChild(fails(session, "loop"))
        yield* settled
        const next = yield* Effect.forkChild(fails(session, "print 2\nbusy"))
        yield* settled
        assert.deepInclude(yield* session.interrupt, { statement: "loop", statementNumber: 1, output: "" })
        assert.strictEqual((yield* Fiber.join(evaluation))._tag, "EvaluationStopped")
        yield* Fiber.interrupt(next)
      }),
    )
})

it.live("B8 a session that is used while another client closes it is new afterwards, and the store keeps it", () =>
  Effect.gen(function* () {
    const stateDir = yield* scratch
    const script = new Script()
    const server = <A, E>(work: (sessions: Sessions["Service"]) => Effect.Effect<A, E>) =>
      Effect.flatMap(Sessions, work).pipe(Effect.provide(scripted(script, { engine: "embedded", stateDir })))
    yield* server((sessions) =>
      Effect.gen(function* () {
        const first = yield* sessions.get("main")
        yield* first.evaluate({ code: "x: 5" })
        assert.isTrue(yield* first.persist)
        script.holdKills = true
        const closings = yield* Effect.forEach([1, 2], () => Effect.forkChild(sessions.close("main")))
        yield* until(Effect.map(sessions.status("main"), ({ phase }) => phase === "closed"))
        const meanwhile = yield* Effect.result((yield* sessions.get("main")).evaluate({ code: "x" }))
        script.release()
        yield* Effect.forEach(closings, Fiber.await)
        assert.strictEqual(meanwhile._tag === "Failure" && meanwhile.failure._tag, "SessionClosed")
        const next = yield* sessions.get("main")
        assert.deepInclude(yield* next.evaluate({ code: "x" }), { output: "0", notices: [] })
        yield* next.evaluate({ code: "z: 7" })
        assert.isTrue(yield* next.persist)
      }),
    )
    yield* server((sessions) =>
      Effect.gen(function* () {
        assert.deepInclude(yield* (yield* sessions.get("main")).evaluate({ code: "z" }), { output: "7" })
      }),
    )
  }).pipe(Effect.scoped),
)

test(
  "B8 a call that comes when its session is closed, and has read no history, is told so",
  { engine: "embedded" },
  (_, session, __, sessions) =>
    Effect.gen(function* () {
      yield* sessions.close("main")
      const calls: readonly Effect.Effect<unknown, SessionError>[] = [session.evaluate({ code: "x" }), session.reset]
      for (const call of calls) assert.deepInclude(yield* Effect.flip(call), { _tag: "SessionClosed", session: "main" })
    }),
)

it.effect("S34 the handle of a background evaluation tells that its session was closed before it began", () => {
  const store = new MemoryStore()
  return Effect.gen(function* () {
    const sessions = yield* Sessions
    yield* sessions.get("main")
    store.delay = 100
    const beginning = yield* Effect.forkChild(sessions.backgrounds.begin("main", { code: "x" }))
    yield* settled
    // The session is closed while the evaluation's record is written.
    store.delay = 0
    yield* sessions.close("main")
    yield* TestClock.adjust(100)
    const { handle } = yield* Fiber.join(beginning)
    yield* settled
    const { phase, exit } = yield* sessions.backgrounds.find(handle)
    assert.strictEqual(phase, "ended")
    assert.deepInclude(yield* Effect.flip(exit!), { _tag: "SessionClosed", session: "main" })
  }).pipe(Effect.provide(scripted(new Script(), { engine: "embedded" }, new FakeBuild(), store.layer)))
})

test(
  "S33 the result of a background evaluation is kept when many that began later ended before it",
  { engine: "embedded" },
  (script, _, __, sessions) =>
    Effect.gen(function* () {
      const { backgrounds } = sessions
      const { handle } = yield* backgrounds.begin("long", { code: "loop" })
      yield* settled
      const long = script.latest
      const short = yield* Effect.forEach(Array.from({ length: 70 }), () =>
        Effect.tap(backgrounds.begin("short", { code: "print 1" }), (each) => backgrounds.ended(each.handle)),
      )
      const waiting = yield* Effect.forkChild(Effect.andThen(backgrounds.ended(handle), backgrounds.find(handle)))
      yield* settled
      long.finish("done")
      assert.deepInclude(yield* Fiber.join(waiting), { phase: "ended" })
      assert.deepInclude(yield* Effect.flip(backgrounds.find(short[0]!.handle)), { _tag: "NoEvaluation", dropped: true })
      assert.lengthOf(yield* backgrounds.list, 64)
    }),
)

test(
  "S24 a rollback that is stopped between two statements, on an engine without marks, gives the earlier variables",
  { engine: "k3csharp" },
  (script, session) =>
    Effect.gen(function* () {
      yield* session.evaluate({ code: "x: 5" })
      yield* idle
      const evaluation = yield* Effect.forkChild(Effect.flip(session.evaluate({ code: "x: 6\n\\l absent\nprint 1", rollback: true })))
      // The server looks for the script's file, and the child has nothing to do.
      while (!script.latest.lines.includes("x: 6")) yield* Effect.yieldNow
      yield* session.interrupt
      assert.deepInclude(yield* Fiber.join(evaluation), { _tag: "EvaluationStopped", state: "rolled-back", statementNumber: 2 })
      assert.deepInclude(yield* session.evaluate({ code: "x" }), { output: "5" })
    }),
)

test("B2 a restore that is cut short reports no evaluation as missed", { engine: "k3csharp" }, (_, session) =>
  Effect.gen(function* () {
    yield* session.evaluate({ code: "x: endless" })
    yield* idle
    yield* session.snapshots.save("endless")
    yield* session.evaluate({ code: "x: 7" })
    yield* idle
    const late = yield* Effect.forkChild(Effect.flip(session.snapshots.restore("endless")))
    yield* settled
    yield* TestClock.adjust(1000)
    assert.strictEqual((yield* Fiber.join(late))._tag, "DeadlineExceeded")
    const { output, notices } = yield* session.evaluate({ code: "x" })
    assert.strictEqual(output, "7")
    assert.deepInclude(notices[0], { kind: "restored", why: "the restore of snapshot endless was cut short", restored: 1, missed: 0 })
  }),
)

it.effect("B9 a snapshot whose save the client cancels while it is written outlives its session", () => {
  const kept = new Map<string, Snapshot>()
  const slow = {
    load: () => Effect.sync(() => [...kept.values()]),
    save: (snapshot: Snapshot) =>
      Effect.delay(
        Effect.as(
          Effect.sync(() => kept.set(snapshot.name, snapshot)),
          true,
        ),
        500,
      ),
    remove: (name: string) => Effect.sync(() => kept.delete(name)),
    clear: Effect.succeed(true),
  }
  const store = Layer.effect(
    Store,
    Effect.map(Store, (all) => Store.of({ ...all, snapshots: () => slow })),
  ).pipe(Layer.provide(new MemoryStore().layer))
  return Effect.gen(function* () {
    const sessions = yield* Sessions
    const session = yield* sessions.get("main")
    yield* session.evaluate({ code: "x: 5" })
    yield* idle
    const saving = yield* Effect.forkChild(session.snapshots.save("mine"))
    yield* settled
    yield* Fiber.interrupt(saving)
    const listed = yield* session.snapshots.list
    yield* TestClock.adjust(60_000)
    yield* settled
    assert.deepStrictEqual(yield* sessions.list, [])
    const later = yield* (yield* sessions.get("main")).snapshots.list
    for (const each of [listed, later])
      assert.deepStrictEqual(
        each.map(({ name }) => name),
        ["mine"],
      )
  }).pipe(Effect.provide(scripted(new Script(), { engine: "embedded", sessionTtl: 10_000 }, undefined, store)))
})

for (const engine of ["embedded", "k3csharp"] as const)
  test(`S23 ${engine}: a defect while a value is restored sets the value aside, and the session goes on`, { engine }, (script, session) =>
    Effect.gen(function* () {
      yield* session.evaluate({ code: "x: defective" })
      yield* session.evaluate({ code: "y: 5" })
      yield* idle
      yield* fails(session, "exit 1")
      yield* TestClock.adjust(1000)
      yield* settled
      const next = yield* Effect.forkChild(session.evaluate({ code: "y" }))
      yield* settled
      assert.isDefined(next.pollUnsafe(), JSON.stringify(yield* session.status))
      const { output, notices } = yield* Fiber.join(next)
      assert.strictEqual(output, "5")
      assert.deepInclude(notices[0], { restored: 1, lost: [{ path: ".k.x", why: "restoring it ended the interpreter" }] })
      assert.lengthOf(script.alive, 1)
    }),
  )

test("S21 a child that hangs in a capture is ended by the deadline of the next evaluation", { engine: "k3csharp" }, (script, session) =>
  Effect.gen(function* () {
    yield* session.evaluate({ code: "y: 5" })
    yield* idle
    // The child does not answer the request for this value.
    yield* session.evaluate({ code: "x: slow" })
    yield* idle
    const late = yield* Effect.forkChild(fails(session, "print 1"))
    yield* settled
    yield* TestClock.adjust(1000)
    assert.deepInclude(yield* Fiber.join(late), { _tag: "DeadlineExceeded", generation: 2 })
    assert.deepInclude(yield* session.evaluate({ code: "y" }), { output: "5", generation: 2 })
    assert.lengthOf(script.alive, 1)
  }),
)

test("S11 after a reply that came at the deadline, nothing else is asked of the child", { engine: "embedded" }, (script, session) =>
  Effect.gen(function* () {
    yield* Effect.forkChild(
      Effect.andThen(
        Effect.sleep(1000),
        Effect.sync(() => script.latest.finish("done")),
      ),
    )
    yield* settled
    const late = yield* Effect.forkChild(session.evaluate({ code: "loop" }))
    yield* settled
    const asked = script.latest.lines.length
    yield* TestClock.adjust(1000)
    assert.deepInclude(yield* Fiber.join(late), { ok: true, output: "done" })
    assert.deepStrictEqual(script.latest.lines.slice(asked), [])
  }),
)

/** A store in memory whose history takes so long to read, in ms. */
const historyWithin = (ms: number) =>
  Layer.effect(
    Store,
    Effect.map(Store, (all) =>
      Store.of({ ...all, history: (name) => ({ ...all.history(name), segments: Effect.delay(Effect.succeed([]), ms) }) }),
    ),
  ).pipe(Layer.provide(new MemoryStore().layer))

it.effect("S11 the time in which the history is read counts towards the deadline, and as use of the session", () =>
  Effect.gen(function* () {
    const sessions = yield* Sessions
    const session = yield* sessions.get("main")
    const late = yield* Effect.forkChild(fails(session, "print 1"))
    const patient = yield* Effect.forkChild(session.evaluate({ code: "print 2", timeoutMs: 60_000 }))
    const waited = yield* Effect.forkChild(Effect.flip(session.evaluate({ code: "print 3", waited: 600 })))
    yield* settled
    yield* TestClock.adjust(400)
    const first = waited.pollUnsafe()
    yield* TestClock.adjust(600)
    const answer = late.pollUnsafe()
    yield* TestClock.adjust(19_000)
    assert.isDefined(first, "an answer at the deadline, which the time before the request is part of")
    assert.isDefined(answer, "an answer at the deadline")
    assert.deepInclude(yield* Fiber.join(late), { _tag: "DeadlineExceeded", timeoutMs: 1000, waiting: true })
    assert.deepInclude(yield* Fiber.join(patient), { output: "2", generation: 1 })
    const { entries } = yield* (yield* sessions.history.of("main")).page({ limit: 10 })
    assert.deepStrictEqual(
      entries.map(({ code }) => code),
      ["print 3", "print 1", "print 2"],
      "each is in the history, in the order of their ends",
    )
  }).pipe(
    Effect.provide(scripted(new Script(), { engine: "embedded", evalTimeout: 1000, sessionTtl: 10_000 }, undefined, historyWithin(20_000))),
  ),
)

it.effect("S11 an evaluation that is refused, or late, before the history was read is in the history", () =>
  Effect.gen(function* () {
    const sessions = yield* Sessions
    const session = yield* sessions.get("main")
    yield* fails(session, "1".repeat(limits.code + 1))
    yield* Effect.flip(session.evaluate({ code: "print 2", waited: 2000 }))
    const { entries } = yield* (yield* sessions.history.of("main")).page({ limit: 10 })
    assert.deepStrictEqual(
      entries.map(({ error }) => error?.name),
      ["refused", "deadline"],
    )
  }).pipe(Effect.provide(scripted(new Script(), { engine: "embedded", evalTimeout: 1000 }))),
)

it.effect("S14 a reset that follows an evaluation runs after it, also while the history is read", () =>
  Effect.gen(function* () {
    const sessions = yield* Sessions
    const session = yield* sessions.get("main")
    yield* Effect.forkChild(session.evaluate({ code: "x: 1", timeoutMs: 60_000 }), { startImmediately: true })
    yield* Effect.forkChild(session.reset, { startImmediately: true })
    const after = yield* Effect.forkChild(session.evaluate({ code: "x", timeoutMs: 60_000 }), { startImmediately: true })
    yield* TestClock.adjust(500)
    assert.deepInclude(yield* Fiber.join(after), { output: "0" })
  }).pipe(Effect.provide(scripted(new Script(), { engine: "embedded" }, undefined, historyWithin(500)))),
)

test("S11 the time that a call took before its request counts towards the deadline", {}, (_, session) =>
  Effect.gen(function* () {
    const late = yield* Effect.forkChild(Effect.flip(session.evaluate({ code: "loop", timeoutMs: 900, waited: 400 })))
    yield* settled
    yield* TestClock.adjust(500)
    assert.deepInclude(yield* Fiber.join(late), { _tag: "DeadlineExceeded", timeoutMs: 900, waiting: false })
    const none = yield* Effect.flip(session.evaluate({ code: "print 1", timeoutMs: 900, waited: 900 }))
    assert.deepInclude(none, { _tag: "DeadlineExceeded", waiting: true, place: "its arguments as K" })
  }),
)

describe("a restore for which a new child is launched", () => {
  for (const launched of ["before", "after"] as const)
    for (const what of ["restore", "undo"] as const)
      test(
        `B2 a ${what} leaves the variables as before when its deadline passes ${launched} the new child is given them`,
        { engine: "k3csharp" },
        (script, session) =>
          Effect.gen(function* () {
            yield* session.evaluate({ code: launched === "before" ? "x: 5" : "x: endless" })
            yield* idle
            yield* session.snapshots.save("earlier")
            yield* session.evaluate({ code: "x: 6\ny: 7" })
            yield* idle
            if (launched === "before") script.launches.push("slow")
            const { undo, restore } = session.snapshots
            const work = what === "undo" ? Effect.asVoid(undo("undo")) : Effect.asVoid(restore("earlier"))
            const late = yield* Effect.forkChild(Effect.flip(work))
            yield* settled
            yield* TestClock.adjust(1000)
            assert.strictEqual((yield* Fiber.join(late))._tag, "DeadlineExceeded")
            script.wake()
            yield* settled
            yield* TestClock.adjust(120_000)
            const { output, notices } = yield* session.evaluate({ code: "x" })
            assert.strictEqual(output, "6")
            assert.include(JSON.stringify(notices[0]), "was cut short")
            assert.deepInclude(yield* session.evaluate({ code: "y" }), { output: "7", notices: [] })
            assert.deepInclude(yield* Effect.flip(session.snapshots.undo("redo")), { _tag: "NothingToUndo" })
            assert.lengthOf(script.alive, 1)
          }),
      )
})

it.effect("S24 a rollback that is stopped before its mark does not go back to the mark of an earlier evaluation", () => {
  const script = new Script()
  const build = new FakeBuild()
  let slow = 0
  const layer = Layer.effect(
    Artifacts,
    Effect.map(Artifacts, (all) =>
      Artifacts.of({ ...all, onDisk: (source) => Effect.suspend(() => Effect.delay(all.onDisk(source), slow)) }),
    ),
  ).pipe(Layer.provide(build.layer))
  return Effect.gen(function* () {
    const session = yield* (yield* Sessions).get("main")
    yield* session.evaluate({ code: "x: 1" })
    yield* idle
    const first = yield* Effect.forkChild(session.evaluate({ code: "x: 2\nloop", rollback: true }))
    const second = yield* Effect.forkChild(Effect.flip(session.evaluate({ code: "x: 3", rollback: true })))
    yield* settled
    // After a second, the second evaluation first looks for a newer build on disk.
    yield* TestClock.adjust(1000)
    slow = 1000
    script.latest.finish("done")
    yield* Fiber.join(first)
    yield* session.interrupt
    assert.strictEqual((yield* Fiber.join(second))._tag, "EvaluationStopped")
    slow = 0
    assert.strictEqual((yield* session.evaluate({ code: "x" })).output, "2")
  }).pipe(Effect.provide(scripted(script, { engine: "embedded", evalTimeout: 60_000 }, Object.assign(build, { layer }))))
})

it.effect("S6 a defect in a launch fails the launch, and a later one succeeds", () => {
  const build = new FakeBuild()
  let isBroken = true
  const layer = Layer.effect(
    Artifacts,
    Effect.map(Artifacts, (all) =>
      Artifacts.of({ ...all, shadow: (source) => (isBroken ? Effect.die(new RangeError("broken")) : all.shadow(source)) }),
    ),
  ).pipe(Layer.provide(build.layer))
  return Effect.gen(function* () {
    const session = yield* (yield* Sessions).get("main")
    assert.deepInclude(yield* fails(session, "print 1"), { _tag: "LaunchFailed", stderr: "the server failed: RangeError: broken" })
    isBroken = false
    yield* TestClock.adjust(1000)
    yield* settled
    assert.deepInclude(yield* session.evaluate({ code: "print 2" }), { output: "2" })
  }).pipe(Effect.provide(scripted(new Script(), { engine: "k3csharp", evalTimeout: 1000 }, Object.assign(build, { layer }))))
})

test(
  "S14 the status names the step of a reload while another reload that waited for it is cancelled",
  { engine: "k3csharp" },
  (_, session) =>
    Effect.gen(function* () {
      const first = yield* Effect.forkChild(Effect.result(session.reload({ preserveState: true, check: ["loop"] })))
      yield* settled
      const second = yield* Effect.forkChild(Effect.result(session.reload({ preserveState: true, check: ["print 1"] })))
      yield* settled
      yield* Fiber.interrupt(second)
      assert.strictEqual((yield* session.status).doing, "check 1 of 1: loop")
      yield* TestClock.adjust(10_000)
      yield* Fiber.join(first)
      assert.isNull((yield* session.status).doing)
    }),
)
