/**
 * Makes an interruption return at once. An interrupted request to the database, or to another machine, waits for its answer, and one that stands still
 * never answers. Does not: wait for the end of the interrupted effect, which goes on until it notices.
 */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"

export const abandonable = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(Effect.forkDetach(effect, { startImmediately: true }), (fiber) =>
    Effect.onInterrupt(Effect.interruptible(Fiber.join(fiber)), () => Effect.sync(() => fiber.interruptUnsafe())),
  )
