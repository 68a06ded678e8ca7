/** R6 the sides of a comparison, over real processes: the embedded engine, and a toy build instead of K3CSharp. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { EvaluationPlaces } from "../../../src/session/EvaluationPlaces.ts"
import type { CompareRequest } from "../../../src/session/builds/sides.ts"
import { Sessions } from "../../../src/session/Sessions.ts"
import { isAlive } from "../../lib/processes.ts"
import { real } from "../../lib/sessionLayers.ts"
import { scratch } from "../../lib/stateFolder.ts"
import { writeBuild } from "../../lib/toyBuild.ts"

describe.skipIf(process.platform === "win32")("R6 sides of a comparison", () => {
  const test = (
    name: string,
    body: (sessions: Sessions["Service"], folder: string) => Effect.Effect<void, unknown>,
    places: typeof EvaluationPlaces.layer = EvaluationPlaces.layer,
  ) =>
    it.live(name, () =>
      Effect.scoped(
        Effect.gen(function* () {
          const folder = yield* scratch
          writeBuild(join(folder, "out"), "times 1")
          const layer = real(
            { engine: "k3csharp", cwd: folder, roots: [folder], buildDir: join(folder, "out"), evalTimeout: 60_000 },
            places,
          )
          yield* Effect.flatMap(Sessions, (sessions) => body(sessions, folder)).pipe(Effect.provide(layer))
        }),
      ),
    )
  const ask = (between: CompareRequest["between"], rest: Partial<CompareRequest>): CompareRequest => ({ between, session: "main", ...rest })
  const prints = (
    rows: readonly { readonly code: string; readonly a: { readonly printed: string }; readonly b: { readonly printed: string } }[],
  ) => rows.map(({ code, a, b }) => [code, a.printed.trimEnd(), b.printed.trimEnd()])

  test("two engines: every statement runs on both, also after an error", ({ compare }) =>
    Effect.gen(function* () {
      const done = yield* compare(ask(["embedded", "k3csharp"], { code: "a:2\na*3\nnope\na+3\nexit 3\n1+1" }))
      assert.deepInclude(done, { items: 6, differing: 3 })
      const [product, unknown, exit] = done.rows
      assert.deepInclude(prints([product!])[0]!, "7")
      assert.include(unknown?.a.printed, "value error")
      assert.include(unknown?.b.printed, "Undefined variable")
      assert.deepInclude(exit, { code: "exit 3" })
      assert.deepInclude(exit?.b, { how: "died", why: "the interpreter ended with exit code 3" })
    }))

  let taken = 0
  const counted = Layer.succeed(EvaluationPlaces, {
    within: (evaluation) =>
      Effect.andThen(
        Effect.sync(() => void taken++),
        evaluation,
      ),
  })
  test(
    "each statement takes a place of the principal, on each side",
    ({ compare }) =>
      Effect.gen(function* () {
        yield* compare(ask(["embedded", "k3csharp"], { code: "1\n2\n3" }))
        assert.strictEqual(taken, 6)
      }),
    counted,
  )

  test("the running build and the one on disk: both get the variables, and the session does not change", ({ compare, get }, folder) =>
    Effect.gen(function* () {
      const session = yield* get("main")
      yield* session.evaluate({ code: "a:5" })
      const before = yield* session.status
      writeBuild(join(folder, "out"), "times 2")
      const done = yield* compare(ask(["running", "disk"], { code: "a*2\na:7\na+1" }))
      assert.deepStrictEqual(prints(done.rows.filter(({ differ }) => differ)), [["a*2", "11", "12"]])
      assert.strictEqual((yield* session.evaluate({ code: "a" })).output, "5")
      const after = yield* session.status
      assert.deepStrictEqual([after.pid, after.generation], [before.pid, before.generation])
      assert.isTrue(isAlive(after.pid!))
    }))

  test("sessions run the code themselves, with their variables", ({ compare, get }) =>
    Effect.gen(function* () {
      yield* Effect.flatMap(get("one"), (one) => one.evaluate({ code: "a:1" }))
      yield* Effect.flatMap(get("two"), (two) => two.evaluate({ code: "a:2" }))
      const done = yield* compare(ask(["session:one", "session:two"], { code: "a\nb:a+1" }))
      assert.deepStrictEqual(prints(done.rows.filter(({ differ }) => differ)), [["a", "1", "2"]])
      assert.strictEqual((yield* Effect.flatMap(get("two"), (two) => two.evaluate({ code: "b" }))).output, "3")
    }))

  test("a session that dies or exceeds its deadline is a result, and is restored", ({ compare, get }) =>
    Effect.gen(function* () {
      yield* Effect.flatMap(get("one"), (one) => one.evaluate({ code: "a:1" }))
      const ends = (code: string, timeoutMs?: number) =>
        Effect.map(compare(ask(["session:one", "k3csharp"], { code, timeoutMs })), ({ rows }) => rows.map(({ a, b }) => [a.how, b.how]))
      assert.deepStrictEqual(yield* ends("exit 3\n1+1"), [
        ["died", "died"],
        ["answered", "answered"],
      ])
      assert.deepStrictEqual(yield* ends("loop", 1000), [["deadline", "deadline"]])
      assert.deepStrictEqual(yield* ends("1+1"), [["answered", "answered"]])
    }))

  test("the changes of a session are not known after a statement that was ended, which may have changed variables", ({ compare, create }) =>
    Effect.gen(function* () {
      yield* create({ name: "one", engine: "embedded" })
      yield* create({ name: "two", engine: "embedded" })
      const between = ["session:one", "session:two"] as const
      const { changes } = yield* compare(ask(between, { code: "a:1\n{b::x;while[1;0]}[2]", changes: true, timeoutMs: 1000 }))
      assert.deepStrictEqual(changes, { a: null, b: null })
      const refused = yield* compare(ask(between, { code: "a:2\n\\\\", changes: true }))
      assert.deepStrictEqual(
        refused.changes?.a?.map(({ path }) => path),
        [".k.a"],
      )
    }))

  test("the notice of a session's fresh interpreter, which is given once, is in the comparison", ({ compare, create, get }) =>
    Effect.gen(function* () {
      yield* create({ name: "one", engine: "embedded" })
      const one = yield* get("one")
      yield* one.evaluate({ code: "a:1" })
      yield* Effect.flip(one.evaluate({ code: "_exit 3" }))
      const { notices } = yield* compare(ask(["session:one", "embedded"], { code: "1+1" }))
      assert.deepStrictEqual(
        notices?.map(({ kind }) => kind),
        ["restored"],
      )
    }))

  test("a session without an interpreter after its crashes says so, and what to do", ({ compare, create, get }) =>
    Effect.gen(function* () {
      yield* create({ name: "one", engine: "embedded" })
      const one = yield* get("one")
      for (let i = 0; i < 5; i++) yield* Effect.flip(one.evaluate({ code: "_exit 3" }))
      const { rows } = yield* compare(ask(["session:one", "embedded"], { code: "1+1" }))
      assert.deepInclude(rows[0]?.a, {
        how: "died",
        why: "no interpreter is launched after 5 crashes; k_reload launches one and restores the variables",
      })
    }))

  test("a file of cases: JSON lines as in shared/cases, each in a clean workspace", ({ compare }, folder) =>
    Effect.gen(function* () {
      const row = (id: string, code: string, expected: string) => JSON.stringify({ id, code, expected, oracle: "k" })
      writeFileSync(
        join(folder, "some.jsonl"),
        [row("one", "a:2\na*3", "6"), row("two", "1 2+1 2 3", "length error\n1 2+1 2 3\n   ^"), row("sum", "1+1", "2")].join("\n"),
      )
      const done = yield* compare(ask(["embedded", "k3csharp"], { file: "some.jsonl" }))
      assert.deepInclude(done, { items: 3, differing: 2, expected: { items: 3, a: 3, b: 1 } })
      assert.deepStrictEqual(
        done.rows.map(({ name }) => name),
        ["one", "two"],
      )
    }))

  test("an impossible comparison is reported", ({ compare }) =>
    Effect.gen(function* () {
      const problem = (request: CompareRequest) =>
        Effect.map(Effect.flip(compare(request)), (error) => ("problem" in error ? error.problem : error._tag))
      assert.strictEqual(yield* problem(ask(["embedded", "kona"], { code: "1" })), "side")
      assert.strictEqual(yield* problem(ask(["embedded", "k3csharp"], {})), "what")
      assert.strictEqual(yield* problem(ask(["embedded", "k3csharp"], { code: " \n" })), "what")
      assert.strictEqual(yield* problem(ask(["embedded", "k3csharp"], { code: "1", file: "a" })), "what")
      assert.strictEqual(yield* problem(ask(["running", "disk"], { code: "1" })), "idle")
      assert.strictEqual(yield* problem(ask(["session:ghost", "disk"], { code: "1" })), "NoSession")
      assert.strictEqual(yield* problem(ask(["embedded", "k3csharp"], { file: "gone" })), "BadCaseFile")
    }))
})
