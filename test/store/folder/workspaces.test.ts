/** One session on disk: what is written when how much changed, and what is found after an end at every step of it. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { spawnSync } from "node:child_process"
import { cpSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type Holdings, holdingsOf, type Variable } from "../../../src/child/Contents.ts"
import { StateFolder } from "../../../src/store/folder/StateFolder.ts"
import { Store } from "../../../src/store/Store.ts"
import { bundled } from "../../lib/bundled.ts"
import { Faults } from "../../lib/faultyFileSystem.ts"
import { asServer, scratch } from "../../lib/stateFolder.ts"

type Engine = "embedded" | "k3csharp"

/** A keeper that holds what it is told to. */
class Holder {
  readonly variables = new Map<string, Variable>()
  private changed = new Set<string>()
  constructor(readonly engine: Engine = "embedded") {}

  set(name: string, image: string | undefined): this {
    if (image === undefined) this.variables.delete(`.k.${name}`)
    else this.variables.set(`.k.${name}`, { path: `.k.${name}`, type: 4, shape: "", bytes: image.length, text: "x", image })
    this.changed.add(`.k.${name}`)
    return this
  }

  get held(): Holdings {
    return holdingsOf({ variables: this.variables, workspace: undefined })
  }

  takeUnsaved() {
    const { held, changed } = this
    this.changed = new Set()
    return { held, changed }
  }

  stillUnsaved(changed: ReadonlySet<string>): void {
    for (const path of changed) this.changed.add(path)
  }

  get images(): Record<string, string> {
    return imagesOf(this.held.variables)
  }
}

/** In one line, short enough to be shown. */
const brief = (images: Record<string, string>): string =>
  Object.entries(images)
    .map(([name, image]) => `${name}=${image.slice(0, 3)}${image.length}`)
    .toSorted()
    .join(" ")

const imagesOf = (variables: ReadonlyMap<string, Variable>): Record<string, string> =>
  Object.fromEntries([...variables.values()].map(({ path, image }) => [path.slice(3), image!]))

const stored = (name = "main") => Store.use((store) => store.workspace(name, "/here"))

/** What a new server finds. */
const found = (dir: string, engine: Engine = "embedded", name = "main") =>
  asServer(dir)(
    Effect.gen(function* () {
      const returned = yield* Effect.flatMap(stored(name), ({ load }) => load(engine))
      return {
        trouble: yield* StateFolder.use(({ trouble }) => trouble),
        returned,
        images: returned && imagesOf(returned.held.variables),
      }
    }),
  )

const segments = (dir: string) => readdirSync(join(dir, "sessions/main/embedded")).filter((name) => name.startsWith("values"))
const bytesOnDisk = (dir: string) => segments(dir).reduce((sum, name) => sum + statSync(join(dir, "sessions/main/embedded", name)).size, 0)

const image = fc.oneof(
  { weight: 8, arbitrary: fc.string({ unit: "binary", maxLength: 20 }) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 400_000 }).map((n) => "é".repeat(n)) },
)
const change = fc.tuple(fc.constantFrom(..."abcdefgh"), fc.option(image, { nil: undefined }))
const round = fc.record({
  changes: fc.array(change, { maxLength: 5 }),
  next: fc.constantFrom("persist", "persist", "persist", "restart", "nothing"),
})

describe("a session on disk", () => {
  it.effect("S31 is what was held at the last persist, through any changes, removals and restarts", () =>
    Effect.promise(() =>
      fc.assert(
        fc.asyncProperty(fc.array(round, { maxLength: 12 }), (rounds) =>
          Effect.runPromise(
            Effect.scoped(
              Effect.gen(function* () {
                const dir = yield* scratch
                let holder = new Holder()
                let last: Record<string, string> = {}
                const rest = [...rounds]
                while (rest.length > 0)
                  yield* Effect.gen(function* () {
                    const disk = yield* stored()
                    const returned = yield* disk.load("embedded")
                    assert.deepStrictEqual(imagesOf(returned?.held.variables ?? new Map()), last)
                    holder = new Holder()
                    for (const [path, variable] of returned?.held.variables ?? []) holder.variables.set(path, variable)
                    for (let now = rest.shift(); now !== undefined; now = rest.shift()) {
                      for (const [name, given] of now.changes) holder.set(name, given)
                      if (now.next === "restart") return
                      if (now.next === "nothing") continue
                      assert.isTrue(yield* disk.persist(holder))
                      last = holder.images
                    }
                  }).pipe(asServer(dir))
                assert.deepStrictEqual((yield* found(dir)).images ?? {}, last)
                assert.deepStrictEqual((yield* found(dir)).trouble, [])
              }),
            ),
          ),
        ),
        { numRuns: 40 },
      ),
    ),
  )

  it.live(
    "S27 is the old state or the new one, at whatever call the server was killed, for real",
    () =>
      Effect.gen(function* () {
        const { folder, file } = yield* Effect.promise(() => bundled(join(import.meta.dirname, "../../lib/persistAndDie.ts")))
        yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(folder, { recursive: true })))
        const run = (dir: string, calls: number, what: string) =>
          spawnSync(process.execPath, [file, dir, String(calls), what], { encoding: "utf8" })
        const first = yield* scratch
        assert.strictEqual(run(first, 1000, "first").status, 0)
        const old = brief({ a: "old", b: "old", c: "old".repeat(1000) })
        const now = brief({ a: "new", c: "old".repeat(1000), d: "new".repeat(200_000) })
        /** Is what is found the new state, when the server was killed after so many calls? Null when it came to its end. */
        const isNewAfter = Effect.fnUntraced(function* (calls: number) {
          const dir = yield* scratch
          cpSync(first, dir, { recursive: true })
          const { signal, status, stdout } = run(dir, calls, "second")
          if (status !== 0) assert.strictEqual(signal, "SIGKILL")
          const { images = {}, trouble } = yield* found(dir)
          assert.include([old, now], brief(images), `${calls} calls`)
          assert.deepStrictEqual(trouble, [])
          return { isNew: brief(images) === now, calls: status === 0 ? (JSON.parse(stdout) as readonly unknown[]).length : undefined }
        })
        const whole = yield* isNewAfter(1000)
        assert.isTrue(whole.isNew)
        // Each call has its turn in the test before; here, where a process is what it costs, those that lead to the one that makes it new.
        let [low, high] = [0, whole.calls!]
        assert.isFalse((yield* isNewAfter(low)).isNew)
        while (high - low > 1) {
          const middle = Math.floor((low + high) / 2)
          if ((yield* isNewAfter(middle)).isNew) high = middle
          else low = middle
        }
        assert.isAbove(high, 6)
      }),
    // Eight processes, one after another, each of which loads Effect: on a machine that has other things to do that is minutes.
    300_000,
  )

  it.effect("S32 costs what changed: one of many variables is a small file, and files stay few and mostly of use", () =>
    Effect.gen(function* () {
      const dir = yield* scratch
      yield* Effect.gen(function* () {
        const disk = yield* stored()
        const holder = new Holder()
        for (let i = 0; i < 2000; i++) holder.set(`v${i}`, `image ${i}`)
        yield* disk.persist(holder)
        const whole = bytesOnDisk(dir)
        let written = 0
        for (let i = 0; i < 150; i++) {
          const before = new Set(segments(dir))
          yield* disk.persist(holder.set(`v${i % 7}`, `other ${i}`))
          for (const name of segments(dir)) if (!before.has(name)) written += statSync(join(dir, "sessions/main/embedded", name)).size
          assert.isAtMost(segments(dir).length, 8)
        }
        assert.isBelow(written / 150, whole / 20)
        for (let i = 0; i < 50; i++) {
          for (let j = 0; j < 80; j++) holder.set(`v${(i * 80 + j) % 2000}`, `third ${i}`)
          yield* disk.persist(holder)
          assert.isAtMost(bytesOnDisk(dir), 3 * whole)
        }
        for (let i = 1; i < 2000; i++) holder.set(`v${i}`, undefined)
        yield* disk.persist(holder)
        assert.isBelow(bytesOnDisk(dir), 1000)
        assert.deepStrictEqual((yield* disk.load("embedded"))!.held.variables.size, 1)
      }).pipe(asServer(dir))
    }),
  )

  it.effect("writes nothing when nothing changed, and nothing of a session that holds nothing", () =>
    Effect.gen(function* () {
      const dir = yield* scratch
      const faults = new Faults()
      yield* Effect.gen(function* () {
        const disk = yield* stored()
        assert.isTrue(yield* disk.persist(new Holder()))
        assert.deepStrictEqual(readdirSync(dir), ["lock"])
        const holder = new Holder().set("a", "1")
        assert.isTrue(yield* disk.persist(holder))
        const { length } = faults.calls
        assert.isTrue(yield* disk.persist(holder))
        assert.strictEqual(faults.calls.length, length)
      }).pipe(asServer(dir, faults))
    }),
  )

  it.effect("what could not be written is written the next time", () =>
    Effect.gen(function* () {
      const dir = yield* scratch
      const faults = new Faults()
      const holder = new Holder().set("a", "1")
      yield* Effect.gen(function* () {
        const disk = yield* stored()
        assert.isTrue(yield* disk.persist(holder))
        faults.failing.set("rename", "ENOSPC")
        assert.isFalse(yield* disk.persist(holder.set("b", "2")))
        faults.failing.clear()
        assert.isTrue(yield* disk.persist(holder.set("c", "3")))
      }).pipe(asServer(dir, faults))
      assert.deepStrictEqual((yield* found(dir)).images, { a: "1", b: "2", c: "3" })
    }),
  )

  it.effect("S28 what a later version wrote, or is damaged, is set aside whole, and the next persist begins anew", () =>
    Effect.gen(function* () {
      for (const [file, damage] of [
        ["state", (text: string) => text.replace("session 1", "session 2")],
        ["state", (text: string) => text.slice(0, 60)],
        ["values.1", (text: string) => text.replace("first", "worst")],
        ["values.1", undefined],
      ] as const) {
        const dir = yield* scratch
        const folder = join(dir, "sessions/main")
        const persist = (holder: Holder) => asServer(dir)(Effect.flatMap(stored(), (disk) => disk.persist(holder)))
        yield* persist(new Holder().set("a", "first"))
        const path = join(folder, "embedded", file)
        if (damage === undefined) rmSync(path)
        else writeFileSync(path, damage(readFileSync(path, "utf8")))
        const before = readdirSync(join(folder, "embedded")).toSorted()
        const { images, trouble } = yield* found(dir)
        assert.isUndefined(images)
        assert.strictEqual(trouble.length, 1)
        assert.match(trouble[0]!, /embedded (cannot be used|lacks a part).*put aside as embedded\.damaged-/)
        const aside = readdirSync(folder).find((name) => name.startsWith("embedded.damaged-"))!
        assert.deepStrictEqual(readdirSync(join(folder, aside)).toSorted(), before)
        yield* persist(new Holder().set("a", "second"))
        assert.deepStrictEqual((yield* found(dir)).images, { a: "second" })
      }
    }),
  )

  it.effect("keeps engines apart, and names what the other one holds when that was the last to be written", () =>
    Effect.gen(function* () {
      const dir = yield* scratch
      const persist = (holder: Holder) => asServer(dir)(Effect.flatMap(stored(), (disk) => disk.persist(holder)))
      const many = new Holder("k3csharp")
      for (let i = 0; i < 60; i++) many.set(`v${i}`, "1")
      yield* persist(many)
      const first = (yield* found(dir)).returned!
      assert.strictEqual(first.lost.length, 51)
      assert.include(first.lost[0]!.why, "k3csharp made it")
      assert.strictEqual(first.lost[50]!.path, "10 more")
      assert.strictEqual((yield* found(dir, "k3csharp")).returned!.held.variables.size, 60)
    }),
  )

  it.effect("S31 two stores of one name take turns, and only the later one writes: a session that was closed does not come back", () =>
    Effect.gen(function* () {
      const dir = yield* scratch
      yield* Effect.gen(function* () {
        for (let i = 0; i < 20; i++) {
          const before = yield* stored()
          yield* before.persist(new Holder().set("a", `old ${i}`).set("b", "old"))
          const after = yield* stored()
          yield* Effect.all([before.persist(new Holder().set("a", `late ${i}`)), after.forget], { concurrency: "unbounded" })
          assert.deepStrictEqual(readdirSync(join(dir, "sessions/main")), [], `round ${i}`)
          assert.isFalse(yield* before.persist(new Holder().set("a", "later")))
          assert.isTrue(yield* after.persist(new Holder().set("a", "new")))
          assert.isFalse(yield* before.persist(new Holder().set("a", "later")))
          assert.deepStrictEqual(imagesOf((yield* after.load("embedded"))!.held.variables), { a: "new" })
        }
      }).pipe(asServer(dir))
    }),
  )
})
