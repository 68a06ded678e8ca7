/** How long an attempt on the database may take, and how often it is tried. */
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { ConnectionError, SqlError } from "effect/sql/SqlError"
import * as TestClock from "effect/testing/TestClock"
import { makeTrying, progressed, within } from "../../../src/store/sql/outage.ts"

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

it.effect("O5 after an operation that failed each is tried once, until the database answers", () =>
  Effect.gen(function* () {
    let attempts = 0
    let isAway = true
    const operation = Effect.suspend(() => {
      attempts++
      return isAway ? Effect.fail(new SqlError({ reason: new ConnectionError({ cause: { code: "ECONNREFUSED" } }) })) : Effect.void
    })
    const trying = makeTrying()
    const first = yield* Effect.forkChild(Effect.flip(trying(operation)))
    yield* TestClock.adjust("10 seconds")
    yield* Fiber.join(first)
    assert.isAbove(attempts, 5)
    attempts = 0
    yield* Effect.flip(trying(operation))
    assert.strictEqual(attempts, 1)
    isAway = false
    yield* trying(operation)
    isAway = true
    attempts = 0
    const patient = yield* Effect.forkChild(Effect.flip(trying(operation)))
    yield* TestClock.adjust("10 seconds")
    yield* Fiber.join(patient)
    assert.isAbove(attempts, 5)
  }),
)
