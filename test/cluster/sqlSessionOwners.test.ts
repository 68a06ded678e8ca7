/** X5: the owners of sessions while the database is away. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { createServer, type AddressInfo } from "node:net"
import { migrateCluster } from "../../src/cluster/sqlCluster.ts"
import { SessionOwners } from "../../src/cluster/SessionOwners.ts"
import * as sqlSessionOwners from "../../src/cluster/sqlSessionOwners.ts"
import { freePort, isInstalled, orSkipped } from "../lib/postgres.ts"
import { client, withPostgres } from "../lib/sqlStore.ts"

it.live(
  "X5 a machine that is told to end while it takes a session does not wait for a database that is away",
  () =>
    Effect.gen(function* () {
      const nobody = yield* Effect.promise(freePort)
      const owners = Layer.provide(sqlSessionOwners.layer("one"), client(`postgres://k3:k3@127.0.0.1:${nobody}/k3`))
      // Effect Cluster begins an entity so that nothing interrupts it.
      const taking = yield* Effect.forkChild(
        Effect.uninterruptible(
          Effect.provide(
            Effect.flatMap(SessionOwners, ({ raise }) => raise("anna", "main")),
            owners,
          ),
        ),
      )
      yield* Effect.sleep("500 millis")
      const ended = yield* Effect.timeoutOption(Fiber.interrupt(taking), "15 seconds")
      assert.strictEqual(ended._tag, "Some")
    }),
  30_000,
)

it.live(
  "X5 while the database is away, only the first question for the owners is asked again",
  () =>
    Effect.gen(function* () {
      let connections = 0
      const away = createServer((socket) => {
        connections++
        socket.destroy()
      })
      yield* Effect.promise(() => new Promise<void>((resolve) => away.listen(0, "127.0.0.1", resolve)))
      yield* Effect.addFinalizer(() => Effect.sync(() => away.close()))
      const { port } = away.address() as AddressInfo
      const owners = Layer.provide(sqlSessionOwners.layer("one"), client(`postgres://k3:k3@127.0.0.1:${port}/k3`))
      const ask = Effect.gen(function* () {
        const before = connections
        assert.deepStrictEqual(yield* Effect.flatMap(SessionOwners, ({ of }) => of("anna")), [])
        return connections - before
      })
      const [first, second] = yield* Effect.provide(Effect.all([ask, ask]), owners)
      assert.isAbove(first, 3)
      assert.isAtMost(second, 2)
    }),
  30_000,
)

describe.skipIf(!isInstalled)(`marks of ephemeral sessions${orSkipped}`, () => {
  const postgres = withPostgres()

  it.live("X10 a machine that takes a session while the last owner still marks it, or removes its mark, sees the mark as it stays", () =>
    Effect.gen(function* () {
      const { url } = postgres()
      const run = (sql: string) => Effect.promise(() => postgres().run(sql))
      yield* Effect.provide(migrateCluster, client(url))
      yield* run(`CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(1); RETURN COALESCE(NEW, OLD); END $$;
        CREATE TRIGGER slow BEFORE INSERT OR DELETE ON k3_ephemeral FOR EACH ROW EXECUTE FUNCTION slow()`)
      const as = <A>(machine: string, work: (owners: SessionOwners["Service"]) => Effect.Effect<A>) =>
        Effect.provide(Effect.flatMap(SessionOwners, work), Layer.provide(sqlSessionOwners.layer(machine), client(url)))
      for (const is of [true, false]) {
        const { epoch } = yield* as("one", ({ raise }) => raise("anna", "main"))
        const marking = yield* Effect.forkChild(as("one", ({ setEphemeral }) => setEphemeral("anna", "main", epoch, is)))
        yield* Effect.sleep("500 millis")
        const { isMarked } = yield* as("two", ({ raise }) => raise("anna", "main"))
        yield* Fiber.join(marking)
        assert.strictEqual(isMarked, (yield* run("SELECT session FROM k3_ephemeral")) !== "")
      }
    }),
  )
})
