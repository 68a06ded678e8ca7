/**
 * Work of the server's own on the child of a session, beside evaluations.
 *
 * Guarantees: it takes the session's turn, on a child that is well and whose capture is up to date, within the deadline of an
 * evaluation. Does not: end what it leaves the child with when that deadline passes; who changes something sees to that.
 */
import * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { Baselines } from "./variables/Baselines.ts"
import type { Keeper } from "./variables/Keeper.ts"
import type { Lifecycle } from "./Lifecycle.ts"
import type { OpenSession } from "./OpenSession.ts"
import { type DeadlineExceeded, type SessionError, StateUnread } from "./SessionError.ts"
import { copyOf } from "../child/Contents.ts"
import type { Live } from "./state.ts"
import type { Turn } from "./Turn.ts"
import type { Usage } from "./Usage.ts"

export interface Asides {
  /** `doing`: what is said to have been late. */
  readonly aside: <A>(doing: string, work: (live: Live) => Effect.Effect<A, SessionError>) => Effect.Effect<A, SessionError>
  /** The child, its capture brought up to date; none, at once, when somebody has the turn. */
  readonly ifIdle: Effect.Effect<Option.Option<Live>, SessionError>
}

interface Lent {
  readonly session: string
  readonly keeper: Keeper
  readonly life: Lifecycle
  /** Milliseconds. */
  readonly deadline: number
  readonly late: (doing: string) => DeadlineExceeded
  readonly turn: Turn
  readonly usage: Usage
  /** Undefined when it had to give up. */
  readonly capture: (live: Live) => Effect.Effect<unknown>
}

/** How a session begins to be used, and what it is copied from, as such work. */
export const outward = (
  { aside }: Asides,
  keeper: Keeper,
  baselines: Baselines,
  ready: Effect.Effect<void>,
): Pick<OpenSession, "begin" | "state"> => ({
  begin: Effect.map(aside("begin", Effect.succeed), ({ engine, generation }) => ({
    engine: engine.kind,
    generation,
    givenBack: keeper.takeGivenBack(),
  })),
  state: (snapshot) =>
    snapshot === undefined
      ? aside("fork", ({ engine }) => Effect.sync(() => ({ contents: copyOf(keeper.contents), engine: engine.kind })))
      : Effect.map(Effect.andThen(ready, baselines.get(snapshot)), (contents) => ({ contents, engine: contents.engine })),
})

export const make = ({ session, keeper, life, deadline, late, turn, usage, capture }: Lent): Asides => {
  const upToDate = (live: Live): Effect.Effect<void, StateUnread> =>
    Effect.suspend(() =>
      keeper.isCurrent
        ? Effect.void
        : Effect.flatMap(capture(live), (seen) => (seen === undefined ? new StateUnread({ session }) : Effect.void)),
    )
  return {
    aside: (doing, work) => {
      const whole = Effect.flatMap(life.connect, (live) => Effect.flatMap(upToDate(live), () => work(live)))
      return usage.during(turn.run(whole, { ms: deadline, late: Effect.suspend(() => late(doing)) }))
    },
    ifIdle: usage.during(turn.ifFree(Effect.tap(life.connect, (live) => Effect.timeoutOption(capture(live), deadline)))),
  }
}
