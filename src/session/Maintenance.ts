/**
 * The server's own work on a session's child, between evaluations.
 *
 * Guarantees: the work takes the session's queue, runs on a live child whose capture is up to date, and has the deadline of an evaluation.
 * Does not: undo the changes of work that misses its deadline; the caller does.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Option from "effect/Option"
import { Settings } from "../Settings.ts"
import { EvaluationQueue } from "./EvaluationQueue.ts"
import { Interruption } from "./Interruption.ts"
import { Self } from "./Self.ts"
import { type SessionError, StateUnread } from "./SessionError.ts"
import type { Live } from "./state.ts"
import { Supervisor } from "./Supervisor.ts"
import { Usage } from "./Usage.ts"
import { Captures } from "./variables/Captures.ts"
import { isCurrent } from "./variables/Workspace.ts"

export class Maintenance extends Context.Service<
  Maintenance,
  {
    /** Runs `work` in the queue. `doing` names the work in the error of a missed deadline. */
    readonly run: <A>(doing: string, work: (live: Live) => Effect.Effect<A, SessionError>) => Effect.Effect<A, SessionError>
    /** Brings the capture up to date and gives the child. None when `EvaluationQueue.tryRun` gives none. */
    readonly ifIdle: Effect.Effect<Option.Option<Live>, SessionError>
  }
>()("k3-mcp/session/Maintenance") {
  static readonly layer = Layer.effect(
    Maintenance,
    Effect.gen(function* () {
      const { evalTimeout: ms } = yield* Settings
      const { name: session } = yield* Self
      const { state, connect } = yield* Supervisor
      const queue = yield* EvaluationQueue
      const usage = yield* Usage
      const captures = yield* Captures
      const interruption = yield* Interruption

      const upToDate = (live: Live): Effect.Effect<void, StateUnread> =>
        Effect.suspend(() =>
          isCurrent(state().workspace)
            ? Effect.void
            : Effect.flatMap(captures.all(live), (seen) => (seen === undefined ? new StateUnread({ session }) : Effect.void)),
        )

      return Maintenance.of({
        run: (doing, work) => {
          const whole = Effect.flatMap(connect, (live) =>
            Effect.andThen(
              upToDate(live),
              Effect.suspend(() => work(live)),
            ),
          )
          return usage.during(queue.run(whole, { ms, late: Effect.suspend(() => interruption.lateDoing(ms, doing)) }))
        },
        ifIdle: usage.during(queue.tryRun(Effect.tap(connect, (live) => Effect.timeoutOption(captures.all(live), ms)))),
      })
    }),
  )
}
