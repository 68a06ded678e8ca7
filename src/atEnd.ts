/**
 * Runs a function when an effect has ended, with its exit; a throw is a defect. `Effect.onExit` and `ensuring` take an effect instead, which costs
 * four more steps of the fiber; an evaluation has five such functions.
 */
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"

export const atEnd = <A, E, R>(effect: Effect.Effect<A, E, R>, end: (exit: Exit.Exit<A, E>) => void): Effect.Effect<A, E, R> =>
  Effect.onExitPrimitive(effect, (exit) => {
    end(exit)
    return undefined
  })
