/** One session on disk: what is written when how much changed, and what is found after an end at every step of it. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { spawnSync } from "node:child_process"
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { StateFolder } from "../../../src/store/folder/StateFolder.ts"
import { Store } from "../../../src/store/Store.ts"
import { bundled } from "../../lib/bundled.ts"
import { Faults } from "../../lib/faultyFileSystem.ts"
import { Holder, imagesOf } from "../../lib/holder.ts"
import { asServer, scratch } from "../../lib/stateFolder.ts"

/** In one line, short enough to be shown. */
const brief = (images: Record<string, string>): string =>
  Object.entries(images)
    .map(([name, image]) => `${name}=${image.slice(0, 3)}${image.length}`)
    .toSorted()
    .join(" ")

const stored = Store.use((store) => store.workspace("main", "/here"))

/** What a new server finds. */
const found = (dir: string) =>
  asServer(dir)(
    Effect.gen(function* () {
      const returned = yield* Effect.flatMap(stored, ({ load }) => load("embedded"))
      return {
        trouble: yield* StateFolder.use(({ trouble }) => trouble),
        returned,
        images: returned && imagesOf(returned.held.variables),
      }
    }),
  )

describe("a session on disk", () => {
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

  it.effect("writes nothing when nothing changed, and nothing of a session that holds nothing", () =>
    Effect.gen(function* () {
      const dir = yield* scratch
      const faults = new Faults()
      yield* Effect.gen(function* () {
        const disk = yield* stored
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
        const disk = yield* stored
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
        const persist = (holder: Holder) => asServer(dir)(Effect.flatMap(stored, (disk) => disk.persist(holder)))
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
})
