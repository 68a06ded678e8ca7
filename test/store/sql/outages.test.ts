/** A database that restarts, ends connections, is full, or is not there: what was acknowledged stays, and the rest is told. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import * as Schedule from "effect/Schedule"
import { execFile } from "node:child_process"
import { rmSync } from "node:fs"
import { join } from "node:path"
import { inspect, promisify } from "node:util"
import * as epochs from "../../../src/store/sql/epochs.ts"
import { Store, type WorkspaceStore } from "../../../src/store/Store.ts"
import { bundled } from "../../lib/bundled.ts"
import { CuttingProxy } from "../../lib/cuttingProxy.ts"
import { Holder, imagesOf, variable } from "../../lib/holder.ts"
import { isInstalled, orSkipped } from "../../lib/postgres.ts"
import { asMachine, withPostgres } from "../../lib/sqlStore.ts"
import { until } from "../../lib/waiting.ts"

const postgres = withPostgres("max_connections=20")
let spaces = 0
const fresh = (given: { readonly url?: string; readonly quota?: number } = {}) =>
  asMachine({ url: postgres().url, space: `outages ${spaces++}`, ...given })

const stored = Store.use((store) => store.workspace("main", "/here"))
const takeTrouble = Store.use((store) => Effect.sync(() => store.takeTrouble().join("\n")))
const trouble = Store.use((store) => store.trouble)
const run = (sql: string) => Effect.promise(() => postgres().run(sql))
const end = (how?: "immediate") => Effect.promise(() => postgres().end(how))
const begin = Effect.promise(() => postgres().begin())
/** What it reads back; a persist goes on from there. */
const images = (kept: WorkspaceStore) => Effect.map(kept.load("embedded"), (returned) => returned && imagesOf(returned.held.variables))
const found = Effect.flatMap(stored, images)
const snapshot = {
  ...({ name: "baseline", at: 1, generation: 1, engine: "embedded", build: null, settings: undefined } as const),
  variables: new Map([[".k.a", variable("a", "1")]]),
}

describe.skipIf(!isInstalled)(`the database${orSkipped}`, () => {
  it.live("O4 restarts and crashes between writes and during them: each write is there once it is acknowledged", () =>
    Effect.gen(function* () {
      const kept = yield* stored
      const { append, lines } = yield* Store.use((store) => Effect.succeed(store.history("main")))
      const holder = new Holder()
      let written = 0
      let isOver = false
      const writing = yield* Effect.forkChild(
        Effect.gen(function* () {
          for (; !isOver; written++) {
            assert.isTrue(yield* kept.persist(holder.set(`v${written % 5}`, `${written}`)))
            assert.isTrue(yield* append(1, [JSON.stringify({ n: written })]))
          }
        }),
      )
      for (let i = 0; i < 4; i++) {
        const before = written
        yield* until(Effect.sync(() => written >= before + 3 || writing.pollUnsafe() !== undefined))
        yield* end(i % 2 === 0 ? "immediate" : undefined)
        yield* begin
      }
      isOver = true
      yield* Fiber.join(writing)
      assert.deepStrictEqual(imagesOf((yield* kept.load("embedded"))!.held.variables), holder.images)
      assert.deepStrictEqual(
        (yield* lines(1)).map((line) => JSON.parse(line).n),
        Array.from({ length: written }, (_, n) => n),
      )
      assert.strictEqual(yield* takeTrouble, "")
    }).pipe(fresh()),
  )

  it.live("O4 connections that are cut are opened again", () =>
    Effect.gen(function* () {
      const cut = run("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = 'k3-mcp'")
      yield* Effect.gen(function* () {
        const kept = yield* stored
        const holder = new Holder()
        for (let i = 0; i < 10; i++) {
          const writing = yield* Effect.forkChild(kept.persist(holder.set("a", `${i}`).set("b", "x".repeat(i * 500_000))))
          yield* cut
          assert.isTrue(yield* Fiber.join(writing))
          yield* cut
          assert.deepStrictEqual(yield* images(kept), holder.images)
        }
        assert.deepStrictEqual(yield* trouble, [])
      }).pipe(fresh())
    }),
  )

  it.live("O4 a commit of which no answer comes back is done once: no line twice, no document that is in its own way", () =>
    Effect.gen(function* () {
      const proxy = yield* Effect.promise(() => CuttingProxy.before(postgres().port))
      const url = postgres().url.replace(String(postgres().port), String(proxy.port))
      yield* Effect.gen(function* () {
        const store = yield* Store
        const kept = yield* stored
        const cut = <A>(effect: Effect.Effect<A>) =>
          Effect.suspend(() => {
            proxy.cuts = 1
            return Effect.tap(effect, () => Effect.sync(() => assert.strictEqual(proxy.cuts, 0)))
          })
        const holder = new Holder()
        for (let i = 1; i <= 3; i++) {
          assert.isTrue(yield* cut(kept.persist(holder.set("a", `${i}`).set("b", "x".repeat(i * 100_000)))))
          assert.isTrue(yield* cut(store.history("main").append(1, [`{"n":${i}}`, "x".repeat(600_000)])))
          assert.isTrue(yield* cut(store.documents.definitions.save("mean", [`${i}`])))
          assert.isTrue(yield* cut(store.snapshots("main").save(snapshot)))
        }
        assert.strictEqual((yield* store.history("main").lines(1)).length, 6)
        assert.deepStrictEqual(yield* store.documents.definitions.load("mean"), ["3"])
        assert.deepStrictEqual(imagesOf((yield* kept.load("embedded"))!.held.variables), holder.images)
        const counted = yield* run(
          "SELECT sum(bytes) FROM (SELECT bytes FROM k3_sessions UNION ALL SELECT bytes FROM k3_spaces) AS all_of_them",
        )
        assert.strictEqual(counted, yield* run("SELECT sum(octet_length(content)) FROM k3_contents"))
      }).pipe(fresh({ url }))
      yield* Effect.promise(() => proxy.close())
    }),
  )

  it.live(
    "O5 that stays away is waited for within a bound, once; what is not written is written when it is back, and nothing is lost",
    () =>
      Effect.gen(function* () {
        const store = yield* Store
        const kept = yield* stored
        const holder = new Holder()
        assert.isTrue(yield* kept.persist(holder.set("a", "1")))
        yield* end()
        assert.isFalse(yield* kept.persist(holder.set("b", "2")))
        const said = yield* takeTrouble
        assert.match(
          said,
          /^Session main cannot be written: the database of the test is the store, and it cannot be reached: ECONNREFUSED\. Work goes on/,
        )
        // From now on nobody waits: a hundred operations would take minutes.
        for (let i = 0; i < 100; i++) {
          assert.isFalse(yield* store.available)
          assert.deepStrictEqual(yield* store.sessions, [])
          assert.isFalse(yield* kept.persist(holder.set("c", `${i}`)))
        }
        assert.strictEqual((yield* trouble).length, 2)
        yield* begin
        assert.isTrue(yield* kept.persist(holder))
        assert.deepStrictEqual(yield* trouble, [])
        assert.deepStrictEqual(yield* found, { a: "1", b: "2", c: "99" })
      }).pipe(fresh()),
  )

  it.live("O5 that stands still is given up after a bound, also by those who are interrupted, and goes on where it was", () =>
    Effect.gen(function* () {
      const store = yield* Store
      const kept = yield* stored
      const holder = new Holder()
      assert.isTrue(yield* kept.persist(holder.set("a", "1")))
      const goOn = Effect.sync(() => postgres().goOn())
      yield* Effect.gen(function* () {
        yield* Effect.acquireRelease(
          Effect.sync(() => postgres().standStill()),
          () => goOn,
        )
        assert.isFalse(yield* kept.persist(holder.set("a", "2").set("b", "2")))
        assert.match(yield* takeTrouble, /Session main cannot be written: .* it took too long/)
        yield* Fiber.interrupt(yield* Effect.forkChild(store.sessions))
      }).pipe(Effect.scoped)
      assert.isTrue(yield* kept.persist(holder.set("c", "3")))
      assert.deepStrictEqual(yield* trouble, [])
      assert.deepStrictEqual(yield* images(kept), { a: "2", b: "2", c: "3" })
    }).pipe(fresh()),
  )

  it.live("O5 that goes while a session is read does not make it an empty one: it is not written over until it was read", () =>
    Effect.gen(function* () {
      const proxy = yield* Effect.promise(() => CuttingProxy.before(postgres().port))
      yield* Effect.gen(function* () {
        const kept = yield* stored
        assert.isTrue(yield* kept.persist(new Holder().set("a", "first")))
        proxy.refused = "embedded.1"
        assert.isUndefined(yield* kept.load("embedded"))
        proxy.refused = undefined
        assert.match(yield* takeTrouble, /^Session main cannot be read: .* it cannot be reached/)
        assert.isFalse(yield* kept.persist(new Holder().set("a", "late")))
        assert.match(
          yield* takeTrouble,
          /What is stored of session main could not be read, so it began without that\. .* with k_session fork\./,
        )
        assert.deepStrictEqual(yield* images(kept), { a: "first" })
        assert.isTrue(yield* kept.persist(new Holder().set("b", "second")))
        assert.deepStrictEqual(yield* trouble, [])
        const later = yield* stored
        proxy.refused = "state"
        assert.isUndefined(yield* later.load("embedded"))
        proxy.refused = undefined
        assert.isFalse(yield* later.persist(new Holder().set("a", "late")))
        assert.deepStrictEqual(yield* images(later), { b: "second" })
      }).pipe(fresh({ url: postgres().url.replace(String(postgres().port), String(proxy.port)) }))
      yield* Effect.promise(() => proxy.close())
    }),
  )

  it.live("O5 that is full, or read only, says so in words, and works again when it is not", () =>
    Effect.gen(function* () {
      const kept = yield* stored
      const holder = new Holder()
      assert.isTrue(yield* kept.persist(holder.set("a", "1")))
      yield* run("CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE SQLSTATE '53100'; END $$")
      yield* run("CREATE TRIGGER full_disk BEFORE INSERT ON k3_contents EXECUTE FUNCTION full_disk()")
      assert.isFalse(yield* kept.persist(holder.set("b", "2")))
      assert.match(yield* takeTrouble, /^Session main cannot be written: .* no space left on its disk\. Work goes on/)
      assert.deepStrictEqual(yield* images(kept), { a: "1" })
      // A read that succeeds does not end the problem.
      assert.match((yield* trouble).join(), /^Session main cannot be written: .* no space left on its disk/)
      yield* run("DROP FUNCTION full_disk CASCADE")
      // Neither does a write of something else: there may be room for that alone.
      assert.isTrue(yield* Store.use((store) => store.history("main").append(1, [JSON.stringify({ n: 1 })])))
      assert.match((yield* trouble).join(), /^Session main cannot be written: .* no space left on its disk/)
      assert.isTrue(yield* kept.persist(holder.set("c", "3")))
      assert.deepStrictEqual(yield* trouble, [])
      yield* run("ALTER ROLE k3 SET default_transaction_read_only = on")
      yield* end()
      yield* begin
      // A machine that has nothing to write finds it, too.
      assert.isTrue(yield* Store.use((store) => store.available))
      assert.match((yield* trouble).join(), /^What is kept cannot be written: .* it is read only, as a standby is/)
      assert.isFalse(yield* kept.persist(holder.set("d", "4")))
      assert.match(yield* takeTrouble, /it is read only, as a standby is/)
      yield* run("BEGIN READ WRITE; ALTER ROLE k3 RESET default_transaction_read_only; COMMIT")
      yield* end()
      yield* begin
      assert.isTrue(yield* Store.use((store) => store.available))
      assert.deepStrictEqual(yield* trouble, [])
      assert.isTrue(yield* kept.persist(holder))
      assert.deepStrictEqual(yield* found, { a: "1", b: "2", c: "3", d: "4" })
    }).pipe(fresh()),
  )

  it.live(
    "O6 a principal's bytes have an end, of all its sessions, snapshots, histories and documents together, and what goes makes room",
    () =>
      Effect.gen(function* () {
        const other = fresh()
        yield* Effect.gen(function* () {
          const store = yield* Store
          const kept = yield* stored
          const text = "x".repeat(40_000)
          const holder = new Holder().set("a", text)
          assert.isTrue(yield* kept.persist(holder))
          assert.isTrue(yield* store.history("main").append(1, [text]))
          assert.isFalse(yield* kept.persist(holder.set("b", text)))
          assert.match(
            yield* takeTrouble,
            /^Session main cannot be written: 8\d{4} bytes of the 100000 that are kept of one principal are used up\. Remove/,
          )
          assert.isFalse(yield* store.documents.definitions.save("mean", [text]))
          assert.isFalse(yield* store.snapshots("main").save({ ...snapshot, variables: new Map([[".k.a", variable("a", text)]]) }))
          assert.isFalse(yield* store.history("main").append(1, [text]))
          assert.deepStrictEqual(yield* images(kept), { a: text })
          assert.isTrue(yield* store.documents.definitions.save("mean", ["small"]))
          assert.isTrue(yield* store.history("main").remove(1))
          assert.isTrue(yield* kept.persist(holder))
          // There is no room for the snapshot yet.
          assert.match((yield* trouble).join(), /of the 100000 that are kept of one principal are used up/)
          assert.isTrue(yield* store.snapshots("main").remove("baseline"))
          assert.deepStrictEqual(yield* trouble, [])
          // Smaller is always allowed.
          assert.isTrue(yield* kept.persist(holder.set("a", undefined)))
        }).pipe(fresh({ quota: 100_000 }))
        yield* other(Effect.flatMap(stored, (kept) => Effect.map(kept.persist(new Holder().set("a", "x".repeat(200_000))), assert.isTrue)))
      }),
  )

  for (const how of ["is closed", "another machine has"])
    it.live(`O6 what was refused of a session that ${how} is no problem any more`, () => {
      const space = `outages ${spaces++}`
      return Effect.gen(function* () {
        const store = yield* Store
        const variables = new Map([[".k.a", variable("a", "x".repeat(2000))]])
        assert.isFalse(yield* store.snapshots("main").save({ ...snapshot, variables }))
        assert.match((yield* trouble).join(), /^Snapshot baseline of session main cannot be written: .* are used up/)
        if (how === "is closed") assert.isTrue(yield* store.snapshots("main").clear)
        else {
          yield* epochs.raise(space, "main", "two")
          assert.isFalse(yield* store.history("main").append(1, ["late"]))
        }
        assert.isTrue(yield* store.documents.definitions.save("mean", ["small"]))
        assert.notInclude((yield* trouble).join(), "are used up")
      }).pipe(asMachine({ url: postgres().url, space, quota: 1000 }))
    })

  it.live("O7 the tables are made once, by four processes that start at once, and by none that starts later", () =>
    Effect.gen(function* () {
      yield* run("CREATE DATABASE migrated")
      const url = postgres().url.replace(/postgres$/, "migrated")
      const { folder, file } = yield* Effect.promise(() => bundled(join(import.meta.dirname, "../../lib/migrate.ts")))
      const start = () => promisify(execFile)(process.execPath, [file], { env: { ...process.env, DATABASE_URL: url } })
      yield* Effect.promise(() => Promise.all([start(), start(), start(), start()]))
      yield* Effect.promise(start)
      rmSync(folder, { recursive: true })
      const made = Effect.promise(() => postgres().run("SELECT migration_id, name FROM k3_migrations ORDER BY 1", "migrated"))
      assert.strictEqual(yield* made, "1|tables\n2|contained")
      const server = asMachine({ url, space: "migrated" })
      assert.isTrue(yield* server(Effect.flatMap(stored, (kept) => kept.persist(new Holder().set("a", "1")))))
    }),
  )

  it.live("O8 a value of 100 MB lies in rows of bounded size and comes back", () =>
    Effect.gen(function* () {
      const server = fresh()
      const image = Array.from({ length: 1000 }, (_, i) => String(i).padStart(4, "0").repeat(25_000)).join("")
      assert.strictEqual(image.length, 1e8)
      const persist = Effect.flatMap(stored, (kept) => kept.persist(new Holder().set("a", image)))
      // On an overloaded machine a write may end as in an outage; the server tries it again then.
      yield* server(Effect.repeat(persist, { until: (written) => written, schedule: Schedule.spaced(100) }))
      assert.strictEqual(yield* run("SELECT max(octet_length(content)) FROM k3_contents"), String(512 * 1024))
      const back = yield* server(found)
      assert.isTrue(back?.["a"] === image)
    }),
  )

  it.live("O9 no message, log or error has the password or the user", () =>
    Effect.gen(function* () {
      const said: string[] = []
      const log = Logger.make(({ message, cause }) => {
        said.push(inspect([message, cause], { depth: 20 }))
      })
      const { url, password, port } = postgres()
      const secret = `s3cret-${password}`
      for (const address of [
        url.replace("k3:", "somebody:"),
        url.replace(password, secret),
        url.replace(String(port), "1"),
        url.replace(/postgres$/, "nowhere"),
      ]) {
        const server = asMachine({ url: address, space: "secrets", owns: [] })
        yield* Effect.gen(function* () {
          const store = yield* Store
          assert.isFalse(yield* store.available)
          assert.deepStrictEqual(yield* store.sessions, [])
          assert.isFalse(yield* store.documents.definitions.save("mean", ["x"]))
          const error = yield* Effect.flip(epochs.raise("a", "b", "c"))
          said.push(String(error), JSON.stringify(error), ...(yield* store.trouble), yield* takeTrouble)
          assert.match((yield* store.trouble).join(), /refuses the (?:user|password)|cannot be reached|there is no such database/)
        }).pipe(server, Effect.provide(Logger.layer([log])))
      }
      const all = said.join("\n")
      assert.isAbove(all.length, 500)
      for (const hidden of [password, secret, "somebody", "k3:"]) assert.notInclude(all, hidden)
      const shown = yield* run("SELECT string_agg(query || application_name, '') FROM pg_stat_activity")
      assert.notInclude(shown, password)
    }),
  )
})
