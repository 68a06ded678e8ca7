/**
 * Runs code when an effect has ended, however it ended; a throw is a defect. `Effect.onExit` and `ensuring` would make an effect of that code, four
 * more steps of the fiber: an evaluation passes five of these.
 */
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"

export const atEnd = <A, E, R>(effect: Effect.Effect<A, E, R>, end: (exit: Exit.Exit<A, E>) => void): Effect.Effect<A, E, R> =>
  Effect.onExitPrimitive(effect, (exit) => {
    end(exit)
    return undefined
  })
