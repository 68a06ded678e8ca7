/** Telemetry of a session's evaluations: a span for each, a span for its time in the queue, and a count for each outcome. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { monotonic } from "../elapsed.ts"
import { reasonOf, spanned, spannedUntil, Telemetry } from "../Telemetry.ts"
import type { Evaluation } from "./Evaluation.ts"
import { EvaluationQueue } from "./EvaluationQueue.ts"
import { SessionIdentity } from "./SessionIdentity.ts"
import type { SessionError } from "./SessionError.ts"
import { liveOf } from "./state.ts"
import { Supervisor } from "./Supervisor.ts"

type Work = (onBegin: () => void) => Effect.Effect<Evaluation, SessionError>

const wordOf = (exit: Exit.Exit<Evaluation, SessionError>): string =>
  Exit.isSuccess(exit) ? (exit.value.ok ? "ok" : "k error") : reasonOf(exit)!

/** Wraps an evaluation in its spans; does nothing without telemetry. `work` calls `onBegin` when it gets the queue. */
export const makeObserved = Effect.gen(function* () {
  const telemetry = yield* Telemetry
  const { name } = yield* SessionIdentity
  const { state } = yield* Supervisor
  const queue = yield* EvaluationQueue
  const now = yield* monotonic
  if (telemetry === undefined) return (work: Work) => work(() => {})
  yield* Effect.acquireRelease(
    Effect.sync(() => telemetry.watch({ pid: () => liveOf(state())?.child.pid, waiting: queue.waiting })),
    (forget) => Effect.sync(forget),
  )
  return (work: Work) =>
    Effect.suspend(() => {
      const asked = now()
      const counted = Effect.onExit(spannedUntil("queue", work), (exit) => {
        const outcome = wordOf(exit)
        telemetry.evaluated(outcome, now() - asked)
        return Effect.annotateCurrentSpan("k3.outcome", outcome)
      })
      return spanned(telemetry, "evaluate", counted, { attributes: { "k3.session": name } })
    })
})
