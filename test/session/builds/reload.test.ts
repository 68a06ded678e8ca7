/** R1–R4 reloading a build, over real processes of a toy interpreter without .NET. With `dotnet build`: test/e2e/walkthroughs.test.ts. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Sessions } from "../../../src/session/Sessions.ts"
import type { Session } from "../../../src/session/Session.ts"
import type { SettingValues } from "../../../src/Settings.ts"
import { isAlive } from "../../lib/processes.ts"
import { real } from "../../lib/sessionLayers.ts"
import { scratch } from "../../lib/stateFolder.ts"
import { writeBuild } from "../../lib/toyBuild.ts"

const main = Effect.flatMap(Sessions, ({ get }) => get("main"))
const pidOf = (session: Session) => Effect.map(session.status, ({ pid }) => pid ?? assert.fail("no child"))
const answer = (session: Session, code: string) => Effect.map(session.evaluate({ code }), ({ output }) => output)
const gone = (pid: number) =>
  Effect.gen(function* () {
    while (isAlive(pid)) yield* Effect.sleep(2)
  })

/** A project whose build command copies `src` to `out`. */
interface Project {
  readonly folder: string
  /** Changes the source. */
  readonly edit: (text: string) => void
}

describe.skipIf(process.platform === "win32")("a toy build", () => {
  const test = (
    name: string,
    body: (session: Session, project: Project) => Effect.Effect<void, unknown, Sessions>,
    given: Partial<SettingValues> = {},
  ) =>
    it.live(name, () =>
      Effect.scoped(
        Effect.gen(function* () {
          const folder = yield* scratch
          const edit = (text: string) => writeBuild(join(folder, "src"), text)
          edit("times 0")
          writeBuild(join(folder, "out"), "times 0")
          const layer = real({
            engine: "k3csharp",
            cwd: folder,
            buildRoot: folder,
            roots: [folder],
            buildDir: join(folder, "out"),
            buildCommand: "echo copying; cp -p src/* out/",
            ...given,
          })
          yield* Effect.flatMap(main, (session) => body(session, { folder, edit })).pipe(Effect.provide(layer))
        }),
      ),
    )

  test("R3 edit, build, reload: the new build answers, with the variables", (session, { edit }) =>
    Effect.gen(function* () {
      yield* session.evaluate({ code: "a:5\nb:7" })
      const old = yield* session.status
      edit("times 100")
      const done = yield* session.reload({ preserveState: true, build: true })
      assert.notStrictEqual(done.newHash, done.oldHash)
      assert.strictEqual(done.oldHash, old.runningHash)
      assert.deepInclude(done, { engine: "k3csharp", generation: 2, variables: { restored: 2, lost: [], missed: 0 } })
      assert.strictEqual(yield* answer(session, "a*b"), "135")
      yield* gone(old.pid!)
    }))

  test(
    "R2 a build that fails changes nothing: same child, same variables, errors as data",
    (session) =>
      Effect.gen(function* () {
        yield* session.evaluate({ code: "a:5" })
        const pid = yield* pidOf(session)
        const failed = yield* Effect.flip(session.reload({ preserveState: true, build: true }))
        assert.strictEqual(failed._tag, "BuildFailed")
        if (failed._tag === "BuildFailed") assert.deepInclude(failed.errors[0], { file: "a.cs", line: 1, column: 2, code: "CS1002" })
        assert.strictEqual(yield* pidOf(session), pid)
        assert.strictEqual(yield* answer(session, "a"), "5")
        assert.strictEqual((yield* session.status).doing, null)
      }),
    { buildCommand: "echo 'a.cs(1,2): error CS1002: ; expected'; exit 1" },
  )

  test(
    "R2 a build in another folder is reported, also when the settings leave the engine open",
    (session, { folder }) =>
      Effect.gen(function* () {
        rmSync(join(folder, "out"), { recursive: true })
        assert.deepInclude(yield* Effect.flip(session.reload({ preserveState: true, build: true })), {
          _tag: "BuildFailed",
          reason: "useless",
        })
      }),
    { engine: "auto", buildCommand: "true" },
  )

  test(
    "R1 evaluations go on while it builds, status says so, and a cancel ends the compiler",
    (session) =>
      Effect.gen(function* () {
        yield* session.evaluate({ code: "a:5" })
        const reload = yield* Effect.forkChild(session.reload({ preserveState: true, build: true }))
        let doing: string | null = null
        while (!/pid \d+/.test(doing ?? "")) {
          yield* Effect.sleep(2)
          doing = (yield* session.status).doing
        }
        const pid = Number(/pid (\d+)/.exec(doing!)![1])
        assert.strictEqual(yield* answer(session, "a"), "5")
        yield* Fiber.interrupt(reload)
        yield* gone(pid)
        assert.deepInclude(yield* session.status, { doing: null, generation: 1 })
      }),
    { buildCommand: "echo pid $$; sleep 1000" },
  )

  // The launch that never ends takes the whole time twice. On a loaded machine a launch may take more than a second.
  for (const [what, text, launchTimeout, expected] of [
    ["ends at once", "die", 30_000, { _tag: "LaunchFailed", reason: "exit", exitCode: 3, stderr: "it was built to die\n" }],
    ["never gets ready", "mute", 4000, { _tag: "LaunchFailed", reason: "timeout" }],
    ["cannot add", "sum 1", 30_000, { _tag: "LaunchFailed", reason: "answer", answer: "3" }],
  ] as const)
    test(
      `R3 a new build that ${what} is refused: the old child stays with its variables, and the status says so until another build is there`,
      (session, { folder, edit }) =>
        Effect.gen(function* () {
          yield* session.evaluate({ code: "a:5" })
          const pid = yield* pidOf(session)
          edit(text)
          for (const preserveState of [true, false])
            assert.deepInclude(yield* Effect.flip(session.reload({ preserveState, build: true })), expected)
          assert.strictEqual(yield* pidOf(session), pid)
          assert.deepInclude(yield* session.status, { stale: true, refused: "launch" })
          writeBuild(join(folder, "out"), "times 7")
          assert.notProperty(yield* session.status, "refused")
          assert.deepInclude(yield* session.evaluate({ code: "a" }), { output: "5", generation: 1 })
          process.kill(pid, "SIGKILL")
          while ((yield* session.status).pid === pid) yield* Effect.sleep(2)
          assert.deepInclude(yield* session.evaluate({ code: "a" }), { output: "5", generation: 2 })
        }),
      { launchTimeout },
    )

  test("R3 a build that variables kill is accepted without those variables", (session, { edit }) =>
    Effect.gen(function* () {
      yield* session.evaluate({ code: "a:5" })
      edit("shy")
      const { variables, generation } = yield* session.reload({ preserveState: true, build: true })
      assert.deepInclude(variables, { restored: 0 })
      assert.strictEqual(variables?.lost[0]?.path, ".k.a")
      assert.strictEqual(generation, 2)
    }))

  test("R4 checks run on both builds outside the session, with its variables; differing ones show both outputs", (session, { edit }) =>
    Effect.gen(function* () {
      yield* session.evaluate({ code: "a:5" })
      edit("times 1")
      const { check } = yield* session.reload({
        preserveState: true,
        build: true,
        check: ["a+a", "a*a", "a:9", "a+0", "nothing", "a*2\na+2"],
      })
      assert.deepInclude(check, { items: 6, differing: 2, fallen: 0, left: 0 })
      assert.deepStrictEqual(
        check!.rows.map(({ code, a, b }) => [code, a.printed, b.printed]),
        [
          ["a*a", "25", "26"],
          ["a*2\na+2", "18\n11", "19\n11"],
        ],
      )
      assert.strictEqual(yield* answer(session, "a"), "5")
    }))

  test("R4 the old build stays when a check ends only the new one, and not when it ends both", (session, { edit }) =>
    Effect.gen(function* () {
      yield* session.evaluate({ code: "a:5" })
      edit("times 1")
      const both = yield* session.reload({ preserveState: true, build: true, check: ["a+1", "exit 4", "a+1"] })
      assert.deepInclude(both.check, { differing: 0, fallen: 0 })
      edit("shy")
      const failed = yield* Effect.flip(session.reload({ preserveState: true, build: true, check: ["a+1"] }))
      assert.strictEqual(failed._tag, "CheckFailed")
      if (failed._tag === "CheckFailed") assert.deepInclude(failed.check.rows[0]?.b, { how: "died" })
      assert.deepInclude(yield* session.evaluate({ code: "a*1" }), { output: "6", generation: 2 })
    }))

  test("R4 a check has a deadline of its own, at most the maximum", (session, { edit }) =>
    Effect.gen(function* () {
      yield* session.evaluate({ code: "a:5" })
      edit("times 1")
      const { check } = yield* session.reload({ preserveState: true, build: true, check: ["loop"], timeoutMs: 200 })
      assert.deepInclude(check!.rows[0]?.b, { how: "deadline", why: "it was ended after 200 ms" })
    }))

  test(
    "R4 a check may exceed its deadline, and refused code is refused there, too",
    (session, { edit }) =>
      Effect.gen(function* () {
        yield* session.evaluate({ code: "a:5", timeoutMs: 60_000 })
        edit("times 1")
        const { check } = yield* session.reload({ preserveState: true, build: true, check: ["loop", "\\ls", "a*1"] })
        assert.deepInclude(check, { items: 3, differing: 1 })
      }),
    { evalTimeout: 6000 },
  )

  test("R4 a file of cases runs on both builds, each case in a clean workspace", (session, { edit, folder }) =>
    Effect.gen(function* () {
      yield* session.evaluate({ code: "a:5" })
      edit("times 1")
      writeFileSync(join(folder, "a.cases"), "/ product\n> b:2\n> b*3\n6\n> b+1\n3\n\n/ clean\n> b\nError: Undefined variable: b\n")
      const { check } = yield* session.reload({ preserveState: true, build: true, checkFile: "a.cases" })
      assert.deepInclude(check, { items: 3, differing: 1, expected: { items: 3, a: 3, b: 2 } })
      assert.deepInclude(check!.rows[0], { name: "product", expected: "6", differ: true })
      assert.strictEqual(yield* answer(session, "a"), "5")
    }))

  test(
    "R4 a file of cases that is missing, outside the roots, or malformed is reported before the build begins",
    (session, { folder }) =>
      Effect.gen(function* () {
        writeFileSync(join(folder, "no.cases"), "what is this")
        for (const [checkFile, reason] of [
          ["gone.cases", "it was not found in "],
          ["/etc/hostname", "outside of"],
          ["no.cases", "line 1"],
          [".", "directory"],
        ] as const) {
          const failed = yield* Effect.flip(session.reload({ preserveState: true, build: true, checkFile }))
          assert.strictEqual(failed._tag, "BadCaseFile")
          if (failed._tag === "BadCaseFile") assert.include(failed.reason, reason)
        }
      }),
    { buildCommand: "exit 1" },
  )
})
