/** The promises over a scripted child under a virtual clock, and those that only a script can bring about. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { TestClock } from "effect/testing"
import type { Session } from "../../src/session/Session.ts"
import { Sessions } from "../../src/session/Sessions.ts"
import type { SettingValues } from "../../src/Settings.ts"
import { FakeBuild, scripted } from "../lib/sessionLayers.ts"
import { Script } from "../lib/scriptedChild.ts"
import { promises } from "./session.suite.ts"

const code = {
  value: ["print 2", "2"],
  several: ["print 2\nprint 3", "2\n3"],
  assign: "x: 5",
  reassign: "x: 6",
  another: "y: 1",
  name: "x",
  read: ["x", "5"],
  loop: "loop",
  exit: { before: "print 2", line: "exit 3", how: { exitCode: 3, signal: null } },
  flood: "flood 200000",
} as const

let latest: Script
const subject = (engine: "embedded" | "k3csharp") =>
  promises({
    name: `scripted child as ${engine}`,
    layer: (settings) => {
      latest = new Script()
      return scripted(latest, settings)
    },
    it: it.effect,
    pass: TestClock.adjust,
    alive: (pid) => latest.alive.includes(pid),
    interruptible: engine === "embedded",
    engine,
    code: { ...code, error: engine === "embedded" ? ["err type", "type"] : ["err Undefined variable: foo", "value"] },
  })

subject("embedded")
subject("k3csharp")

const test = (
  name: string,
  settings: Partial<SettingValues>,
  body: (script: Script, session: Session, build: FakeBuild, sessions: Sessions["Service"]) => Effect.Effect<void, unknown>,
) =>
  it.effect(name, () => {
    const script = new Script()
    const build = new FakeBuild()
    return Effect.gen(function* () {
      const sessions = yield* Sessions
      yield* body(script, yield* sessions.get("main"), build, sessions)
    }).pipe(Effect.provide(scripted(script, { engine: "k3csharp", evalTimeout: 1000, ...settings }, build)))
  })

const settled = Effect.forEach(Array.from({ length: 200 }), () => Effect.yieldNow, { discard: true })
const fails = (session: Session, line: string) => Effect.flip(session.evaluate({ code: line }))

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

  test("S6 a launch that ends at once says what the child said", {}, (script, session) =>
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

describe("stopping", () => {
  test(
    "S3 an engine that does not hear the interrupt is killed when the grace is over",
    { engine: "embedded", interruptGrace: 250 },
    (script, session) =>
      Effect.gen(function* () {
        yield* session.evaluate({ code: "x: 5" })
        const call = yield* Effect.forkChild(fails(session, "deaf"))
        yield* settled
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

  test("S3 what the statement had printed until then is given", {}, (_, session) =>
    Effect.gen(function* () {
      const call = yield* Effect.forkChild(fails(session, "busy"))
      yield* settled
      yield* TestClock.adjust(1000)
      assert.deepInclude(yield* Fiber.join(call), { _tag: "DeadlineExceeded", output: "half" })
    }),
  )

  test(
    "S19 nobody waits for a kill: the deadline is answered while the old child still dies, and the new one answers nobody before it is gone",
    {},
    (script, session) =>
      Effect.gen(function* () {
        yield* session.evaluate({ code: "print 1" })
        script.holdKills = true
        const call = yield* Effect.forkChild(fails(session, "loop"))
        yield* settled
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
      yield* settled
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

  test("S10 bytes behind the reply: the child is relaunched and the next reply says so, once", {}, (script, session) =>
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
      yield* settled
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

  test("S18 running out of memory is told from other ends", {}, (script, session) =>
    Effect.gen(function* () {
      const call = yield* Effect.forkChild(fails(session, "loop"))
      yield* settled
      Object.assign(script.latest, { stderr: () => "Unhandled exception. System.OutOfMemoryException: …" })
      script.latest.exit({ code: 134, signal: null })
      assert.deepInclude(yield* Fiber.join(call), { _tag: "ChildDied", reason: "memory", exitCode: 134 })
    }),
  )
})

describe("reset and reload", () => {
  test("S14 a workspace that `\\9` leaves unclean is relaunched", { engine: "embedded" }, (_, session) =>
    Effect.gen(function* () {
      yield* session.evaluate({ code: "sticky: 1" })
      assert.deepStrictEqual(yield* session.reset, { how: "relaunched", generation: 2 })
      assert.deepStrictEqual((yield* session.inspect(".")).entries, [])
    }),
  )

  test("S14 reload keeps the old child, and what it holds, when the new one is not well", {}, (script, session) =>
    Effect.gen(function* () {
      yield* session.evaluate({ code: "x: 5" })
      script.launches.push("exit")
      assert.strictEqual((yield* Effect.flip(session.reload({ preserveState: false })))._tag, "LaunchFailed")
      assert.deepInclude(yield* session.evaluate({ code: "x" }), { output: "5", generation: 1 })
      assert.deepStrictEqual(script.alive, [1001])
    }),
  )

  test(
    "S16 a relaunch runs what ran before, not what was built meanwhile; only when that does not run is the new one taken",
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

  test("S16 a newer build is said once, and reload takes it up", {}, (_, session, build) =>
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

describe("a spare", () => {
  const idle = Effect.andThen(settled, Effect.andThen(TestClock.adjust(250), settled))
  const pids = (script: Script) => script.alive

  test("R5 none is launched unless it is asked for", {}, (script, session) =>
    Effect.gen(function* () {
      yield* session.evaluate({ code: "x: 5" })
      yield* idle
      assert.deepStrictEqual(pids(script), [1001])
      assert.strictEqual((yield* session.status).spare, null)
    }),
  )

  for (const engine of ["embedded", "k3csharp"] as const)
    test(
      `R5 ${engine}: it takes over at once after a crash, with what was held, and is renewed behind`,
      { spare: true, engine },
      (script, session) =>
        Effect.gen(function* () {
          yield* session.evaluate({ code: "x: 5" })
          yield* idle
          assert.deepStrictEqual(pids(script), [1001, 1002])
          assert.deepInclude(yield* session.status, { pid: 1001, generation: 1, spare: { pid: 1002, memoryBytes: null } })
          yield* fails(session, "exit 1")
          // No time passes: the delay of the restart schedule is not waited for.
          const reply = yield* session.evaluate({ code: "x" })
          assert.deepInclude(reply, { output: "5", generation: 2 })
          assert.deepInclude(reply.notices[0], { kind: "restored", restored: 1 })
          yield* idle
          assert.deepInclude(yield* session.status, { pid: 1002, spare: { pid: 1003, memoryBytes: null } })
          assert.deepStrictEqual(pids(script), [1002, 1003])
        }),
    )

  test("R5 it takes over after a deadline, once the old child is gone", { spare: true }, (script, session) =>
    Effect.gen(function* () {
      yield* session.evaluate({ code: "x: 5" })
      yield* idle
      const call = yield* Effect.forkChild(fails(session, "loop"))
      yield* settled
      yield* TestClock.adjust(1000)
      assert.deepInclude(yield* Fiber.join(call), { _tag: "DeadlineExceeded", generation: 2 })
      assert.deepInclude(yield* session.evaluate({ code: "x" }), { output: "5", generation: 2 })
      assert.strictEqual((yield* session.status).pid, 1002)
      assert.isFalse(script.processes[0]!.alive())
    }),
  )

  test("R5 one that ends by itself is followed by another, later; that is no crash of the session", { spare: true }, (script, session) =>
    Effect.gen(function* () {
      yield* session.evaluate({ code: "x: 5" })
      for (let i = 0; i < 8; i++) {
        yield* idle
        script.latest.exit({ code: 1, signal: null })
        yield* settled
        assert.deepStrictEqual(pids(script), [1001])
        yield* TestClock.adjust(5000)
        yield* settled
        assert.lengthOf(pids(script), 2)
      }
      assert.deepInclude(yield* session.status, { phase: "ready", pid: 1001, lastCrash: null })
    }),
  )

  test("R5 when it cannot be launched, the session goes on without", { spare: true }, (script, session) =>
    Effect.gen(function* () {
      script.launches.push("ready", "exit", "exit")
      yield* session.evaluate({ code: "x: 5" })
      yield* idle
      assert.deepInclude(yield* session.status, { phase: "ready", spare: null })
      assert.strictEqual((yield* session.evaluate({ code: "x" })).output, "5")
    }),
  )

  test("R5 a reload to a newer build takes one of that build; the older one is gone", { spare: true }, (script, session, build) =>
    Effect.gen(function* () {
      yield* session.evaluate({ code: "x: 5" })
      yield* idle
      build.onDisk = { hash: "22", content: "22" }
      const { newHash } = yield* session.reload({ preserveState: true })
      assert.strictEqual(newHash, "22")
      yield* idle
      assert.deepInclude(yield* session.status, { pid: 1003, runningHash: "22", spare: { pid: 1004, memoryBytes: null } })
      assert.deepStrictEqual(pids(script), [1003, 1004])
    }),
  )

  test(
    "R5 with the breaker open nothing stands by; closed sessions leave none",
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
        assert.deepStrictEqual(pids(script), [])
        yield* Effect.flatMap(sessions.get("other"), (other) => other.evaluate({ code: "x: 5" }))
        yield* idle
        assert.lengthOf(pids(script), 2)
        yield* sessions.close("other")
        yield* settled
        assert.deepStrictEqual(pids(script), [])
      }),
  )
})

describe("giving back", () => {
  const idle = Effect.andThen(settled, Effect.andThen(TestClock.adjust(250), settled))

  for (const engine of ["embedded", "k3csharp"] as const) {
    test(`S23 ${engine}: what does not come back is named with its reason`, { engine }, (_, session) =>
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

    test(`S23 ${engine}: a value that ends the child is set aside after a try of its own`, { engine }, (script, session) =>
      Effect.gen(function* () {
        yield* session.evaluate({ code: "a: 1\nb: deadly\nc: 3" })
        yield* idle
        yield* fails(session, "exit 3")
        yield* idle
        const reply = yield* session.evaluate({ code: "c" })
        assert.deepInclude(reply, { output: "3", generation: 4 })
        assert.deepInclude(reply.notices[0], {
          kind: "restored",
          restored: 2,
          lost: [{ path: ".k.b", why: "giving it back ended the interpreter" }],
        })
        assert.lengthOf(script.processes, 4)
        assert.lengthOf(script.alive, 1)
      }),
    )
  }

  test("S22 what came after the capture is said to be missing", { engine: "k3csharp" }, (_, session) =>
    Effect.gen(function* () {
      yield* session.evaluate({ code: "a: 1" })
      yield* idle
      yield* session.evaluate({ code: "b: 2" })
      assert.deepInclude(yield* fails(session, "exit 3"), { held: { variables: 1, missed: 1, lost: [] } })
      yield* idle
      assert.deepInclude((yield* session.evaluate({ code: "a" })).notices[0], { kind: "restored", restored: 1, missed: 1 })
    }),
  )

  test("S21 a capture gives way to an evaluation", { engine: "k3csharp" }, (script, session) =>
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

describe("sessions", () => {
  test(
    "S15 no more than the limit; an idle one ends, a busy one does not",
    { maxSessions: 2, sessionTtl: 10_000, evalTimeout: 60_000 },
    (script, session, _, sessions) =>
      Effect.gen(function* () {
        yield* session.evaluate({ code: "print 1" })
        const busy = yield* sessions.get("busy")
        const call = yield* Effect.forkChild(busy.evaluate({ code: "loop" }))
        yield* settled
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

  test("S15 status of a session that was never used makes none and launches nothing", {}, (script, _, __, sessions) =>
    Effect.gen(function* () {
      assert.deepInclude(yield* sessions.status("ghost"), { name: "ghost", phase: "down", generation: 0, pid: null })
      assert.deepStrictEqual(
        (yield* sessions.list).map(({ name }) => name),
        ["main"],
      )
      assert.strictEqual(script.processes.length, 0)
    }),
  )
})

describe("what may not reach a child", () => {
  for (const line of ["\\ls /", " \\ls", "\\\\ls", "\\m x", "\\w", "\\cdx", "\\lx"])
    test(`S17 ${JSON.stringify(line)} goes to a shell in K3CSharp, so nothing of the code runs`, {}, (script, session) =>
      Effect.gen(function* () {
        const error = yield* fails(session, `x: 1\n${line}`)
        assert.deepInclude(error, { _tag: "Refused", reason: "shell", statement: line.trim() })
        assert.isFalse(script.latest.lines.includes("x: 1"))
      }),
    )

  for (const line of ["\\v", "\\d ^", "\\d^", "\\l x", "\\t 1+1", "\\p 10", "\\r", "\\cd /tmp", "\\?", "\\9"])
    test(`S17 ${line} is K3CSharp's own`, {}, (_, session) => Effect.map(session.evaluate({ code: line }), ({ ok }) => assert.isTrue(ok)))

  test("S17 a shell command passes when allowed; the end of the interpreter never does", { shell: "allow" }, (_, session) =>
    Effect.gen(function* () {
      assert.isTrue((yield* session.evaluate({ code: "\\ls" })).ok)
      assert.deepInclude(yield* fails(session, "\\\\"), { _tag: "Refused", reason: "exit" })
    }),
  )

  test("S17 a child sees the allow-list of the environment, and what .NET needs", {}, (script, session) =>
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
