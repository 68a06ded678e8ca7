/** One owner of a session at a time, whoever stands still meanwhile; and documents, which have none. */
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Tracer from "effect/Tracer"
import * as fc from "fast-check"
import { empty } from "../../../src/child/Contents.ts"
import { Definitions } from "../../../src/session/Definitions.ts"
import { CrashRecords } from "../../../src/session/history/CrashRecord.ts"
import * as DocumentCache from "../../../src/store/DocumentCache.ts"
import * as epochs from "../../../src/store/sql/epochs.ts"
import { Store } from "../../../src/store/Store.ts"
import { CuttingProxy } from "../../lib/cuttingProxy.ts"
import { someDefinition } from "../../lib/documents.ts"
import { Holder, imagesOf, variable } from "../../lib/holder.ts"
import { isInstalled, orSkipped } from "../../lib/postgres.ts"
import { asMachine, withPostgres } from "../../lib/sqlStore.ts"
import { until } from "../../lib/waiting.ts"

const postgres = withPostgres()
let spaces = 0
/** A space that nobody has used, and machines in it. */
const space = () => {
  const name = `owners ${spaces++}`
  return {
    name,
    machine: (machine: string, owns: readonly string[] = ["main"]) => asMachine({ url: postgres().url, space: name, machine, owns }),
    rows: () =>
      Effect.promise(() =>
        postgres().run(
          `SELECT session, kind, name, aside, part, version, md5(content) FROM k3_contents WHERE space = '${name}' ORDER BY 1, 2, 3, 4, 5`,
        ),
      ),
  }
}

const step = fc.tuple(
  fc.constantFrom(..."abc"),
  fc.oneof(
    fc.constant(undefined),
    fc.string({ maxLength: 20 }),
    fc.integer({ min: 1, max: 900_000 }).map((n) => "x".repeat(n)),
  ),
)
type Step = readonly [name: string, image: string | undefined]

const stored = Store.use((store) => store.workspace("main", "/here"))
const takeTrouble = Store.use((store) => Effect.sync(() => store.takeTrouble().join("\n")))
const snapshot = (image: string) => ({
  ...({ name: "baseline", at: 1, generation: 1, engine: "embedded", build: null, settings: undefined } as const),
  variables: new Map([[".k.a", variable("a", image)]]),
})

describe.skipIf(!isInstalled)(`owners${orSkipped}`, () => {
  it.live("O1 who owned a session writes nothing once another machine has it: no variable, snapshot or line, and nothing goes", () =>
    Effect.gen(function* () {
      const { machine, rows, name } = space()
      yield* Effect.gen(function* () {
        const store = yield* Store
        const kept = yield* stored
        const holder = new Holder().set("a", "first")
        assert.isTrue(yield* kept.persist(holder))
        assert.isTrue(yield* store.snapshots("main").save(snapshot("first")))
        assert.isTrue(yield* store.history("main").append(1, ['{"n":1}']))
        const raised = yield* epochs.raise(name, "main", "two")
        assert.deepStrictEqual(raised, { epoch: 2, before: "one", contained: 0 })
        const before = yield* rows()
        assert.isFalse(yield* kept.persist(holder.set("a", "late")))
        assert.match(yield* takeTrouble, /^Another machine owns session main now: session main is not written by this one\.$/)
        assert.isFalse(yield* store.snapshots("main").save(snapshot("late")))
        assert.isFalse(yield* store.snapshots("main").clear)
        assert.isFalse(yield* store.history("main").append(1, ['{"n":2}']))
        assert.isFalse(yield* store.history("main").remove(1))
        yield* store.history("main").setAside(1, "is late")
        assert.isFalse(yield* kept.forget)
        assert.strictEqual(yield* rows(), before)
        // What was not written is still to be written.
        assert.isTrue(holder.takeUnsaved().changed.has(".k.a"))
      }).pipe(machine("one"))
      yield* Effect.gen(function* () {
        assert.deepStrictEqual(imagesOf((yield* Effect.flatMap(stored, (kept) => kept.load("embedded")))!.held.variables), { a: "first" })
        assert.strictEqual((yield* Store.use((store) => store.snapshots("main").load(empty))).length, 1)
      }).pipe(machine("three"))
    }),
  )

  it.live("O1 a machine that never owned a session writes nothing of it, and sets nothing aside", () =>
    Effect.gen(function* () {
      const { machine, rows, name } = space()
      yield* machine("one")(Effect.flatMap(stored, (kept) => kept.persist(new Holder().set("a", "first"))))
      yield* Effect.promise(() => postgres().run(`UPDATE k3_contents SET content = 'x' WHERE space = '${name}' AND kind = 'state'`))
      const before = yield* rows()
      yield* Effect.gen(function* () {
        assert.deepStrictEqual(yield* Store.use((store) => store.sessions), [])
        assert.match(yield* takeTrouble, /is damaged.*cannot be put aside\. Nothing is written over it/)
        assert.isFalse(yield* Effect.flatMap(stored, (kept) => kept.persist(new Holder().set("a", "late"))))
      }).pipe(machine("two", []))
      assert.strictEqual(yield* rows(), before)
    }),
  )

  it.live("O1 a write that is under way when the session is taken is there before that, whole, or never", () =>
    Effect.gen(function* () {
      const { machine, rows, name } = space()
      const seen = new Set<boolean>()
      yield* Effect.gen(function* () {
        const large = "x".repeat(3_000_000)
        for (let i = 0; seen.size < 2 || i < 10; i++) {
          const raised = yield* Effect.gen(function* () {
            const kept = yield* stored
            yield* kept.load("embedded")
            const before = yield* rows()
            const writing = yield* Effect.forkChild(kept.persist(new Holder().set("a", `${i}`).set("b", large)))
            // From at once to when it has long been done.
            for (let waited = 0; waited < i % 12; waited++) yield* rows()
            yield* epochs.raise(name, "main", "two")
            const then = yield* rows()
            const done = yield* Fiber.join(writing)
            assert.strictEqual(yield* rows(), then)
            assert.strictEqual(then !== before, done, `round ${i}`)
            return done
          }).pipe(machine("one"))
          seen.add(raised)
        }
      }).pipe(machine("two", []))
    }),
  )

  it.live("O1 O4 through any takeovers, with all who owned the session writing on, the next owner finds what was acknowledged last", () =>
    Effect.promise(() =>
      fc.assert(
        fc.asyncProperty(fc.array(fc.array(step, { maxLength: 4 }), { minLength: 2, maxLength: 6 }), (turns) =>
          Effect.runPromise(
            Effect.scoped(
              Effect.gen(function* () {
                const { machine } = space()
                /** By whoever owned the session then. */
                let acknowledged: Record<string, string> = {}
                const take = (left: readonly (readonly Step[])[], writers: readonly Effect.Effect<void>[]): Effect.Effect<void> =>
                  left.length === 0
                    ? Effect.void
                    : Effect.gen(function* () {
                        const kept = yield* stored
                        const returned = yield* kept.load("embedded")
                        const read = imagesOf(returned?.held.variables ?? new Map())
                        assert.deepStrictEqual(read, acknowledged)
                        const holder = new Holder()
                        for (const [path, each] of returned?.held.variables ?? []) holder.variables.set(path, each)
                        // Those before go on meanwhile.
                        const others = yield* Effect.forEach(writers, (writer) => Effect.forkChild(writer))
                        for (const [name, image] of left[0]!) {
                          assert.isTrue(yield* kept.persist(holder.set(name, image)))
                          acknowledged = holder.images
                        }
                        yield* Effect.forEach(others, Fiber.join)
                        const late = Effect.suspend(() => Effect.map(kept.persist(holder.set("late", `${left.length}`)), assert.isFalse))
                        yield* take(left.slice(1), [...writers, late])
                      }).pipe(machine(`machine ${left.length}`))
                yield* take(turns, [])
              }),
            ),
          ),
        ),
        { numRuns: 12 },
      ),
    ),
  )

  it.live("O1 epochs of machines that ask at once are all different, and one is not given up by who lost it", () =>
    Effect.gen(function* () {
      const { name } = space()
      yield* Effect.gen(function* () {
        const raised = yield* Effect.all(
          Array.from({ length: 20 }, (_, i) => epochs.raise(name, "main", `machine ${i}`)),
          { concurrency: "unbounded" },
        )
        assert.strictEqual(new Set(raised.map(({ epoch }) => epoch)).size, 20)
        assert.strictEqual(Math.max(...raised.map(({ epoch }) => epoch)), 20)
        assert.isFalse(yield* epochs.release(name, "main", 19))
        assert.isTrue(yield* epochs.release(name, "main", 20))
        assert.deepStrictEqual(yield* epochs.raise(name, "main", "next"), { epoch: 21, before: undefined, contained: 0 })
      }).pipe(asMachine({ url: postgres().url, space: name, owns: [] }))
    }),
  )

  it.live(
    "X11 the next owner learns which evaluations the stored variables have, unless a machine that does not count them was between",
    () =>
      Effect.gen(function* () {
        const { name } = space()
        yield* Effect.gen(function* () {
          const kept = yield* stored
          const next = Effect.map(epochs.raise(name, "main", "one"), ({ contained }) => contained)
          const now = () => Effect.promise(() => postgres().run(`SELECT contained FROM k3_sessions WHERE space = '${name}'`))
          const holder = new Holder().set("a", "first")
          holder.contains = 3
          assert.isTrue(yield* kept.persist(holder))
          assert.strictEqual(yield* now(), "3")
          holder.contains = 4
          assert.isTrue(yield* kept.persist(holder))
          assert.strictEqual(yield* now(), "4")
          holder.contains = undefined
          assert.isTrue(yield* kept.persist(holder.set("a", "second")))
          assert.strictEqual(yield* now(), "4")
          assert.strictEqual(yield* next, 4)
          // It has no longer the epoch to write it.
          holder.contains = 5
          assert.isFalse(yield* kept.persist(holder))
          assert.strictEqual(yield* now(), "4")
          yield* Effect.promise(() => postgres().run(`UPDATE k3_sessions SET epoch = epoch + 1 WHERE space = '${name}'`))
          assert.isUndefined(yield* next)
        }).pipe(asMachine({ url: postgres().url, space: name, owns: ["main"] }))
      }),
  )

  it.live("X11 of a session whose variables were removed nothing is said to be contained", () =>
    Effect.gen(function* () {
      const { name } = space()
      yield* Effect.gen(function* () {
        const kept = yield* stored
        const holder = new Holder().set("a", "first")
        holder.contains = 3
        assert.isTrue(yield* kept.persist(holder))
        assert.isTrue(yield* kept.forget)
        assert.isUndefined((yield* epochs.raise(name, "main", "two")).contained)
      }).pipe(asMachine({ url: postgres().url, space: name, owns: ["main"] }))
    }),
  )

  it.live("O1 an owner whose raise got no answer and is tried again is told who had the session before, not itself", () =>
    Effect.gen(function* () {
      const { name } = space()
      const proxy = yield* Effect.promise(() => CuttingProxy.before(postgres().port))
      proxy.cutAt = "INSERT 0 1\0"
      yield* Effect.gen(function* () {
        const { epoch } = yield* epochs.raise(name, "main", "one")
        proxy.cuts = 1
        assert.strictEqual((yield* epochs.raise(name, "main", "two")).before, "one")
        assert.isTrue(yield* epochs.release(name, "main", epoch + 2))
        proxy.cuts = 1
        const raised = yield* epochs.raise(name, "main", "three")
        assert.deepStrictEqual(raised, { epoch: epoch + 4, before: undefined, contained: 0 })
        assert.strictEqual(proxy.cuts, 0)
      }).pipe(asMachine({ url: postgres().url.replace(String(postgres().port), String(proxy.port)), space: name, owns: [] }))
      yield* Effect.promise(() => proxy.close())
    }),
  )

  it.live("O1 a machine that stands still in the middle of a write holds up the next owner for seconds, and its write is undone", () =>
    Effect.gen(function* () {
      const { machine, rows, name } = space()
      const proxy = yield* Effect.promise(() => CuttingProxy.before(postgres().port))
      yield* Effect.gen(function* () {
        const kept = yield* stored
        assert.isTrue(yield* kept.persist(new Holder().set("a", "first")))
        const before = yield* rows()
        proxy.withheld = "UPDATE 1\0"
        const still = yield* Effect.forkChild(kept.persist(new Holder().set("a", "late")))
        const isHeld = Effect.promise(() => postgres().run("SELECT count(*) FROM pg_stat_activity WHERE state = 'idle in transaction'"))
        yield* until(Effect.map(isHeld, (count) => count === "1"))
        const raised = yield* machine("two", [])(epochs.raise(name, "main", "two"))
        assert.deepStrictEqual(raised, { epoch: 2, before: "one", contained: 0 })
        assert.strictEqual(yield* rows(), before)
        assert.isFalse(yield* Fiber.join(still))
        assert.match(yield* takeTrouble, /Another machine owns session main now/)
        assert.strictEqual(yield* rows(), before)
      }).pipe(asMachine({ url: postgres().url.replace(String(postgres().port), String(proxy.port)), space: name }))
      yield* Effect.promise(() => proxy.close())
    }),
  )

  it.live(
    "O2 a store whose session was written by another machine meanwhile does not write over that, though it owns the session again",
    () =>
      Effect.gen(function* () {
        const { machine, rows } = space()
        yield* machine("one")(
          Effect.gen(function* () {
            const kept = yield* stored
            assert.isTrue(yield* kept.persist(new Holder().set("a", "first")))
            // Somebody brings back another state by hand, or from a backup.
            yield* Effect.promise(() => postgres().run("UPDATE k3_contents SET version = gen_random_uuid() WHERE kind = 'state'"))
            const before = yield* rows()
            assert.isFalse(yield* kept.persist(new Holder().set("a", "late")))
            assert.match(yield* takeTrouble, /Session main is not as this machine read it: nothing is written over it/)
            assert.strictEqual(yield* rows(), before)
            yield* kept.load("embedded")
            assert.isTrue(yield* kept.persist(new Holder().set("a", "late")))
          }),
        )
      }),
  )
})

const free = (taken: ReadonlyMap<string, string>): string => String(Math.max(0, ...[...taken.keys()].map(Number)) + 1)

const cache = Effect.flatMap(Store, ({ documents: { evaluations } }) =>
  DocumentCache.make<string>({
    documents: evaluations,
    name: "a line",
    decode: (_, [line]) => line,
    encode: (line) => [line],
    join: (kept, _, own) => [free(kept), own],
  }),
)
const crash = (session: string, generation: number) => ({
  ...({ session, generation, reason: "exit", exitCode: 1, signal: null, stderr: "", engine: "embedded", build: null } as const),
  memory: null,
  inputs: [],
  script: "",
})
const all = (documents: Effect.Success<typeof cache>) => documents.use((found) => Effect.succeed(Object.fromEntries(found)))

describe.skipIf(!isInstalled)(`documents of several machines${orSkipped}`, () => {
  it.live("O3 what one wrote or removed the others see when they next look, without a restart, and are told of", () =>
    Effect.gen(function* () {
      const { machine } = space()
      yield* Effect.gen(function* () {
        const here = yield* cache
        assert.deepStrictEqual(yield* all(here), {})
        const waiting = yield* Effect.forkChild(Store.use((store) => store.takenOver))
        yield* Effect.gen(function* () {
          const there = yield* cache
          yield* there.use(() => there.save("1", "one"))
          yield* Fiber.join(waiting)
          assert.deepStrictEqual(yield* all(here), { 1: "one" })
          yield* here.use(() => here.save("1", "ONE"))
          assert.deepStrictEqual(yield* all(there), { 1: "ONE" })
          yield* there.use(() => there.remove("1"))
          assert.deepStrictEqual(yield* all(here), {})
        }).pipe(machine("two"))
      }).pipe(machine("one"))
    }),
  )

  it.live("O3 who has seen that there is no document is told of the first one", () =>
    Effect.gen(function* () {
      const { machine } = space()
      yield* Effect.gen(function* () {
        const here = yield* cache
        assert.strictEqual(yield* here.peek((found) => Effect.succeed(found.size)), 0)
        const waiting = yield* Effect.forkChild(Store.use((store) => store.takenOver))
        yield* Effect.flatMap(cache, (there) => there.use(() => there.save("1", "one"))).pipe(machine("two"))
        yield* Fiber.join(waiting)
        assert.deepStrictEqual(yield* all(here), { 1: "one" })
      }).pipe(machine("one"))
    }),
  )

  it.live("O3 of two that take the same number neither loses its document", () =>
    Effect.gen(function* () {
      const { machine } = space()
      yield* Effect.gen(function* () {
        const here = yield* cache
        yield* Effect.gen(function* () {
          const there = yield* cache
          for (let n = 1; n <= 40; n++) {
            yield* Effect.all([all(here), all(there)])
            const save = (documents: typeof here, text: string) => documents.use((taken) => documents.save(free(taken), text))
            yield* Effect.all([save(here, `here ${n}`), save(there, `there ${n}`)], { concurrency: "unbounded" })
            yield* all(here)
            yield* all(there)
          }
          const texts = Object.values(yield* all(here)).toSorted()
          assert.deepStrictEqual(texts, Object.values(yield* all(there)).toSorted())
          assert.strictEqual(texts.length, 80)
        }).pipe(machine("two"))
      }).pipe(machine("one"))
    }),
  )

  it.live("O3 a tool that other machines define at the same moment gets the next version at once, also when they are quicker twice", () =>
    Effect.gen(function* () {
      const { machine } = space()
      const definitions = Effect.map(Layer.build(Layer.fresh(Definitions.layer(() => true))), (all) => Context.get(all, Definitions))
      yield* Effect.gen(function* () {
        const there = yield* definitions
        yield* Effect.gen(function* () {
          const store = yield* Store
          const quicker = ["{x+1}", "{x+2}"]
          // The other machine writes between this one's reading and its writing.
          const save: typeof store.documents.definitions.save = (key, lines) =>
            Effect.suspend(() => {
              const code = quicker.shift()
              const first = code === undefined ? Effect.void : there.add({ ...someDefinition, code })
              return Effect.andThen(first, store.documents.definitions.save(key, lines))
            })
          const documents = { ...store.documents, definitions: { ...store.documents.definitions, save } }
          const here = yield* Effect.provideService(definitions, Store, { ...store, documents })
          const added = yield* here.add({ ...someDefinition, code: "{x+3}" })
          assert.deepInclude(added, { kept: true })
          assert.deepInclude(added?.definition, { version: 3, code: "{x+3}" })
          assert.deepStrictEqual([yield* store.trouble, store.takeTrouble()], [[], []])
          for (const each of [here, there])
            assert.deepStrictEqual(
              (yield* each.versions("mean")).map(({ version, code }) => `${version} ${code}`),
              ["1 {x+1}", "2 {x+2}", "3 {x+3}"],
            )
        }).pipe(machine("two"))
      }).pipe(machine("one"))
    }),
  )

  it.live("O3 documents that an effect saves one after another are all kept when another machine is quicker at the first", () =>
    Effect.gen(function* () {
      const { machine } = space()
      yield* Effect.gen(function* () {
        const there = yield* cache
        yield* Effect.gen(function* () {
          const here = yield* cache
          yield* here.use((taken) =>
            Effect.gen(function* () {
              yield* there.use((before) => there.save(free(before), "there"))
              assert.isTrue(yield* here.save(free(taken), "first"))
              assert.isTrue(yield* here.save(free(taken), "second"))
            }),
          )
          assert.deepStrictEqual(yield* all(there), { 1: "there", 2: "first", 3: "second" })
        }).pipe(machine("two"))
      }).pipe(machine("one"))
    }),
  )

  it.live("O3 crash records that two machines make at the same moment are all kept, each under a number of its own", () =>
    Effect.gen(function* () {
      const { machine } = space()
      const records = Effect.map(Layer.build(Layer.fresh(CrashRecords.layer)), (all) => Context.get(all, CrashRecords))
      yield* Effect.gen(function* () {
        const here = yield* records
        yield* Effect.gen(function* () {
          const there = yield* records
          const both = Effect.all([here.all, there.all], { concurrency: "unbounded" })
          for (let n = 1; n <= 10; n++) {
            yield* both
            here.note(crash("here", n))
            there.note(crash("there", n))
            yield* both
          }
          const kept = yield* here.all
          assert.deepStrictEqual(yield* there.all, kept)
          assert.deepStrictEqual(
            kept.map(({ n }) => n),
            Array.from({ length: 20 }, (_, i) => i + 1),
          )
          assert.strictEqual(new Set(kept.map(({ session, generation }) => `${session} ${generation}`)).size, 20)
        }).pipe(machine("two"))
      }).pipe(machine("one"))
    }),
  )

  it.live("O3 a look for documents of a kind of which there are none is one query", () =>
    Effect.gen(function* () {
      const kind = { name: "text", decode: (_: string, lines: readonly string[]) => lines[0], encode: (text: string) => [text] }
      const queries: Tracer.NativeSpan[] = []
      const tracer = Tracer.make({
        span: (options) => {
          const span = new Tracer.NativeSpan(options)
          if (options.kind === "client") queries.push(span)
          return span
        },
      })
      yield* Effect.gen(function* () {
        const { definitions } = (yield* Store).documents
        const documents = yield* DocumentCache.make({ ...kind, documents: definitions })
        const listed = Effect.withTracer(
          documents.peek((all) => Effect.sync(() => [...all.keys()])),
          tracer,
        )
        assert.deepStrictEqual(yield* listed, [])
        assert.strictEqual(queries.length, 1)
        assert.isTrue(yield* definitions.save("mean", ["one"]))
        assert.deepStrictEqual(yield* listed, ["mean"])
      }).pipe(space().machine("one"))
    }),
  )
})
