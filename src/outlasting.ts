/**
 * The body of a loop in the background. Guarantees: a defect in it is logged and does not end the loop, which nobody would notice. Does not: repeat
 * the body, or wait.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"

/** Runs an effect, and `instead` after a defect in it. `what`: the sentence for the log. */
export const outlasting = <A, E, R, B>(
  what: string,
  effect: Effect.Effect<A, E, R>,
  instead: Effect.Effect<B>,
): Effect.Effect<A | B, E, R> => Effect.catchDefect(effect, (defect) => Effect.andThen(Effect.logError(what, Cause.die(defect)), instead))
