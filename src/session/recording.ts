/** One session's evaluations on their way into its history: whatever one comes to is in it afterwards, and what ran is known. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { Progress } from "./evaluate.ts"
import type { History } from "./History.ts"
import type { Entry } from "./HistoryLog.ts"
import { outcomeOf } from "./outcomeOf.ts"
import type { EvaluateRequest, Evaluation } from "./Session.ts"
import type { SessionError } from "./SessionError.ts"
import type { Live } from "./state.ts"

export const makeRecording = (session: string, history: History["Service"], generation: () => number) => {
  let ran: Live | undefined
  const runBy = () =>
    ran === undefined ? {} : { engine: ran.engine.kind, ...(ran.prepared.build !== null && { build: ran.prepared.build.hash }) }

  return {
    /** The child that evaluates now. */
    on: (live: Live): void => {
      ran = live
    },
    evaluation: <E extends SessionError>(request: EvaluateRequest, progress: Progress, effect: Effect.Effect<Evaluation, E>) =>
      Effect.gen(function* () {
        const log = yield* history.of(session)
        const clock = yield* Clock.Clock
        const at = clock.currentTimeMillisUnsafe()
        return yield* Effect.onExit(effect, (exit) =>
          Effect.sync(() => {
            const { ms, generation: by } = Exit.isSuccess(exit)
              ? exit.value
              : { ms: clock.currentTimeMillisUnsafe() - at, generation: generation() }
            log.record({ at, code: request.code, ...outcomeOf(exit, progress), ms, generation: by, ...runBy() })
          }),
        )
      }),
    /** No evaluation changed the variables. */
    event: (event: NonNullable<Entry["event"]>): Effect.Effect<void> =>
      Effect.gen(function* () {
        const log = yield* history.of(session)
        log.record({ at: yield* Clock.currentTimeMillis, code: "", output: "", ok: true, ms: 0, generation: generation(), event })
      }),
  }
}
