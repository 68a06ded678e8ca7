/** How long an attempt on the database may take. */
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { progressed, within } from "../../../src/store/sql/outage.ts"

const step = Effect.andThen(Effect.sleep("15 seconds"), progressed)

it.effect("O8 an attempt takes as long as it makes progress", () =>
  Effect.gen(function* () {
    const writing = yield* Effect.forkChild(within(Effect.as(Effect.repeat(step, { times: 9 }), "written")))
    yield* TestClock.adjust("150 seconds")
    assert.strictEqual(yield* Fiber.join(writing), "written")
  }),
)

it.effect("O8 an attempt that makes no progress for 20 s has ended after 40 s, and one that makes none at all after 20 s", () =>
  Effect.gen(function* () {
    const halfway = yield* Effect.forkChild(Effect.flip(within(Effect.andThen(step, Effect.never))))
    const never = yield* Effect.forkChild(Effect.flip(within(Effect.never)))
    yield* TestClock.adjust("20 seconds")
    assert.strictEqual((yield* Fiber.join(never)).reason._tag, "UnknownError")
    assert.isUndefined(halfway.pollUnsafe())
    yield* TestClock.adjust("20 seconds")
    assert.strictEqual((yield* Fiber.join(halfway)).reason._tag, "UnknownError")
  }),
)
