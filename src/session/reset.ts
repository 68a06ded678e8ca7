/**
 * Resets a session's workspace: the child clears itself where the engine can do so and confirm it, else a new child replaces it.
 *
 * Guarantees: no removed variable is restored later, by this server or the next. A child that has not cleared itself within `readTimeout` is
 * replaced. Does not: take the session's queue.
 */
import * as Effect from "effect/Effect"
import { type Live, liveOf } from "./state.ts"
import { Supervisor } from "./Supervisor.ts"
import { readTimeout } from "./variables/inspections.ts"
import { Persistence } from "./variables/Persistence.ts"

const clear = ({ engine, child }: Live): Effect.Effect<boolean> =>
  Effect.orElseSucceed(Effect.timeout(engine.clear?.(child) ?? Effect.succeed(false), readTimeout), () => false)

export const makeReset = Effect.gen(function* () {
  const { state, send, replace } = yield* Supervisor
  const persistence = yield* Persistence

  return Effect.gen(function* () {
    send({ _tag: "Forgotten" })
    // Before any wait: when the reset is cancelled or fails, the next capture has to report all variables that the child still has.
    liveOf(state())?.tracker.forget()
    yield* persistence.forget
    const live = liveOf(state())
    const isClear = live !== undefined && (yield* clear(live)) && liveOf(state()) === live
    if (isClear) return { how: "cleared" as const, generation: live.generation }
    const { live: replacement } = yield* replace({})
    return { how: "relaunched" as const, generation: replacement.generation }
  })
})
