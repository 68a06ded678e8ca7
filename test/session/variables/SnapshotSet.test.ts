/** The named snapshots of a session as data: their names, and their limits. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { SnapshotSet } from "../../../src/session/variables/SnapshotSet.ts"
import type { Snapshot } from "../../../src/store/Store.ts"
import type { Contents, Variable } from "../../../src/child/Contents.ts"

const variable = (path: string, bytes: number): Variable => ({ path, type: 1, shape: "", bytes, text: "", image: "x".repeat(bytes) })
const holding = (...variables: readonly Variable[]): Contents => ({
  variables: new Map(variables.map((each) => [each.path, each])),
  settings: undefined,
})
const snapshot = (name: string, contents: Contents = holding()): Snapshot => ({
  name,
  at: 0,
  generation: 1,
  engine: "embedded",
  build: null,
  ...contents,
})

describe("snapshots", () => {
  it.effect("B5 a snapshot is replaced, renamed and deleted; the error for an unknown name lists the known ones", () =>
    Effect.gen(function* () {
      const all = new SnapshotSet("main", 100)
      const first = snapshot("b")
      assert.isUndefined(yield* all.keep(first, holding()))
      assert.strictEqual(yield* all.keep(snapshot("b"), holding()), first)
      yield* all.keep(snapshot("a"), holding())
      assert.deepStrictEqual(
        all.all.map(({ name }) => name),
        ["a", "b"],
      )
      assert.deepInclude(yield* Effect.flip(all.rename("a", "b")), { _tag: "NameTaken", name: "b" })
      yield* all.rename("a", "c")
      assert.strictEqual((yield* all.get("c")).name, "c")
      assert.deepInclude(yield* Effect.flip(all.get("a")), { _tag: "NoSnapshot", snapshots: ["b", "c"] })
      assert.deepInclude(yield* Effect.flip(all.rename("a", "d")), { _tag: "NoSnapshot" })
      yield* all.remove("c")
      assert.deepInclude(yield* Effect.flip(all.remove("c")), { _tag: "NoSnapshot", snapshots: ["b"] })
    }),
  )

  it.effect("B5 their number is limited; at the limit one may be replaced", () =>
    Effect.gen(function* () {
      const all = new SnapshotSet("main", 100)
      yield* Effect.forEach(Array.from({ length: 20 }), (_, i) => all.keep(snapshot(`b${i}`), holding()))
      const full = yield* Effect.flip(all.keep(snapshot("more"), holding()))
      assert.deepInclude(full, { reason: "count", limit: 20 })
      assert.strictEqual(full.snapshots.length, 20)
      yield* all.keep(snapshot("b7"), holding())
    }),
  )

  it.effect("B5 shared bytes count once, and deleting frees only the bytes that are not shared", () =>
    Effect.gen(function* () {
      const all = new SnapshotSet("main", 100)
      const [shared, old, own] = [variable("s", 60), variable("v", 15), variable("v", 20)]
      yield* all.keep(snapshot("first", holding(shared, old)), holding(shared, old))
      yield* all.keep(snapshot("second", holding(shared, own)), holding(shared, own))
      const large = holding(shared, variable("v", 30))
      const full = yield* Effect.flip(all.keep(snapshot("third", large), large))
      assert.deepInclude(full, { reason: "bytes", limit: 100 })
      assert.deepStrictEqual(full.snapshots, [
        { name: "first", frees: 15 },
        { name: "second", frees: 20 },
      ])
      yield* all.remove("second")
      yield* all.remove("first")
      yield* all.keep(snapshot("third", large), large)
    }),
  )
})
