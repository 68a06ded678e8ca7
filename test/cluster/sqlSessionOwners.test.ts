/** X5: the owners of sessions while the database is away. */
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { SessionOwners } from "../../src/cluster/SessionOwners.ts"
import * as sqlSessionOwners from "../../src/cluster/sqlSessionOwners.ts"
import { freePort } from "../lib/postgres.ts"
import { client } from "../lib/sqlStore.ts"

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
