/** A request for an evaluation on its way: how long it may take, how far it is, and what is known of it before it runs. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { Refused } from "../child/ChildError.ts"
import { elapsedMs } from "../elapsed.ts"
import { Settings } from "../Settings.ts"
import { shortened } from "../shortened.ts"
import type { EvaluateRequest, RunRequest } from "./Evaluation.ts"
import { Outputs } from "./output/Outputs.ts"
import { makeProgress, type Progress } from "./Progress.ts"

export interface Call {
  readonly request: RunRequest
  readonly progress: Progress
  /** Its time, which includes its waiting. */
  readonly ms: number
}

/** Without a name, an assignment and a command nothing is changed. */
export const mayChange = ({ code }: EvaluateRequest): boolean => /[A-Za-z:\\]/.test(code)

/** Why an engine that keeps to no limits does not run it. */
export const unlimited = ({ limits, code }: EvaluateRequest): Refused | undefined =>
  limits === undefined
    ? undefined
    : new Refused({
        statement: shortened(code),
        reason: "limits",
        detail: "K3CSharp has limits neither of steps nor of memory for one evaluation",
      })

/** `reader`: who asks. */
export const makeCallOf = Effect.gen(function* () {
  const { evalTimeout, evalTimeoutMax, backgroundTimeout, outputShown } = yield* Settings
  const outputs = yield* Outputs
  const clock = yield* Clock.Clock

  return (request: RunRequest, reader: string): Call => {
    const { background, timeoutMs } = request
    const [usual, most, setting] =
      background === undefined
        ? ([evalTimeout, evalTimeoutMax, "K3_EVAL_TIMEOUT_MAX"] as const)
        : ([backgroundTimeout ?? Infinity, backgroundTimeout ?? Infinity, "K3_BACKGROUND_TIMEOUT"] as const)
    const asked = timeoutMs ?? usual
    const ms = Math.min(asked, most)
    const open = background?.open ?? (() => outputs.open())
    const progress = makeProgress(
      outputShown,
      { reader, at: clock.currentTimeMillisUnsafe(), since: elapsedMs(clock) },
      open,
      background !== undefined,
    )
    if (asked > ms) progress.notices.push({ kind: "timeout-capped", askedMs: asked, usedMs: ms, setting })
    return { request, progress, ms }
  }
})
