/**
 * A session's workspace made clean: by its child where the engine can clear it and say that it is clear, else by a new one.
 *
 * Guarantees: nothing of what was held is given back, by this server or the next one; a child that does not clear itself within
 * `lookTimeout` is replaced. Does not: take the session's turn.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Persistence } from "./variables/Persistence.ts"
import type { Lifecycle } from "./Lifecycle.ts"
import type { Session } from "./Session.ts"
import { type Live, liveOf } from "./state.ts"
import { type Captures, lookTimeout } from "./variables/captures.ts"
import type { Keeper } from "./variables/Keeper.ts"

interface Lent {
  readonly keeper: Keeper
  readonly life: Lifecycle
  readonly persistence: Persistence
  readonly captures: Captures
}

const clear = ({ engine, child }: Live): Effect.Effect<boolean> =>
  (engine.clear?.(child) ?? Effect.succeed(false)).pipe(
    Effect.timeoutOption(lookTimeout),
    Effect.map(Option.getOrElse(() => false)),
    Effect.orElseSucceed(() => false),
  )

export const make = ({ keeper, life, persistence, captures }: Lent): Session["reset"] =>
  Effect.gen(function* () {
    keeper.forget()
    yield* persistence.forget
    const live = liveOf(life.state())
    const isClear = live !== undefined && (yield* clear(live)) && liveOf(life.state()) === live
    captures.forgetSights()
    if (isClear) return { how: "cleared", generation: live.generation }
    const { now } = yield* life.replace(() => Effect.void)
    return { how: "relaunched", generation: now.generation }
  })
