/**
 * The server's own work on a session's child, between evaluations: merges and snapshots, resets and reloads.
 *
 * Guarantees: the work takes the session's queue. `run` gives it a live child whose capture is up to date, and the deadline of an evaluation.
 * `replace` waits at most for that deadline, which does not end work that has begun; its progress report names the job that it waits for. Does
 * not: undo the changes of work that misses its deadline, which the caller does; stop the running job.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Option from "effect/Option"
import { Settings } from "../Settings.ts"
import { shortened } from "../shortened.ts"
import { Announce } from "./Announce.ts"
import { EvaluationQueue } from "./EvaluationQueue.ts"
import { Interruption } from "./Interruption.ts"
import { SessionIdentity } from "./SessionIdentity.ts"
import { type DeadlineExceeded, type QueueFull, type SessionError, StateUnread } from "./SessionError.ts"
import { type Live, workOf } from "./state.ts"
import { Supervisor } from "./Supervisor.ts"
import { Usage } from "./Usage.ts"
import { Captures } from "./variables/Captures.ts"
import { isCurrent } from "./variables/Workspace.ts"

export class Maintenance extends Context.Service<
  Maintenance,
  {
    /** Runs `work` in the queue. `doing` names the work in the error of a missed deadline. */
    readonly run: <A>(doing: string, work: (live: Live) => Effect.Effect<A, SessionError>) => Effect.Effect<A, SessionError>
    /** Runs work that needs no live child, since it replaces or clears it. `doing` names the work in progress reports and errors. */
    readonly replace: <A, E>(doing: string, work: Effect.Effect<A, E>) => Effect.Effect<A, E | DeadlineExceeded | QueueFull>
    /** Brings the capture up to date and gives the child. None when `EvaluationQueue.tryRun` gives none. */
    readonly ifIdle: Effect.Effect<Option.Option<Live>, SessionError>
  }
>()("k3-mcp/session/Maintenance") {
  static readonly layer = Layer.effect(
    Maintenance,
    Effect.gen(function* () {
      const { evalTimeout: ms } = yield* Settings
      const { name: session } = yield* SessionIdentity
      const { state, connect } = yield* Supervisor
      const queue = yield* EvaluationQueue
      const usage = yield* Usage
      const captures = yield* Captures
      const interruption = yield* Interruption
      const late = (doing: string) => Effect.suspend(() => interruption.lateDoing(ms, doing))

      const upToDate = (live: Live): Effect.Effect<void, StateUnread> =>
        Effect.suspend(() =>
          isCurrent(state().workspace)
            ? Effect.void
            : Effect.flatMap(captures.all(live), (seen) => (seen === undefined ? new StateUnread({ session }) : Effect.void)),
        )

      return Maintenance.of({
        run: (doing, work) => {
          const captured = Effect.sync(() => captures.schedule(0))
          const whole = Effect.flatMap(connect, (live) => Effect.flatMap(upToDate(live), () => Effect.ensuring(work(live), captured)))
          return usage.during(queue.run(whole, { ms, late: late(doing) }))
        },
        replace: <A, E>(doing: string, work: Effect.Effect<A, E>) =>
          Effect.flatMap(Announce, (tell) => {
            const { statement } = workOf(state()) ?? {}
            if (queue.busy())
              tell(
                `the ${doing} waits for ${statement === undefined ? "other work of the session" : `what runs: ${shortened(statement)}`}`,
                statement !== undefined,
              )
            const begun = Effect.sync(() => tell(doing))
            return queue.run<A, E | DeadlineExceeded, never>(Effect.andThen(begun, work), { ms, late: late(doing), waits: true })
          }),
        ifIdle: usage.during(queue.tryRun(Effect.tap(connect, (live) => Effect.timeoutOption(captures.all(live), ms)))),
      })
    }),
  )
}
