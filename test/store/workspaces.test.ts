/** The writes of a session's variables, over a place that a test answers for. The tests of the stores hold the rest. */
import { assert, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { make, type SessionPlace, type Written } from "../../src/store/workspaces.ts"
import { Holder } from "../lib/holder.ts"

it.effect("S30 a refused write that its caller gave up is made by the next one", () =>
  Effect.gen(function* () {
    const written: (readonly string[])[] = []
    let answer: Effect.Effect<Written> = Effect.succeed("written")
    const place: SessionPlace = {
      available: Effect.succeed(true),
      state: () => Effect.undefined,
      values: () => Effect.undefined,
      write: (_, { added }) =>
        Effect.tap(answer, (how) =>
          Effect.sync(() => how === "written" && written.push((added?.entries ?? []).map(({ path }) => path).toSorted())),
        ),
      contain: () => Effect.succeed(true),
      sweep: () => Effect.void,
      forget: Effect.succeed(true),
    }
    const { persist } = yield* (yield* make(() => place))("main", "/here")
    const holder = new Holder().set("a", "1".repeat(1000))
    assert.isTrue(yield* persist(holder))

    const refusal = yield* Deferred.make<Written>()
    const begun = yield* Deferred.make<void>()
    answer = Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(refusal))
    const call = yield* Effect.forkChild(persist(holder.set("b", "2")))
    yield* Deferred.await(begun)
    const cancel = yield* Effect.forkChild(Fiber.interrupt(call))
    yield* Effect.yieldNow
    yield* Deferred.succeed(refusal, "failed")
    yield* Fiber.join(cancel)

    answer = Effect.succeed("written")
    assert.isTrue(yield* persist(holder))
    assert.deepStrictEqual(written, [[".k.a"], [".k.b"]])
  }),
)

it.effect("values are written as those of the engine that has them when they are taken", () =>
  Effect.gen(function* () {
    const written: (readonly [string, number])[] = []
    const isAsked = yield* Deferred.make<void>()
    const answer = yield* Deferred.make<undefined>()
    const place: SessionPlace = {
      available: Effect.succeed(true),
      state: () => Effect.andThen(Deferred.succeed(isAsked, undefined), Deferred.await(answer)),
      values: () => Effect.undefined,
      write: (engine, { added }) =>
        Effect.as(
          Effect.sync(() => written.push([engine, added?.entries.length ?? 0])),
          "written",
        ),
      contain: () => Effect.succeed(true),
      sweep: () => Effect.void,
      forget: Effect.succeed(true),
    }
    const { persist } = yield* (yield* make(() => place))("main", "/here")
    const holder = new Holder().set("a", "1")
    const call = yield* Effect.forkChild(persist(holder))
    yield* Deferred.await(isAsked)
    holder.engine = "k3csharp"
    yield* Deferred.succeed(answer, undefined)
    assert.isTrue(yield* Fiber.join(call))
    assert.deepStrictEqual(written, [["k3csharp", 1]])
  }),
)
