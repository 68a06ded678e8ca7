/** One session on disk: the writes for a change, and the state after an end of the server at every step. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { TestClock } from "effect/testing"
import { spawnSync } from "node:child_process"
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { StateFolder } from "../../../src/store/folder/StateFolder.ts"
import { Store } from "../../../src/store/Store.ts"
import { bundled } from "../../lib/bundled.ts"
import { Faults } from "../../lib/faultyFileSystem.ts"
import { Holder, imagesOf } from "../../lib/holder.ts"
import { asServer, scratch } from "../../lib/stateFolder.ts"

/** The session in one short line. */
const brief = (images: Record<string, string>): string =>
  Object.entries(images)
    .map(([name, image]) => `${name}=${image.slice(0, 3)}${image.length}`)
    .toSorted()
    .join(" ")

const stored = Store.use((store) => store.workspace("main", "/here"))

/** The session as a new server loads it. */
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
    "S27 is the old state or the new one, whichever call the server was really killed at",
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
        /** Kills a server after this many calls. `isNew`: whether a new server finds the new state. `calls`: all its calls, if it was not killed. */
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
        // The test before tries each call. Here each try costs a process, so the test searches for the call that makes the state new.
        let [low, high] = [0, whole.calls!]
        assert.isFalse((yield* isNewAfter(low)).isNew)
        while (high - low > 1) {
          const middle = Math.floor((low + high) / 2)
          if ((yield* isNewAfter(middle)).isNew) high = middle
          else low = middle
        }
        assert.isAbove(high, 6)
      }),
    // Eight processes in sequence, each of which loads Effect: on a busy machine that takes minutes.
    300_000,
  )

  it.effect("writes nothing when nothing changed, and nothing for an empty session", () =>
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

  it.effect("variables that could not be written are written the next time", () =>
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

  it.effect("S28 the folder of another state in the place of a session's own is set aside, and the whole session is written", () =>
    Effect.gen(function* () {
      const [dir, other] = [yield* scratch, yield* scratch]
      yield* asServer(other)(Effect.flatMap(stored, (disk) => disk.persist(new Holder().set("x", "other"))))
      const trouble = yield* Effect.gen(function* () {
        yield* TestClock.adjust("1 second")
        const disk = yield* stored
        const holder = new Holder().set("a", "1").set("b", "2")
        assert.isTrue(yield* disk.persist(holder))
        // Both have a segment 1.
        rmSync(join(dir, "sessions"), { recursive: true })
        cpSync(join(other, "sessions"), join(dir, "sessions"), { recursive: true })
        assert.isTrue(yield* disk.persist(holder.set("c", "3")))
        assert.isTrue(yield* disk.persist(holder.set("d", "4")))
        return yield* StateFolder.use((folder) => folder.trouble)
      }).pipe(asServer(dir))
      assert.match(
        trouble.join("|"),
        /^[^|]*embedded has another state than its session read or wrote last\. It was put aside as embedded\.damaged-[^|]*$/,
      )
      assert.deepStrictEqual((yield* found(dir)).images, { a: "1", b: "2", c: "3", d: "4" })
    }),
  )

  it.effect("S28 the folder of a state that was put there before the first write of a session is set aside too", () =>
    Effect.gen(function* () {
      const [dir, other] = [yield* scratch, yield* scratch]
      yield* asServer(other)(Effect.flatMap(stored, (disk) => disk.persist(new Holder().set("x", "other"))))
      const trouble = yield* Effect.gen(function* () {
        const disk = yield* stored
        assert.isUndefined(yield* disk.load("embedded"))
        cpSync(join(other, "sessions"), join(dir, "sessions"), { recursive: true })
        assert.isTrue(yield* disk.persist(new Holder().set("a", "1")))
        return yield* StateFolder.use((folder) => folder.trouble)
      }).pipe(asServer(dir))
      assert.match(
        trouble.join("|"),
        /^[^|]*embedded has another state than its session read or wrote last\. It was put aside as embedded\.damaged-[^|]*$/,
      )
      assert.deepStrictEqual((yield* found(dir)).images, { a: "1" })
    }),
  )

  it.effect("S28 nothing is written over the folder of another state that cannot be set aside", () =>
    Effect.gen(function* () {
      const [dir, other] = [yield* scratch, yield* scratch]
      yield* asServer(other)(Effect.flatMap(stored, (disk) => disk.persist(new Holder().set("x", "other"))))
      const faults = new Faults()
      yield* Effect.gen(function* () {
        yield* TestClock.adjust("1 second")
        const disk = yield* stored
        const holder = new Holder().set("a", "1")
        assert.isTrue(yield* disk.persist(holder))
        rmSync(join(dir, "sessions"), { recursive: true })
        cpSync(join(other, "sessions"), join(dir, "sessions"), { recursive: true })
        faults.failing.set(`rename ${join(dir, "sessions/main/embedded")}`, "EACCES")
        assert.isFalse(yield* disk.persist(holder.set("b", "2")))
        assert.match((yield* StateFolder.use((folder) => folder.trouble)).join("|"), /^[^|]*cannot be put aside[^|]*$/)
        assert.deepStrictEqual(readdirSync(join(dir, "sessions/main/embedded")), ["state", "values.1"])
        faults.failing.clear()
        assert.isTrue(yield* disk.persist(holder.set("c", "3")))
      }).pipe(asServer(dir, faults))
      assert.deepStrictEqual((yield* found(dir)).images, { a: "1", b: "2", c: "3" })
    }),
  )

  it.effect("S30 the state of a write that failed after it had taken the place of the earlier one is the server's own", () =>
    Effect.gen(function* () {
      const later = TestClock.adjust("1 second")
      let isWhole = false
      for (let calls = 0; !isWhole; calls++) {
        const dir = yield* scratch
        const faults = new Faults()
        yield* Effect.gen(function* () {
          const disk = yield* stored
          const holder = new Holder().set("a", "1")
          assert.isTrue(yield* disk.persist(holder))
          yield* later
          faults.left = calls
          isWhole = yield* disk.persist(holder.set("b", "2"))
          faults.left = Number.POSITIVE_INFINITY
          yield* later
          assert.isTrue(yield* disk.persist(holder.set("c", "3")))
          assert.notMatch((yield* StateFolder.use((folder) => folder.trouble)).join("|"), /put aside/, `${calls} calls`)
        }).pipe(asServer(dir, faults))
        assert.deepStrictEqual((yield* found(dir)).images, { a: "1", b: "2", c: "3" })
      }
    }),
  )

  it.effect("S28 a session of a later version, or a damaged one, is set aside whole, and the next persist begins anew", () =>
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
