/** The named snapshots of a session as data: their names, and their limits. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Baselines } from "../../../src/session/variables/Baselines.ts"
import type { Snapshot } from "../../../src/store/Store.ts"
import type { Contents, Variable } from "../../../src/child/Contents.ts"

const variable = (path: string, bytes: number): Variable => ({ path, type: 1, shape: "", bytes, text: "", image: "x".repeat(bytes) })
const holding = (...variables: readonly Variable[]): Contents => ({
  variables: new Map(variables.map((each) => [each.path, each])),
  workspace: undefined,
})
const baseline = (name: string, contents: Contents = holding()): Snapshot => ({
  name,
  at: 0,
  generation: 1,
  engine: "embedded",
  build: null,
  ...contents,
})

describe("baselines", () => {
  it.effect("B5 a name is saved over, renamed and deleted; what is not there is said with what is", () =>
    Effect.gen(function* () {
      const all = new Baselines("main", 100)
      const first = baseline("b")
      assert.isUndefined(yield* all.keep(first, holding()))
      assert.strictEqual(yield* all.keep(baseline("b"), holding()), first)
      yield* all.keep(baseline("a"), holding())
      assert.deepStrictEqual(
        all.all.map(({ name }) => name),
        ["a", "b"],
      )
      assert.deepInclude(yield* Effect.flip(all.rename("a", "b")), { _tag: "NameTaken", name: "b" })
      yield* all.rename("a", "c")
      assert.strictEqual((yield* all.get("c")).name, "c")
      assert.deepInclude(yield* Effect.flip(all.get("a")), { _tag: "NoBaseline", baselines: ["b", "c"] })
      assert.deepInclude(yield* Effect.flip(all.rename("a", "d")), { _tag: "NoBaseline" })
      yield* all.remove("c")
      assert.deepInclude(yield* Effect.flip(all.remove("c")), { _tag: "NoBaseline", baselines: ["b"] })
    }),
  )

  it.effect("B5 their number is limited; one may be saved over at the limit", () =>
    Effect.gen(function* () {
      const all = new Baselines("main", 100)
      yield* Effect.forEach(Array.from({ length: 20 }), (_, i) => all.keep(baseline(`b${i}`), holding()))
      const full = yield* Effect.flip(all.keep(baseline("more"), holding()))
      assert.deepInclude(full, { reason: "count", limit: 20 })
      assert.strictEqual(full.baselines.length, 20)
      yield* all.keep(baseline("b7"), holding())
    }),
  )

  it.effect("B5 bytes that are shared count once, and what deleting frees is what is not", () =>
    Effect.gen(function* () {
      const all = new Baselines("main", 100)
      const [shared, old, own] = [variable("s", 60), variable("v", 15), variable("v", 20)]
      yield* all.keep(baseline("first", holding(shared, old)), holding(shared, old))
      yield* all.keep(baseline("second", holding(shared, own)), holding(shared, own))
      const large = holding(shared, variable("v", 30))
      const full = yield* Effect.flip(all.keep(baseline("third", large), large))
      assert.deepInclude(full, { reason: "bytes", limit: 100 })
      assert.deepStrictEqual(full.baselines, [
        { name: "first", frees: 15 },
        { name: "second", frees: 20 },
      ])
      yield* all.remove("second")
      yield* all.remove("first")
      yield* all.keep(baseline("third", large), large)
    }),
  )
})
