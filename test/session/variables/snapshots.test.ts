/** Snapshots, forks and named sessions: over scripted children, over the embedded engine, and over K3CSharp where there is one. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Layer from "effect/Layer"
import { TestClock } from "effect/testing"
import type { Session } from "../../../src/session/Session.ts"
import { Sessions } from "../../../src/session/Sessions.ts"
import { testOf } from "../../../src/session/history/replay.ts"
import type { ComparedSnapshot } from "../../../src/session/variables/Snapshots.ts"
import type { SettingValues } from "../../../src/Settings.ts"
import { real, scripted } from "../../lib/sessionLayers.ts"
import { Script } from "../../lib/scriptedChild.ts"
import { running, until } from "../../lib/waiting.ts"

interface Subject {
  readonly name: string
  readonly engine: "embedded" | "k3csharp"
  readonly layer: (settings: Partial<SettingValues>) => Layer.Layer<Sessions>
  readonly it: (name: string, body: () => Effect.Effect<void, unknown>) => void
  /** Between a name and its value. */
  readonly assign: string
  readonly loop: string
  readonly exit: string
  /** Lets this many milliseconds pass under the virtual clock. Does nothing under the real one. */
  readonly pass: (ms: number) => Effect.Effect<void>
}

const buildDir = process.env["K3_BUILD_DIR"]

const subjects: readonly Subject[] = [
  ...(["embedded", "k3csharp"] as const).map((engine) => ({
    name: `scripted child as ${engine}`,
    engine,
    layer: (settings: Partial<SettingValues>) => scripted(new Script(), settings),
    it: it.effect,
    assign: ": ",
    loop: "loop",
    exit: "exit 3",
    pass: TestClock.adjust,
  })),
  {
    name: "embedded engine",
    engine: "embedded",
    layer: real,
    it: it.live,
    assign: ":",
    loop: "while[1;1]",
    exit: "_exit 3",
    pass: () => Effect.void,
  },
  ...(buildDir === undefined
    ? []
    : [
        {
          name: "K3CSharp",
          engine: "k3csharp" as const,
          layer: (settings: Partial<SettingValues>) => real({ ...settings, buildDir }),
          it: it.live,
          assign: ":",
          loop: "while[1;1]",
          exit: "\\d .k\nf:{f x}\nf 1",
          pass: () => Effect.void,
        },
      ]),
]

const told = ({ differences }: Pick<ComparedSnapshot, "differences">): readonly string[] =>
  differences.map(({ path, before, after }) => `${path} ${before?.text ?? "-"} ${after?.text ?? "-"}`)
/** Numbers, which every engine prints alike. */
const printed = (session: Session, name: string) => Effect.map(session.evaluate({ code: name }), ({ output }) => output.trim())
const names = (session: Session) => Effect.map(session.inspect(".k"), ({ entries }) => entries.map(({ name }) => name))

const suite = ({ name: subject, engine, layer, it, assign, loop, exit, pass }: Subject): void => {
  const set = (session: Session, ...given: readonly (readonly [string, number])[]) =>
    session.evaluate({ code: given.map(([name, value]) => `${name}${assign}${value}`).join("\n") })

  const test = (
    title: string,
    settings: Partial<SettingValues>,
    body: (session: Session, sessions: Sessions["Service"]) => Effect.Effect<void, unknown>,
  ) =>
    it(title, () =>
      Effect.gen(function* () {
        const sessions = yield* Sessions
        yield* body(yield* sessions.get("main"), sessions)
      }).pipe(Effect.provide(layer({ engine, evalTimeout: 10_000, restartFirstDelay: 5, ...settings }))),
    )

  const crash = (session: Session) => Effect.andThen(Effect.flip(session.evaluate({ code: exit })), pass(100))

  describe(subject, () => {
    test("B1 added and changed variables are listed by value; a variable that got the same value is not", {}, (session) =>
      Effect.gen(function* () {
        yield* set(session, ["a", 1], ["b", 2])
        assert.deepInclude((yield* session.snapshots.save("s")).snapshot, { name: "s", variables: 2, generation: 1, engine, lost: [] })
        yield* set(session, ["c", 3], ["b", 5], ["a", 1])
        const compared = yield* session.snapshots.diff("s")
        assert.deepStrictEqual(told(compared), [".k.b 2 5", ".k.c - 3"])
        assert.deepInclude(compared, { ageMs: 0, unsure: [] })
        assert.deepStrictEqual(told(yield* session.snapshots.diff("s")), [".k.b 2 5", ".k.c - 3"])
      }),
    )

    test("B1 S12 beside inspections and another comparison, a comparison is of the present all the same", {}, (session) =>
      Effect.gen(function* () {
        yield* set(session, ["a", 1])
        yield* session.snapshots.save("s")
        yield* set(session, ["a", 2])
        const fork = Effect.forkChild({ startImmediately: true })
        const inspections = [yield* fork(session.inspect("")), yield* fork(session.inspect(".k"))]
        const comparisons = [yield* fork(session.snapshots.diff("s")), yield* fork(session.snapshots.diff("s"))]
        for (const { ageMs } of yield* Fiber.joinAll(inspections)) assert.strictEqual(ageMs, 0)
        for (const compared of yield* Fiber.joinAll(comparisons)) {
          assert.deepStrictEqual(told(compared), [".k.a 1 2"])
          assert.strictEqual(compared.ageMs, 0)
        }
      }),
    )

    test("B1 rebase lists the same differences, and later ones count from the present", {}, (session) =>
      Effect.gen(function* () {
        yield* set(session, ["a", 1])
        yield* session.snapshots.save("s")
        yield* set(session, ["a", 2])
        assert.deepStrictEqual(told(yield* session.snapshots.rebase("s")), [".k.a 1 2"])
        assert.deepStrictEqual(told(yield* session.snapshots.rebase("s")), [])
        yield* set(session, ["a", 3])
        assert.deepStrictEqual(told(yield* session.snapshots.diff("s")), [".k.a 2 3"])
      }),
    )

    test("B2 restore assigns differing variables and removes names made since", {}, (session) =>
      Effect.gen(function* () {
        yield* set(session, ["a", 1], ["b", 2])
        yield* session.snapshots.save("s")
        yield* set(session, ["b", 5])
        const { restored, removed, lost, renewed } = yield* session.snapshots.restore("s")
        assert.deepStrictEqual({ restored, removed, lost, renewed }, { restored: [".k.b"], removed: [], lost: [], renewed: false })
        yield* set(session, ["b", 6], ["c", 3])
        const again = yield* session.snapshots.restore("s")
        assert.deepInclude(again, { restored: [".k.b"], removed: [".k.c"], lost: [], renewed: engine === "k3csharp" })
        assert.deepStrictEqual(yield* names(session), ["a", "b"])
        assert.deepStrictEqual([yield* printed(session, "a"), yield* printed(session, "b")], ["1", "2"])
        assert.deepStrictEqual(told(yield* session.snapshots.diff("s")), [])
        const evaluation = yield* session.evaluate({ code: "a" })
        assert.deepStrictEqual(evaluation.notices, [])
        assert.strictEqual(evaluation.generation, again.generation)
      }),
    )

    test("B2 after a restore and a crash, the restored variables are restored again", {}, (session) =>
      Effect.gen(function* () {
        yield* set(session, ["a", 1])
        yield* session.snapshots.save("s")
        yield* set(session, ["a", 2], ["b", 3])
        yield* session.snapshots.restore("s")
        yield* crash(session)
        assert.strictEqual(yield* printed(session, "a"), "1")
      }),
    )

    test("B3 a snapshot outlives its child, and the comparison names the new child", {}, (session) =>
      Effect.gen(function* () {
        yield* set(session, ["a", 1])
        yield* session.snapshots.save("s")
        yield* session.reload({ preserveState: true })
        const compared = yield* session.snapshots.diff("s")
        assert.deepStrictEqual(told(compared), [])
        assert.strictEqual(compared.snapshot.generation, 1)
        assert.strictEqual(compared.present.generation, 2)
        yield* session.reset
        assert.deepStrictEqual(told(yield* session.snapshots.diff("s")), [".k.a 1 -"])
        assert.deepInclude(yield* session.snapshots.restore("s"), { restored: [".k.a"], removed: [] })
        assert.strictEqual(yield* printed(session, "a"), "1")
      }),
    )

    test("B4 while it evaluates: list, rename and delete answer, and diff from the last capture", { evalTimeout: 60_000 }, (session) =>
      Effect.gen(function* () {
        yield* set(session, ["a", 1])
        yield* session.snapshots.save("s")
        yield* set(session, ["a", 2])
        yield* session.snapshots.save("t")
        const call = yield* Effect.forkChild(session.evaluate({ code: `a${assign}3\n${loop}` }))
        yield* running(session)
        yield* pass(10)
        const compared = yield* session.snapshots.diff("s")
        assert.deepStrictEqual(told(compared), [".k.a 1 2"])
        assert.isAbove(compared.ageMs, 0)
        yield* session.snapshots.rename("s", "u")
        yield* session.snapshots.remove("t")
        assert.deepStrictEqual(
          (yield* session.snapshots.list).map(({ name }) => name),
          ["u"],
        )
        yield* Fiber.interrupt(call)
      }),
    )

    test("B6 a fork has the variables of the original, and is independent from then on", {}, (session, sessions) =>
      Effect.gen(function* () {
        yield* set(session, ["a", 1], ["b", 2])
        yield* session.snapshots.save("s")
        yield* set(session, ["a", 5])
        assert.deepInclude(yield* sessions.fork({ from: "main", name: "now" }), { engine, variables: { restored: 2, lost: [], missed: 0 } })
        yield* sessions.fork({ from: "main", snapshot: "s", name: "then" })
        const [now, then] = [yield* sessions.get("now"), yield* sessions.get("then")]
        for (const [name, output] of [
          ["now", "main"],
          ["then", "snapshot s of main"],
        ] as const) {
          const { entries } = yield* (yield* sessions.history.of(name)).page({ from: 1, limit: 1 })
          assert.deepInclude(entries[0], { event: "fork", output })
        }
        assert.deepStrictEqual([yield* printed(now, "a"), yield* printed(then, "a"), yield* printed(then, "b")], ["5", "1", "2"])
        yield* set(now, ["a", 7], ["c", 8])
        assert.strictEqual(yield* printed(session, "a"), "5")
        assert.deepStrictEqual(yield* names(session), ["a", "b"])
        assert.deepStrictEqual((yield* now.evaluate({ code: "a" })).notices, [])
        assert.deepInclude(yield* Effect.flip(sessions.fork({ from: "main", name: "now" })), { _tag: "NameTaken" })
        assert.deepInclude(yield* Effect.flip(sessions.fork({ from: "nobody", name: "x" })), { _tag: "NoSession" })
        assert.deepInclude(yield* Effect.flip(sessions.fork({ from: "main", snapshot: "no", name: "x" })), { _tag: "NoSnapshot" })
        assert.deepStrictEqual(
          (yield* sessions.list).map(({ name }) => name),
          ["main", "now", "then"],
        )
      }),
    )

    test("B7 sessions do not share variables", {}, (session, sessions) =>
      Effect.gen(function* () {
        const other = yield* sessions.get("other")
        yield* set(session, ["a", 1])
        yield* set(other, ["a", 2], ["b", 3])
        yield* session.snapshots.save("s")
        assert.deepInclude(yield* Effect.flip(other.snapshots.diff("s")), { _tag: "NoSnapshot", snapshots: [] })
        yield* other.snapshots.save("t")
        yield* crash(other)
        assert.deepStrictEqual([yield* printed(session, "a"), yield* printed(other, "a")], ["1", "2"])
        yield* other.reset
        assert.deepStrictEqual([yield* names(session), yield* names(other)], [["a"], []])
        assert.strictEqual((yield* session.status).generation, 1)
      }),
    )

    test("B10 a session without a name gets an unused one, and is independent", {}, (session, sessions) =>
      Effect.gen(function* () {
        yield* set(session, ["a", 1])
        yield* sessions.create({ name: "s2" })
        const made = yield* Effect.all([sessions.create({}), sessions.create({}), sessions.fork({ from: "main" })], {
          concurrency: "unbounded",
        })
        assert.strictEqual(new Set(["main", "s2", ...made.map(({ name }) => name)]).size, 5)
        const held = yield* Effect.forEach(made, ({ name }) => Effect.flatMap(sessions.get(name), names))
        assert.deepStrictEqual(held, [[], [], ["a"]])
      }),
    )

    test("B12 a merge copies the chosen names, and first lists the variables it would replace", {}, (session, sessions) =>
      Effect.gen(function* () {
        yield* set(session, ["a", 1], ["b", 2], ["c", 3], ["d", 4])
        yield* session.snapshots.save("s")
        yield* set(session, ["a", 9])
        const { name: into } = yield* sessions.create({})
        const other = yield* sessions.get(into)
        yield* set(other, ["b", 7], ["c", 3], ["e", 5])
        const request = { from: "main", into, names: ["a", ".k.b", "c"], overwrite: false }
        const error = yield* Effect.flip(sessions.merge(request))
        assert.deepInclude(error, { _tag: "WouldOverwrite", session: into, isPossible: true })
        assert.deepStrictEqual(error._tag === "WouldOverwrite" && error.variables.map(({ path }) => path), [".k.b"])
        assert.deepStrictEqual(yield* names(other), ["b", "c", "e"])
        const { added, overwritten, same, lost } = yield* sessions.merge({ ...request, overwrite: true })
        assert.deepStrictEqual([added, overwritten.map(({ path }) => path), same, lost], [[".k.a"], [".k.b"], [".k.c"], []])
        assert.deepStrictEqual(yield* Effect.forEach(["a", "b", "c", "e"], (each) => printed(other, each)), ["9", "2", "3", "5"])
        yield* sessions.merge({ ...request, names: ["a"], snapshot: "s", overwrite: true })
        assert.strictEqual(yield* printed(other, "a"), "1")
        assert.deepStrictEqual(yield* names(session), ["a", "b", "c", "d"])
        const { last } = yield* sessions.history.of(into)
        yield* sessions.merge({ ...request, names: ["c"] })
        assert.strictEqual((yield* sessions.history.of(into)).last, last)
      }),
    )

    test("B12 a merge refuses unknown names and unknown sessions", {}, (session, sessions) =>
      Effect.gen(function* () {
        yield* set(session, ["a", 1])
        yield* sessions.create({ name: "other" })
        const request = { from: "main", into: "other", names: ["a", "nosuch"], overwrite: true }
        assert.deepInclude(yield* Effect.flip(sessions.merge(request)), { _tag: "NoVariable", names: ["nosuch"], held: [".k.a"] })
        assert.deepInclude(yield* Effect.flip(sessions.merge({ ...request, into: "none" })), { _tag: "NoSession", name: "none" })
        assert.deepInclude(yield* Effect.flip(sessions.merge({ ...request, from: "none" })), { _tag: "NoSession", name: "none" })
        assert.deepInclude(yield* Effect.flip(sessions.merge({ ...request, snapshot: "no" })), { _tag: "NoSnapshot", name: "no" })
        assert.deepStrictEqual(yield* names(yield* sessions.get("other")), [])
        yield* sessions.close("other")
        assert.deepInclude(yield* Effect.flip(sessions.merge(request)), { _tag: "NoSession", name: "other" })
      }),
    )

    test(
      "H4 the end of a closed session is in its history, and begins a new case; one without entries gets none",
      {},
      (session, sessions) =>
        Effect.gen(function* () {
          yield* set(session, ["a", 1])
          yield* sessions.close("main")
          const again = yield* sessions.get("main")
          yield* set(again, ["b", 2])
          const { page, last } = yield* sessions.history.of("main")
          const { entries } = yield* page({ limit: 9 })
          assert.deepStrictEqual(
            entries.map(({ event, generation }) => [event, generation]),
            [
              [undefined, 1],
              ["close", 1],
              [undefined, 1],
            ],
          )
          assert.match(testOf("main", entries), /^\/ main 1 to 1\n[^]*\n\n\/ main 3 to 3\n> /)
          yield* sessions.create({ name: "unused" })
          yield* sessions.close("unused")
          assert.deepStrictEqual([last, (yield* sessions.history.of("unused")).last], [3, 0])
        }),
    )

    test("B8 closing ends the running and waiting calls, and the name is free", { evalTimeout: 60_000 }, (session, sessions) =>
      Effect.gen(function* () {
        yield* set(session, ["a", 1])
        const runs = yield* Effect.forkChild(Effect.flip(session.evaluate({ code: loop })))
        yield* running(session)
        const waits = yield* Effect.forkChild(Effect.flip(session.evaluate({ code: "a" })))
        yield* until(Effect.map(session.status, ({ running: now }) => now?.waiting === 1))
        const { pid, running: now } = yield* sessions.close("main")
        assert.strictEqual(now?.statement, loop)
        assert.deepInclude(yield* Fiber.join(runs), { _tag: "SessionClosed" })
        assert.deepInclude(yield* Fiber.join(waits), { _tag: "SessionClosed" })
        assert.deepInclude(yield* Effect.flip(sessions.close("main")), { _tag: "NoSession", open: [] })
        const { page } = yield* sessions.history.of("main")
        const { entries } = yield* page({ limit: 9 })
        assert.deepStrictEqual(
          entries.map(({ event, error }) => event ?? error?.name),
          [undefined, "closed", "closed", "close"],
        )
        assert.notInclude(testOf("main", entries), loop)
        const fresh = yield* sessions.get("main")
        yield* set(fresh, ["b", 1])
        assert.deepStrictEqual(yield* names(fresh), ["b"])
        assert.notStrictEqual((yield* fresh.status).pid, pid)
        assert.deepInclude(yield* Effect.flip(session.evaluate({ code: "a" })), { _tag: "SessionClosed" })
      }),
    )
  })
}

subjects.forEach(suite)

describe.each(["embedded", "k3csharp"] as const)("a restore that goes wrong, %s", (engine) => {
  /** A session with a snapshot of that value of x, which is 2 now. */
  const test = (title: string, value: string, body: (session: Session, script: Script) => Effect.Effect<void, unknown>) =>
    it.effect(title, () => {
      const script = new Script()
      return Effect.gen(function* () {
        const session = yield* Effect.flatMap(Sessions, ({ get }) => get("main"))
        yield* session.evaluate({ code: `x: ${value}\ny: 1` })
        yield* session.snapshots.save("s")
        yield* session.evaluate({ code: "x: 2\ny: 3" })
        yield* body(session, script)
      }).pipe(Effect.provide(scripted(script, { engine, evalTimeout: 1000, interruptGrace: 50, restartFirstDelay: 5 })))
    })

  test("B2 a variable that is not restored is named and stays as it is", "shy", (session) =>
    Effect.gen(function* () {
      assert.deepInclude(yield* session.snapshots.restore("s"), {
        restored: [".k.y"],
        lost: [{ path: ".k.x", why: engine === "embedded" ? "it is shy" : "Error: it is shy" }],
      })
      assert.deepStrictEqual([yield* printed(session, "x"), yield* printed(session, "y")], ["2", "1"])
      assert.deepStrictEqual(told(yield* session.snapshots.diff("s")), [".k.x shy 2"])
    }),
  )

  test("B2 a variable that is restored to another value is named, and gets its previous value again", "lossy", (session, script) =>
    Effect.gen(function* () {
      assert.deepInclude(yield* session.snapshots.restore("s"), {
        restored: [".k.y"],
        lost: [{ path: ".k.x", why: engine === "embedded" ? "it is lossy" : "what came back is not equal" }],
      })
      const isLast = (setting: string, given: string): boolean => {
        const { lines } = script.latest
        return lines.findLastIndex((line) => line.includes(setting)) > lines.findLastIndex((line) => line.includes(given))
      }
      assert.isTrue(engine === "embedded" ? isLast('"op":"restore","variables":[]', '"path":".k.x"') : isLast("\\p 7", ".k.x:"))
      assert.deepStrictEqual([yield* printed(session, "x"), yield* printed(session, "y")], ["2", "1"])
      assert.deepStrictEqual(told(yield* session.snapshots.diff("s")), [".k.x lossy 2"])
    }),
  )

  test(
    "B2 a variable that ends the interpreter is left out the next time; until then the session has its previous variables",
    "deadly",
    (session, script) =>
      Effect.gen(function* () {
        const died = () =>
          Effect.gen(function* () {
            assert.deepInclude(yield* Effect.flip(session.snapshots.restore("s")), {
              _tag: "RestoreFailed",
              doing: "the restore of snapshot s",
              exitCode: 7,
            })
            yield* TestClock.adjust(100)
            assert.deepStrictEqual([yield* printed(session, "x"), yield* printed(session, "y")], ["2", "3"])
          })
        // First a batch of both, then the suspect alone.
        yield* died()
        yield* died()
        const { restored, lost } = yield* session.snapshots.restore("s")
        assert.deepStrictEqual([restored, lost.map(({ path }) => path)], [[".k.y"], [".k.x"]])
        assert.deepStrictEqual([yield* printed(session, "x"), yield* printed(session, "y")], ["2", "1"])
        assert.strictEqual(script.alive.length, 1)
      }),
  )

  test("B2 a restore that the deadline interrupts leaves the previous variables", "endless", (session) =>
    Effect.gen(function* () {
      const call = yield* Effect.forkChild(Effect.flip(session.snapshots.restore("s")))
      yield* TestClock.adjust(2000)
      assert.deepInclude(yield* Fiber.join(call), { _tag: "DeadlineExceeded", doing: "restore", timeoutMs: 1000 })
      assert.deepStrictEqual([yield* printed(session, "x"), yield* printed(session, "y")], ["2", "3"])
    }),
  )
})

it.effect("B5 the limit of bytes for snapshots is that of the captured variables", () =>
  Effect.gen(function* () {
    const session = yield* Effect.flatMap(Sessions, ({ get }) => get("main"))
    yield* session.evaluate({ code: `x: ${"1".repeat(700)}` })
    yield* session.snapshots.save("s")
    yield* session.snapshots.save("same")
    yield* session.evaluate({ code: `x: ${"2".repeat(700)}` })
    assert.deepInclude(yield* Effect.flip(session.snapshots.save("t")), { _tag: "SnapshotsFull", reason: "bytes", limit: 1024 })
    yield* session.snapshots.remove("s")
    yield* session.snapshots.remove("same")
    yield* session.snapshots.save("t")
  }).pipe(Effect.provide(scripted(new Script(), { engine: "embedded", captureTotal: 1024 }))),
)

describe("an engine for a session alone", () => {
  it.live("B8 an engine without a build makes no session", () =>
    Effect.gen(function* () {
      const sessions = yield* Sessions
      assert.deepInclude(yield* Effect.flip(sessions.create({ name: "other", engine: "k3csharp" })), { _tag: "BuildNotFound" })
      assert.deepStrictEqual(yield* sessions.list, [])
      assert.deepInclude(yield* sessions.create({ name: "other", engine: "embedded" }), { engine: "embedded", generation: 1 })
      assert.deepInclude(yield* Effect.flip(sessions.create({ name: "other" })), { _tag: "NameTaken", taken: ["other"] })
    }).pipe(Effect.provide(real({ engine: "auto", buildDir: "/nonexistent" }))),
  )

  it.live.skipIf(buildDir === undefined)("B3 B8 engines side by side; a snapshot is not carried from one to the other", () =>
    Effect.gen(function* () {
      const sessions = yield* Sessions
      const here = yield* sessions.get("main")
      yield* sessions.create({ name: "there", engine: "k3csharp" })
      const there = yield* sessions.get("there")
      yield* Effect.forEach([here, there], (session) => session.evaluate({ code: "a:1 2 3" }))
      assert.deepStrictEqual(
        (yield* Effect.forEach([here, there], ({ status }) => status)).map(({ engine }) => engine),
        ["embedded", "k3csharp"],
      )
      yield* there.reload({ preserveState: true })
      assert.strictEqual((yield* there.status).engine, "k3csharp")
    }).pipe(Effect.provide(real({ engine: "embedded", buildDir: buildDir! }))),
  )
})
