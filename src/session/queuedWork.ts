/**
 * Runs work other than an evaluation in a session's queue: a reset, a reload.
 *
 * Guarantees: while the work waits, its progress report names the running job. It waits at most for the deadline of an evaluation; the deadline
 * does not end work that has begun. Does not: stop the running job.
 */
import * as Effect from "effect/Effect"
import { Settings } from "../Settings.ts"
import { shortened } from "../shortened.ts"
import { Announce } from "./Announce.ts"
import { EvaluationQueue } from "./EvaluationQueue.ts"
import { Interruption } from "./Interruption.ts"
import type { DeadlineExceeded } from "./SessionError.ts"
import { workOf } from "./state.ts"
import { Supervisor } from "./Supervisor.ts"

/** `doing`: the name of the work, for progress reports and errors. */
export const makeQueuedWork = Effect.gen(function* () {
  const { evalTimeout: ms } = yield* Settings
  const { state } = yield* Supervisor
  const queue = yield* EvaluationQueue
  const interruption = yield* Interruption

  return <A, E, R>(doing: string, work: Effect.Effect<A, E, R>) =>
    Effect.gen(function* () {
      const tell = yield* Announce
      if (queue.busy()) {
        const { statement } = workOf(state()) ?? {}
        tell(
          statement === undefined
            ? `the ${doing} waits for other work of the session`
            : `the ${doing} waits for what runs: ${shortened(statement)}; k_session with action interrupt stops that`,
        )
      }
      const begun = Effect.sync(() => tell(doing))
      const late = Effect.suspend(() => interruption.lateDoing(ms, doing))
      return yield* queue.run<A, E | DeadlineExceeded, R>(Effect.andThen(begun, work), { ms, late, waits: true })
    })
})
