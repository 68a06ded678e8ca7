/** The promises of every store: one suite, for the folder and for PostgreSQL. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as fc from "fast-check"
import { empty } from "../../src/child/Contents.ts"
import * as DocumentCache from "../../src/store/DocumentCache.ts"
import type { EngineKind } from "../../src/engineKinds.ts"
import { type Snapshot, Store } from "../../src/store/Store.ts"
import { Holder, imagesOf, variable } from "../lib/holder.ts"

/** Runs an effect as one server with the store, from its start to its end. */
export type AsServer = <A, E>(effect: Effect.Effect<A, E, Store | Scope.Scope>) => Effect.Effect<A, E>

interface Kept {
  /** An unused store. The server owns the session `main` and those of `names`. */
  readonly empty: Effect.Effect<AsServer, never, Scope.Scope>
  /** The bytes of each segment of `main` for the embedded engine, by name. */
  readonly segments: (server: AsServer) => Effect.Effect<ReadonlyMap<string, number>>
  /** Number of runs of a test with random cases. */
  readonly runs: number
}

/** Names of sessions and snapshots: names with a special meaning on some systems, and the longest. */
export const names = ["main", "Main", "..", "-", "CON", "a.b", "__proto__", "x".repeat(64)]

const stored = (name = "main", madeWith?: EngineKind) => Store.use((store) => store.workspace(name, "/here", madeWith))
const trouble = Store.use((store) => store.trouble)

/** The session as a new server loads it. */
const found = (server: AsServer, engine: EngineKind = "embedded", name = "main") =>
  server(
    Effect.gen(function* () {
      const returned = yield* Effect.flatMap(stored(name), ({ load }) => load(engine))
      return { trouble: yield* trouble, returned, images: returned && imagesOf(returned.held.variables) }
    }),
  )

const image = fc.oneof(
  { weight: 8, arbitrary: fc.string({ unit: "binary", maxLength: 20 }) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 400_000 }).map((n) => "é".repeat(n)) },
)
const change = fc.tuple(fc.constantFrom(..."abcdefgh"), fc.option(image, { nil: undefined }))
const round = fc.record({
  changes: fc.array(change, { maxLength: 5 }),
  next: fc.constantFrom("persist", "persist", "persist", "restart", "nothing"),
})

const snapshot = (name: string, ...variables: readonly ReturnType<typeof variable>[]): Snapshot => ({
  name,
  at: 1.5,
  generation: 3,
  engine: "embedded",
  build: null,
  settings: { precision: 7, seed: -314159, directory: ".k", folder: "/here" },
  variables: new Map(variables.map((each) => [each.path, each])),
})

const workspaces = ({ empty: nothing, segments, runs }: Kept): void => {
  it.live("S31 has the variables of the last persist, after any changes, removals and restarts", () =>
    Effect.promise(() =>
      fc.assert(
        fc.asyncProperty(fc.array(round, { maxLength: 12 }), (rounds) =>
          Effect.runPromise(
            Effect.scoped(
              Effect.gen(function* () {
                const server = yield* nothing
                let last: Record<string, string> = {}
                const rest = [...rounds]
                while (rest.length > 0)
                  yield* Effect.gen(function* () {
                    const kept = yield* stored()
                    const returned = yield* kept.load("embedded")
                    assert.deepStrictEqual(imagesOf(returned?.held.variables ?? new Map()), last)
                    const holder = new Holder()
                    for (const [path, each] of returned?.held.variables ?? []) holder.variables.set(path, each)
                    for (let now = rest.shift(); now !== undefined; now = rest.shift()) {
                      for (const [name, given] of now.changes) holder.set(name, given)
                      if (now.next === "restart") return
                      if (now.next === "nothing") continue
                      assert.isTrue(yield* kept.persist(holder))
                      last = holder.images
                    }
                  }).pipe(server)
                assert.deepStrictEqual((yield* found(server)).images ?? {}, last)
                assert.deepStrictEqual((yield* found(server)).trouble, [])
              }),
            ),
          ),
        ),
        { numRuns: runs },
      ),
    ),
  )

  it.live("S31 has the variables in their order, which K shows", () =>
    Effect.gen(function* () {
      const server = yield* nothing
      const holder = new Holder()
      yield* Effect.gen(function* () {
        const kept = yield* stored()
        for (let i = 0; i < 40; i++) {
          for (const name of [`b${i}`, `a${i}`, `b${i >> 1}`, "z"]) holder.set(name, `image ${i}`)
          yield* kept.persist(holder)
        }
      }).pipe(server)
      const { returned } = yield* found(server)
      assert.deepStrictEqual([...returned!.held.variables.keys()], [...holder.variables.keys()])
    }),
  )

  it.live("S32 costs as much as the change: one of many variables makes a small segment, and segments stay few and mostly current", () =>
    Effect.gen(function* () {
      const server = yield* nothing
      const bytes = Effect.map(segments(server), (all) => [...all.values()].reduce((sum, each) => sum + each, 0))
      yield* Effect.gen(function* () {
        const kept = yield* stored()
        const holder = new Holder()
        for (let i = 0; i < 2000; i++) holder.set(`v${i}`, `image ${i}`)
        yield* kept.persist(holder)
        const whole = yield* bytes
        let written = 0
        let before = yield* segments(server)
        for (let i = 0; i < 80; i++) {
          yield* kept.persist(holder.set(`v${i % 7}`, `other ${i}`))
          const now = yield* segments(server)
          for (const [name, size] of now) if (!before.has(name)) written += size
          assert.isAtMost(now.size, 8)
          before = now
        }
        assert.isBelow(written / 80, whole / 20)
        for (let i = 0; i < 25; i++) {
          for (let j = 0; j < 160; j++) holder.set(`v${(i * 160 + j) % 2000}`, `third ${i}`)
          yield* kept.persist(holder)
          assert.isAtMost(yield* bytes, 3 * whole)
        }
        for (let i = 1; i < 2000; i++) holder.set(`v${i}`, undefined)
        yield* kept.persist(holder)
        assert.isBelow(yield* bytes, 1000)
        assert.deepStrictEqual((yield* kept.load("embedded"))!.held.variables.size, 1)
      }).pipe(server)
    }),
  )

  it.live("separates engines, and names the variables of another one that was written last", () =>
    Effect.gen(function* () {
      const server = yield* nothing
      const many = new Holder("k3csharp")
      for (let i = 0; i < 60; i++) many.set(`v${i}`, "1")
      yield* server(Effect.flatMap(stored(), (kept) => kept.persist(many)))
      const first = (yield* found(server)).returned!
      assert.strictEqual(first.lost.length, 51)
      assert.include(first.lost[0]!.why, "k3csharp made it")
      assert.strictEqual(first.lost[50]!.path, "10 more")
      assert.strictEqual((yield* found(server, "k3csharp")).returned!.held.variables.size, 60)
    }),
  )

  it.live("knows the chosen engine of a session, and replaces its working folder if it was the server's", () =>
    Effect.gen(function* () {
      const server = yield* nothing
      const holder = new Holder("k3csharp").set("a", "1")
      const settings = { precision: 5, seed: 1, directory: ".k", folder: "/here" }
      const source = {
        ...holder,
        engine: holder.engine,
        takeUnsaved: () => ({ ...holder.takeUnsaved(), held: { ...holder.held, settings } }),
      }
      yield* server(Effect.flatMap(stored("main", "k3csharp"), (kept) => kept.persist({ ...source, stillUnsaved: () => {} })))
      yield* Effect.gen(function* () {
        const kept = yield* Store.use((store) => store.workspace("main", "/there"))
        assert.strictEqual(yield* kept.chosen, "k3csharp")
        assert.deepStrictEqual((yield* kept.load("k3csharp"))?.held.settings, { ...settings, folder: "/there" })
      }).pipe(server)
    }),
  )

  it.live("S31 has the variables again whatever the length of a name or directory, and the characters of a folder", () =>
    Effect.gen(function* () {
      const long = "x".repeat(10_000)
      for (const [cwd, folder, back] of [
        ["/here", "/a\u007fb", "/there"],
        ["/a\u007fb", "/a\u007fb", "/there"],
        ["/a\nb", "/other", "/other"],
      ] as const) {
        const server = yield* nothing
        const holder = new Holder().set("a", "1").set(long, "2")
        const settings = { precision: 5, seed: 1, directory: `.${long}`, folder }
        yield* Effect.gen(function* () {
          const kept = yield* Store.use((store) => store.workspace("main", cwd))
          const takeUnsaved = () => ({ ...holder.takeUnsaved(), held: { ...holder.held, settings } })
          assert.isTrue(yield* kept.persist({ engine: "embedded", takeUnsaved, stillUnsaved: () => {} }))
          const saved = { ...snapshot("s", variable("a", "1"), variable(long, "2")), settings }
          assert.isTrue(yield* Store.use((store) => store.snapshots("main").save(saved)))
        }).pipe(server)
        yield* Effect.gen(function* () {
          const kept = yield* Store.use((store) => store.workspace("main", "/there"))
          const { held } = (yield* kept.load("embedded"))!
          assert.deepStrictEqual(imagesOf(held.variables), { a: "1", [long]: "2" })
          assert.deepStrictEqual(held.settings, { ...settings, folder: back })
          const [saved] = yield* Store.use((store) => store.snapshots("main").load(empty))
          assert.deepStrictEqual(imagesOf(saved!.variables), { a: "1", [long]: "2" })
          assert.deepStrictEqual(yield* trouble, [])
        }).pipe(server)
      }
    }),
  )

  it.live(
    "S31 two stores of one name run one operation at a time, and only the later one writes: a closed session is not written again",
    () =>
      Effect.gen(function* () {
        const server = yield* nothing
        yield* Effect.gen(function* () {
          for (let i = 0; i < 20; i++) {
            const before = yield* stored()
            yield* before.persist(new Holder().set("a", `old ${i}`).set("b", "old"))
            const after = yield* stored()
            yield* Effect.all([before.persist(new Holder().set("a", `late ${i}`)), after.forget], { concurrency: "unbounded" })
            assert.strictEqual((yield* segments(server)).size, 0, `round ${i}`)
            assert.deepStrictEqual(yield* Store.use((store) => store.sessions), [])
            assert.isFalse(yield* before.persist(new Holder().set("a", "later")))
            assert.isTrue(yield* after.persist(new Holder().set("a", "new")))
            assert.isFalse(yield* before.persist(new Holder().set("a", "later")))
            assert.deepStrictEqual(imagesOf((yield* after.load("embedded"))!.held.variables), { a: "new" })
          }
        }).pipe(server)
      }),
  )

  it.live("lists sessions of every permitted name with their variables, and no empty session", () =>
    Effect.gen(function* () {
      const server = yield* nothing
      yield* Effect.gen(function* () {
        assert.isTrue(yield* Effect.flatMap(stored(), (kept) => kept.persist(new Holder())))
        for (const name of names) assert.isTrue(yield* Effect.flatMap(stored(name), (kept) => kept.persist(new Holder().set("a", name))))
      }).pipe(server)
      const sessions = yield* server(Store.use((store) => store.sessions))
      assert.sameMembers(
        sessions.map(({ name }) => name),
        names,
      )
      assert.isTrue(sessions.every(({ engine, variables }) => engine === "embedded" && variables === 1))
      for (const name of names) {
        const one = yield* server(Store.use((store) => store.session(name)))
        assert.deepStrictEqual(
          one,
          sessions.filter((each) => each.name === name),
        )
        assert.deepStrictEqual((yield* found(server, "embedded", name)).images, { a: name })
      }
    }),
  )
}

const besides = ({ empty: nothing }: Kept): void => {
  it.live("snapshots of every permitted name are loaded, share equal variables, and can be removed", () =>
    Effect.gen(function* () {
      const server = yield* nothing
      const [a, b] = [variable("a", "1".repeat(300_000)), variable("b", "\0é\ud800")]
      yield* server(
        Store.use((store) =>
          Effect.forEach(names, (name) => Effect.map(store.snapshots("main").save(snapshot(name, a, b)), assert.isTrue)),
        ),
      )
      yield* Effect.gen(function* () {
        const snapshots = yield* Store.use((store) => Effect.succeed(store.snapshots("main")))
        const all = yield* snapshots.load({ variables: new Map([[a.path, a]]), settings: undefined })
        assert.sameMembers(
          all.map(({ name }) => name),
          names,
        )
        for (const each of all) {
          assert.deepStrictEqual(each, snapshot(each.name, a, b))
          assert.strictEqual(each.variables.get(a.path), a)
          assert.strictEqual(each.variables.get(b.path), all[0]!.variables.get(b.path))
        }
        assert.isTrue(yield* snapshots.save(snapshot("main", b)))
        assert.isTrue(yield* snapshots.remove(".."))
        assert.isTrue(yield* snapshots.remove(".."))
        const left = yield* snapshots.load(empty)
        assert.strictEqual(left.length, names.length - 1)
        assert.strictEqual(left.find(({ name }) => name === "main")!.variables.size, 1)
        assert.deepStrictEqual(yield* Store.use((store) => store.snapshots("a.b").load(empty)), [])
        assert.isTrue(yield* snapshots.clear)
        assert.deepStrictEqual([yield* snapshots.load(empty), yield* trouble], [[], []])
      }).pipe(server)
    }),
  )

  it.live("a history grows by whole lines, lists its segments, and sets one aside", () =>
    Effect.gen(function* () {
      const server = yield* nothing
      const append = (first: number, ...lines: readonly string[]) => Store.use((store) => store.history("main").append(first, lines))
      const long = JSON.stringify({ n: 3, text: "x".repeat(3_000_000) })
      assert.isTrue(yield* server(append(1, '{"n":1}', '{"n":2}')))
      assert.isTrue(yield* server(append(1, long)))
      assert.isTrue(yield* server(Effect.andThen(append(1, '{"n":4}'), append(20, '{"n":20}'))))
      yield* Effect.gen(function* () {
        const history = yield* Store.use((store) => Effect.succeed(store.history("main")))
        const segments = yield* history.segments
        assert.deepStrictEqual(
          segments.map(({ first }) => first),
          [1, 20],
        )
        assert.deepStrictEqual(segments[1], { first: 20, bytes: 9 })
        assert.isAbove(segments[0]!.bytes, 3_000_000)
        assert.deepStrictEqual(yield* history.lines(1), ['{"n":1}', '{"n":2}', long, '{"n":4}'])
        assert.deepStrictEqual(yield* history.lines(7), [])
        yield* history.setAside(1, "holds no entry of a history")
        assert.match((yield* trouble).join(), /holds no entry of a history.*put aside/)
        assert.isTrue(yield* history.append(1, ["{}"]))
        assert.deepStrictEqual(yield* history.lines(1), ["{}"])
        assert.isTrue(yield* history.remove(20))
        assert.deepStrictEqual(
          (yield* history.segments).map(({ first }) => first),
          [1],
        )
      }).pipe(server)
    }),
  )

  it.live("documents are loaded by their keys; other keys are ignored", () =>
    Effect.gen(function* () {
      const server = yield* nothing
      yield* Effect.gen(function* () {
        const { definitions, crashes, evaluations } = (yield* Store).documents
        assert.isFalse(yield* definitions.mayHaveAny)
        assert.isTrue(yield* definitions.save("mean", ["one", "", "ä😀"]))
        assert.isTrue(yield* definitions.save("__proto__", []))
        assert.isTrue(yield* crashes.save("7", ["seven"]))
        assert.isTrue(yield* crashes.save("7", ["SEVEN"]))
        assert.deepStrictEqual(yield* evaluations.keys, [])
      }).pipe(server)
      yield* Effect.gen(function* () {
        const { definitions, crashes, evaluations } = (yield* Store).documents
        assert.sameMembers([...(yield* definitions.keys)], ["mean", "__proto__"])
        assert.deepStrictEqual(yield* definitions.load("mean"), ["one", "", "ä😀"])
        assert.deepStrictEqual(yield* definitions.load("__proto__"), [])
        assert.isUndefined(yield* definitions.load("7"))
        assert.deepStrictEqual([yield* crashes.keys, yield* crashes.load("7"), yield* evaluations.keys], [["7"], ["SEVEN"], []])
        yield* crashes.setAside("7", "is damaged")
        assert.deepStrictEqual(yield* crashes.keys, [])
        assert.match((yield* trouble).join(), /is damaged.*put aside/)
        assert.isTrue(yield* crashes.save("7", ["anew"]))
        assert.isTrue(yield* definitions.remove("mean"))
        assert.isTrue(yield* definitions.remove("mean"))
        assert.deepStrictEqual(yield* definitions.keys, ["__proto__"])
      }).pipe(server)
    }),
  )

  it.live("S29 the latest numbers are kept, in memory and in the next server, with gaps between them", () =>
    Effect.gen(function* () {
      const server = yield* nothing
      const make = Effect.flatMap(Store, ({ documents: { evaluations } }) =>
        DocumentCache.make<string>({
          documents: evaluations,
          name: "a line",
          decode: (_, [line]) => line,
          encode: (line) => [line],
          join: (_, key, own) => [key, own],
          most: 3,
        }),
      )
      const keys = (all: ReadonlyMap<string, string>) => Effect.succeed([...all.keys()].sort((a, b) => Number(a) - Number(b)))
      yield* server(
        Effect.gen(function* () {
          const { use, save } = yield* make
          for (const n of [1, 2, 9, 30, 100]) yield* use(() => save(String(n), `line ${n}`))
          assert.deepStrictEqual(yield* use(keys), ["9", "30", "100"])
        }),
      )
      assert.deepStrictEqual(yield* server(Effect.flatMap(make, ({ use }) => use(keys))), ["9", "30", "100"])
    }),
  )
}

export const portSuite = (name: string, kept: Kept): void => {
  describe(`a session in ${name}`, () => workspaces(kept))
  describe(`beside the variables, ${name}`, () => besides(kept))
}
