/**
 * Runs the body of a loop in the background. Guarantees: a defect in it is logged, and does not end the loop unnoticed. Does not: repeat the body, or
 * wait.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"

/** `instead` runs after a defect. `what`: the sentence for the log. */
export const loggingDefects = <A, E, R, B>(
  what: string,
  effect: Effect.Effect<A, E, R>,
  instead: Effect.Effect<B>,
): Effect.Effect<A | B, E, R> => Effect.catchDefect(effect, (defect) => Effect.andThen(Effect.logError(what, Cause.die(defect)), instead))
