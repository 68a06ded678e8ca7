/**
 * From a request to its reply: the turn, the child, and the statements.
 *
 * The deadline and the client's cancel are one thing: interruption of the fiber that holds the turn. It keeps the turn until the child
 * has been stopped, which takes the grace at most, and nothing at all when the child is killed: the kill is followed in the background.
 *
 * A healthy evaluation waits for one thing, the child's answer; whatever else may have to be waited for is asked first whether it has
 * to. Bodies are plain code between those waits, because each effect of its own costs about as much as reading the reply does.
 */
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { type Statement, statements } from "../k3/text/statements.ts"
import type { SettingValues } from "../Settings.ts"
import { evaluateAtOnce } from "./atOnce.ts"
import type { StaleWatch } from "./builds/staleness.ts"
import type { CutShort } from "./cutShort.ts"
import { elapsedMs } from "../elapsed.ts"
import { type Ground, makeProgress, type Progress, refusalOf, run, tooLarge } from "./evaluate.ts"
import type { Recording } from "./history/recording.ts"
import type { Outputs } from "./output/Outputs.ts"
import type { Outcome, Replies } from "./Replies.ts"
import type { EvaluateRequest, Evaluation } from "./Evaluation.ts"
import type { KFailure } from "../child/engines/Engine.ts"
import { GenerationMismatch, type SessionError } from "./SessionError.ts"
import type { Live } from "./state.ts"
import type { Limit, Turn } from "./Turn.ts"
import type { Usage } from "./Usage.ts"
import type { Captures } from "./variables/captures.ts"
import { back, canMark, mark } from "./variables/marks.ts"

interface Parts extends Ground {
  readonly session: string
  readonly settings: SettingValues
  readonly clock: Clock.Clock
  readonly turn: Turn
  readonly usage: Usage
  readonly captures: Captures
  readonly recording: Recording
  readonly outputs: Outputs["Service"]
  readonly stale: StaleWatch
  /** Its memory is looked at while it works. */
  readonly memory: { readonly watching: () => boolean; readonly soon: Effect.Effect<void> }
  /** Variables may be other ones than before. */
  readonly evaluated: () => void
  readonly cutShort: CutShort
  readonly replies: Replies
}

/** One request on its way, within a time that includes its waiting. */
interface Call extends Limit<never, SessionError> {
  readonly request: EvaluateRequest
  readonly progress: Progress
}

export const make = (parts: Parts): ((request: EvaluateRequest) => Effect.Effect<Evaluation, SessionError>) => {
  const { session, life, keeper, settings, clock, turn, usage, captures, recording, outputs, stale, memory } = parts
  const { evaluated, cutShort, replies } = parts
  const tick = (): number => elapsedMs(clock)

  const evaluate = (request: EvaluateRequest): Effect.Effect<Evaluation, SessionError> =>
    Effect.suspend(() => {
      const log = recording.log()
      if (log === undefined) return Effect.andThen(recording.open, evaluate(request))
      const call = callOf(request)
      usage.begin()
      const ended = (exit: Exit.Exit<Evaluation, SessionError>): void => {
        usage.end()
        recording.ended(log, request, call.progress, exit)
      }
      const alone = waitsForNothingElse(request)
      if (alone !== undefined) return atOnce(call, alone.live, alone.list, ended)
      return Effect.onExit(Effect.mapError(inTurn(call), usage.asClosed), (exit) => Effect.sync(() => ended(exit)))
    })

  const callOf = (request: EvaluateRequest): Call => {
    const asked = request.timeoutMs ?? settings.evalTimeout
    const ms = Math.min(asked, settings.evalTimeoutMax)
    const progress = makeProgress(settings.outputShown, clock.currentTimeMillisUnsafe(), outputs.open)
    if (asked > ms) progress.notices.push({ kind: "timeout-capped", askedMs: asked, usedMs: ms })
    return { request, progress, ms, late: Effect.suspend(() => cutShort.late(ms, progress)) }
  }

  /** The child and the statements of one that waits for that child alone; undefined when there may be more to wait for. */
  const waitsForNothingElse = ({ code, rollback, changes, expectGeneration, value }: EvaluateRequest) => {
    const live = life.ready()
    const more = rollback === true || changes === true || expectGeneration !== undefined || value !== undefined
    if (live === undefined || more || !turn.isFree) return undefined
    const at = tick()
    if (!memory.watching() || !captures.isScheduled() || stale.isDue(at) || captures.glanceDue(live, at)) return undefined
    if (tooLarge(code) !== undefined) return undefined
    const list = statements(code)
    if (refusalOf(live, list) !== undefined || (live.engine.locate !== null && list.some(({ command }) => command))) return undefined
    return { live, list }
  }

  /** Without a fiber of its own. */
  const atOnce = (
    { request, progress, ms, late }: Call,
    live: Live,
    list: readonly Statement[],
    ended: (exit: Exit.Exit<Evaluation, SessionError>) => void,
  ) => {
    recording.on(live, request, progress)
    const began = clock.monotonicTimeNanosUnsafe()
    return evaluateAtOnce<Evaluation, SessionError>(parts, {
      live,
      list,
      progress,
      ms,
      turn,
      now: tick,
      answered: (error) => {
        progress.aside = true
        evaluated()
        return replies.make(request, progress, list.length, { error, now: live }, began)
      },
      died: (how) => Effect.mapError(cutShort.died(live, progress, how), usage.asClosed),
      stop: Effect.suspend(() => cutShort.stop(live, progress, false)),
      late: Effect.mapError(late, usage.asClosed),
      ended,
    })
  }

  const inTurn = (call: Call): Effect.Effect<Evaluation, SessionError> => {
    const refused = tooLarge(call.request.code)
    if (refused !== undefined) return refused
    const work = Effect.suspend(() => {
      const live = life.ready()
      if (live !== undefined) return evaluateOn(live, call)
      return Effect.flatMap(life.connect, (launched) => evaluateOn(launched, call))
    })
    return turn.run(work, call)
  }

  const evaluateOn = (live: Live, { request, progress }: Call) =>
    Effect.suspend((): Effect.Effect<Evaluation, SessionError> => {
      recording.on(live, request, progress)
      const expected = request.expectGeneration
      if (expected !== undefined && expected !== live.generation)
        return new GenerationMismatch({ session, expected, actual: live.generation })
      const list = statements(request.code)
      const refused = refusalOf(live, list)
      if (refused !== undefined) return refused
      return runOn(live, request, progress, list).pipe(
        Effect.catchTag("ChildEnded", (how) => cutShort.died(live, progress, how)),
        Effect.onExit((exit) => {
          if (Exit.hasInterrupts(exit)) return Effect.map(cutShort.stop(live, progress, request.rollback === true), () => life.done(live))
          life.done(live)
          return Effect.void
        }),
      )
    })

  const runOn = Effect.fnUntraced(function* (live: Live, request: EvaluateRequest, progress: Progress, list: readonly Statement[]) {
    const at = tick()
    if (!memory.watching()) yield* memory.soon
    if (stale.isDue(at)) {
      const notice = yield* stale.look(live, at)
      if (notice !== undefined) progress.notices.push(notice)
    }
    const began = clock.monotonicTimeNanosUnsafe()
    yield* before(live, request, progress, at)
    const error = yield* run(parts, live, list, progress, tick, request.value)
    progress.aside = true
    const outcome = yield* after(live, request, error)
    const reply = replies.make(request, progress, list.length, outcome, began)
    if (!captures.isScheduled()) yield* captures.soon
    return reply
  })

  /** What has to be known of the variables before the first statement. */
  const before = Effect.fnUntraced(function* (live: Live, { rollback, changes }: EvaluateRequest, progress: Progress, at: number) {
    const wanted = rollback === true || changes === true
    if (!wanted && !captures.glanceDue(live, at)) return
    progress.aside = true
    yield* wanted ? captures.all(live) : captures.glance(live)
    if (rollback === true) yield* mark(keeper, live)
  })

  /** What becomes of the variables after the last. */
  const after = Effect.fnUntraced(function* (
    live: Live,
    { rollback, changes }: EvaluateRequest,
    error: KFailure | undefined,
  ): Effect.fn.Return<Outcome, SessionError> {
    const rolledBack = error !== undefined && rollback === true
    const now = rolledBack ? yield* rollBack(live) : live
    evaluated()
    if (changes !== true) return { error, now }
    return { error, now, changes: rolledBack ? [] : ((yield* captures.all(live)) ?? null) }
  })

  /** The variables as they were: gone back to inside the child, or given to a new one. */
  const rollBack = (live: Live) =>
    canMark(keeper, live)
      ? Effect.as(back(keeper, live), live)
      : Effect.andThen(life.renew(live, "the evaluation was rolled back"), life.connect)

  return evaluate
}
