/** N16: places for the evaluations of one principal. */
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { TestClock } from "effect/testing"
import { Machine } from "../../src/child/Machine.ts"
import { Announce } from "../../src/session/Announce.ts"
import { EvaluationPlaces } from "../../src/session/EvaluationPlaces.ts"
import { Settings } from "../../src/Settings.ts"
import { until } from "../lib/waiting.ts"
import { settings } from "../lib/sessionLayers.ts"

const layer = (isHosted: boolean) =>
  Layer.provide(EvaluationPlaces.layer, [
    Layer.succeed(Settings, { ...settings(), isHosted }),
    Layer.succeed(Machine, { processors: 2 } as Machine["Service"]),
  ])

/** Evaluations that run until they are released, and the reasons of their waits, as told and as announced. */
const flood = Effect.gen(function* () {
  const places = yield* EvaluationPlaces
  const begun: number[] = []
  const waits: (string | undefined)[] = []
  const announced: (string | undefined)[] = []
  const begin = (n: number) =>
    Effect.gen(function* () {
      const end = yield* Deferred.make<void>()
      const work = Effect.andThen(
        Effect.sync(() => begun.push(n)),
        Deferred.await(end),
      )
      const fiber = yield* Effect.forkChild(
        Effect.provideService(
          places.within(work, (what) => void waits.push(what)),
          Announce,
          (what) => void announced.push(what),
        ),
        { startImmediately: true },
      )
      return { end: Deferred.succeed(end, undefined), fiber }
    })
  return { begun, waits, announced, begin }
})

describe("N16 places", () => {
  it.effect(
    "are as many as processors: one more evaluation waits, reports why, and gets the first free place; a cancel leaves no place taken",
    () =>
      Effect.gen(function* () {
        const { begun, waits, announced, begin } = yield* flood
        const [first, second, third, fourth] = yield* Effect.forEach([1, 2, 3, 4], begin)
        assert.deepStrictEqual(begun, [1, 2])
        assert.match(waits[0]!, /^a place: other evaluations of this principal, one a processor \(2\), have just begun$/)
        assert.strictEqual(waits.length, 2)
        yield* Fiber.interrupt(third!.fiber)
        yield* first!.end
        yield* Fiber.join(first!.fiber)
        yield* until(Effect.sync(() => begun.length > 2))
        assert.deepStrictEqual(begun, [1, 2, 4])
        // The fourth one has its place, so neither its deadline nor its progress may speak of the wait any more.
        assert.deepStrictEqual(waits.slice(1), [waits[0], undefined])
        assert.deepStrictEqual(announced, [`waits for ${waits[0]}`, `waits for ${waits[0]}`, undefined])
        yield* Fiber.interrupt(second!.fiber)
        yield* Fiber.interrupt(fourth!.fiber)
        yield* Effect.forEach([5, 6, 7], begin)
        assert.deepStrictEqual(begun, [1, 2, 4, 5, 6])
      }).pipe(Effect.provide(layer(true))),
  )

  it.effect("are released after a second by a longer evaluation, once", () =>
    Effect.gen(function* () {
      const { begun, begin } = yield* flood
      const [first] = yield* Effect.forEach([1, 2, 3, 4, 5], begin)
      yield* TestClock.adjust("999 millis")
      assert.deepStrictEqual(begun, [1, 2])
      yield* TestClock.adjust("1 millis")
      assert.deepStrictEqual(begun, [1, 2, 3, 4])
      yield* first!.end
      yield* Fiber.join(first!.fiber)
      assert.deepStrictEqual(begun, [1, 2, 3, 4])
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(begun, [1, 2, 3, 4, 5])
    }).pipe(Effect.provide(layer(true))),
  )

  it.effect("do not exist on a server without principals", () =>
    Effect.gen(function* () {
      const { begun, waits, begin } = yield* flood
      yield* Effect.forEach([1, 2, 3, 4, 5], begin)
      assert.deepStrictEqual([begun, waits], [[1, 2, 3, 4, 5], []])
    }).pipe(Effect.provide(layer(false))),
  )
})
