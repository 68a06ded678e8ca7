/** A request for an evaluation with its deadline and its progress, and the checks that need only the text of the request. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { Refused } from "../child/ChildError.ts"
import type { Engine } from "../child/engines/Engine.ts"
import { monotonic } from "../elapsed.ts"
import { Settings } from "../Settings.ts"
import { shortened } from "../shortened.ts"
import { type EvaluateRequest, makeProgress, type Progress, type RunRequest } from "./Evaluation.ts"
import { Output } from "./output/Output.ts"
import { Outputs } from "./output/Outputs.ts"

export interface Call {
  readonly request: RunRequest
  readonly progress: Progress
  /** Milliseconds from the request to its deadline. The time in the queue counts. */
  readonly ms: number
  /** The deadline in ms of the monotonic clock, which may have passed while the arguments became K. */
  readonly due: number
}

/** False for code without letters, colons and backslashes: it has no name, assignment or command, so it changes nothing. */
export const mayChange = ({ code }: EvaluateRequest): boolean => /[A-Za-z:\\]/.test(code)

/** The refusal of a request with limits by an engine without them; undefined for others. */
export const limitsRefusal = (engine: Engine, { limits, code }: EvaluateRequest): Refused | undefined =>
  limits === undefined || engine.limits
    ? undefined
    : new Refused({
        statement: shortened(code),
        reason: "limits",
        detail: "K3CSharp has limits neither of steps nor of memory for one evaluation",
      })

/** `reader`: the client that asks, as in `Caller`. */
export const makeCallOf = Effect.gen(function* () {
  const { evalTimeout, evalTimeoutMax, backgroundTimeout, outputShown } = yield* Settings
  const outputs = yield* Outputs
  const clock = yield* Clock.Clock
  const now = yield* monotonic

  return (request: RunRequest, reader: string): Call => {
    const { background, timeoutMs, waited = 0 } = request
    const [usual, most, setting] =
      background === undefined
        ? ([evalTimeout, evalTimeoutMax, "K3_EVAL_TIMEOUT_MAX"] as const)
        : ([backgroundTimeout ?? Infinity, backgroundTimeout ?? Infinity, "K3_BACKGROUND_TIMEOUT"] as const)
    const asked = timeoutMs ?? usual
    const ms = Math.min(asked, most)
    const output = new Output(outputShown, background?.open ?? (() => outputs.open()), background !== undefined)
    const since = now()
    const progress = makeProgress({ reader, at: clock.currentTimeMillisUnsafe(), since }, output)
    if (asked > ms) progress.notices.push({ kind: "timeout-capped", askedMs: asked, usedMs: ms, setting })
    return { request, progress, ms, due: since + ms - waited }
  }
})
