/** S29 a lock of the state folder that is refused late. */
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import * as TestClock from "effect/testing/TestClock"
import { Lock } from "../../../src/store/folder/Lock.ts"
import { StateFolder } from "../../../src/store/folder/StateFolder.ts"
import { Faults } from "../../lib/faultyFileSystem.ts"
import { scratch, stateFolder } from "../../lib/stateFolder.ts"

it.effect("S29 a use that comes after a late refusal of the lock does not wait for another one; the lock is tried again", () =>
  Effect.gen(function* () {
    const tries = yield* Queue.unbounded<void>()
    const slow = Layer.succeed(Lock, {
      take: () => Effect.andThen(Queue.offer(tries, undefined), Effect.as(Effect.sleep("5 seconds"), { why: "it is late", remedy: "" })),
    })
    yield* Effect.gen(function* () {
      const folder = yield* StateFolder
      const first = yield* Effect.forkChild(folder.list("sessions"))
      yield* Queue.take(tries)
      yield* TestClock.adjust("5 seconds")
      yield* Fiber.join(first)
      for (const elapsed of [0, 1, 5, 10]) {
        yield* TestClock.adjust(`${elapsed} seconds`)
        // Ends without a step of the clock.
        yield* folder.list("sessions")
      }
      assert.strictEqual(yield* Queue.size(tries), 0)
      yield* TestClock.adjust("15 seconds")
      yield* Queue.take(tries)
      // The end of the server waits for the attempt.
      yield* TestClock.adjust("5 seconds")
    }).pipe(Effect.provide(stateFolder(yield* scratch, new Faults(), slow)), Effect.scoped)
  }),
)
