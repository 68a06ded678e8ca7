/**
 * From a request to its reply: the turn, the child, the statements, and what is said beside what they printed.
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
import { type Statement, statements } from "../repl/frame.ts"
import type { SettingValues } from "../Settings.ts"
import { evaluateAtOnce } from "./atOnce.ts"
import { elapsedMs } from "./elapsed.ts"
import type { Captures } from "./variables/captures.ts"
import { died, type Ground, makeProgress, type Progress, refusalOf, run, shortened, tooLarge } from "./evaluate.ts"
import type { Outputs } from "./output/Outputs.ts"
import type { Persistence } from "./disk/Persistence.ts"
import type { Recording } from "./history/recording.ts"
import type { EvaluateRequest, Evaluation, KFailure } from "./Session.ts"
import { DeadlineExceeded, GenerationMismatch, type SessionError } from "./SessionError.ts"
import type { Difference } from "./variables/Snapshot.ts"
import type { StaleWatch } from "./builds/staleness.ts"
import { type Live, workOf } from "./state.ts"
import type { StateFolder } from "./disk/StateFolder.ts"
import type { Limit, Turn } from "./Turn.ts"
import type { Usage } from "./Usage.ts"

interface Parts extends Ground {
  readonly settings: SettingValues
  readonly clock: Clock.Clock
  readonly turn: Turn
  readonly usage: Usage
  readonly captures: Captures
  readonly persistence: Persistence
  readonly recording: Recording
  readonly outputs: Outputs["Service"]
  readonly disk: StateFolder["Service"]
  readonly stale: StaleWatch
  /** Its memory is looked at while it works. */
  readonly memory: { readonly watching: () => boolean; readonly soon: Effect.Effect<void> }
}

/** What an evaluation has come to: the error, the child that answers now, and what changed if that was asked. */
interface Outcome {
  readonly error: KFailure | undefined
  readonly now: Live
  readonly changes?: readonly Difference[] | null
}

export const make = (parts: Parts) => {
  const { session, life, keeper, settings, clock, turn, usage, captures, persistence, recording, outputs, disk, stale, memory } = parts
  const now = (): number => clock.currentTimeMillisUnsafe()
  const tick = (): number => elapsedMs(clock)
  let commands = 0

  const mark = (live: Live) => Effect.ignore(keeper.trackerOf(live).marks?.mark ?? Effect.void)
  const back = (live: Live) => Effect.ignore(keeper.trackerOf(live).marks?.back ?? Effect.void)

  const noteEvaluated = (): void => {
    keeper.evaluated()
    persistence.evaluated()
  }

  const evaluateOn = (live: Live, request: EvaluateRequest, progress: Progress) =>
    Effect.suspend((): Effect.Effect<Evaluation, SessionError> => {
      recording.on(live, request, progress)
      if (request.expectGeneration !== undefined && request.expectGeneration !== live.generation)
        return new GenerationMismatch({ session, expected: request.expectGeneration, actual: live.generation })
      const list = statements(request.code)
      const refused = refusalOf(live, list)
      if (refused !== undefined) return refused
      return evaluation(live, request, progress, list).pipe(
        Effect.catchTag("ChildEnded", (how) => died(parts, live, progress, how)),
        Effect.onExit((exit) => {
          if (Exit.hasInterrupts(exit)) return Effect.map(stop(live, progress, request.rollback === true), () => life.done(live))
          life.done(live)
          return Effect.void
        }),
      )
    })

  /** One that waits for its child and for nothing else: undefined when there may be more to wait for. */
  const atOnce = ({ code, rollback, changes, expectGeneration, value }: EvaluateRequest) => {
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

  const evaluation = Effect.fnUntraced(function* (live: Live, request: EvaluateRequest, progress: Progress, list: readonly Statement[]) {
    if (!memory.watching()) yield* memory.soon
    const at = tick()
    if (stale.isDue(at)) {
      const notice = yield* stale.look(live, at)
      if (notice !== undefined) progress.notices.push(notice)
    }
    const began = clock.monotonicTimeNanosUnsafe()
    const { rollback = false, changes = false } = request
    if (rollback || changes || captures.glanceDue(live, at)) {
      progress.aside = true
      yield* rollback || changes ? captures.all(live) : captures.glance(live)
      if (rollback) yield* mark(live)
    }
    const failed = yield* run(parts, live, list, progress, tick, request.value)
    progress.aside = true
    const outcome = rollback || changes ? yield* after(live, request, failed) : { error: failed, now: live }
    if (!rollback && !changes) noteEvaluated()
    const reply = replyOf(request, progress, list.length, outcome, began)
    if (!captures.isScheduled()) yield* captures.soon
    return progress.image === undefined ? reply : { ...reply, value: { image: progress.image, engine: live.engine.kind } }
  })

  /** What follows the last statement when the variables matter to the reply. */
  const after = Effect.fnUntraced(function* (
    live: Live,
    { rollback, changes }: EvaluateRequest,
    error: KFailure | undefined,
  ): Effect.fn.Return<Outcome, SessionError> {
    if (error !== undefined && rollback === true) {
      const now = yield* rollBack(live)
      noteEvaluated()
      return { error, now, ...(changes === true && { changes: [] }) }
    }
    noteEvaluated()
    return { error, now: live, ...(changes === true && { changes: (yield* captures.all(live)) ?? null }) }
  })

  /** Why the variables are not those of the last evaluation; said first, and once. */
  const addNews = (progress: Progress, generation: number): void => {
    const { why: earlier, ...age } = persistence.takeNews() ?? {}
    const why = life.takeNews() ?? earlier
    const given = keeper.takeGivenBack()
    if (why === undefined) return
    progress.notices.unshift(
      given === undefined ? { kind: "fresh", generation, why } : { kind: "restored", generation, why, ...age, ...given },
    )
  }

  const replyOf = (
    request: EvaluateRequest,
    progress: Progress,
    statements: number,
    { error, now: { generation }, changes }: Outcome,
    began: bigint,
  ): Evaluation => {
    const ms = Number(clock.monotonicTimeNanosUnsafe() - began) / 1e6
    commands++
    addNews(progress, generation)
    for (const sentence of disk.takeTrouble()) progress.notices.push({ kind: "disk", sentence })
    const { output, notices, number } = progress
    const { text, truncated } = output
    const ok = error === undefined
    if (ok && truncated === undefined && changes === undefined) return { ok, output: text, statements, generation, ms, notices }
    return {
      ok,
      output: text,
      ...(truncated !== undefined && { truncated }),
      ...(error !== undefined && { error, failedStatement: number }),
      statements,
      generation,
      ms,
      notices,
      ...(changes !== undefined && { changes }),
      ...(error !== undefined && request.rollback === true && { rolledBack: true as const }),
    }
  }

  /** The variables as they were: gone back to inside the child, or given to a new one. */
  const rollBack = (live: Live) =>
    Effect.suspend(() =>
      keeper.trackerOf(live).marks === null
        ? Effect.andThen(life.renew(live, "the evaluation was rolled back"), life.connect)
        : Effect.as(back(live), live),
    )

  const stop = Effect.fnUntraced(function* (live: Live, progress: Progress, rollback: boolean) {
    const stopped = yield* life.stop(live, `"${shortened(progress.statement)}" was ended by force`)
    progress.state = stopped.state === "lost" && keeper.holds ? "restored" : stopped.state
    if (!progress.aside) progress.output.add(stopped.reply)
    if (rollback && stopped.state === "kept") yield* back(live)
    if (rollback && keeper.isCurrent) progress.state = "rolled-back"
    if (stopped.state !== "kept") return
    noteEvaluated()
    yield* captures.soon
  })

  const exceeded = (timeoutMs: number, progress: Progress, doing?: string): DeadlineExceeded => {
    // The caller is told by this very error.
    if (progress.state === "lost") life.takeNews()
    return new DeadlineExceeded({
      session,
      timeoutMs,
      waiting: progress.number === 0,
      state: progress.state,
      ...(progress.state !== "kept" && keeper.holds && { held: keeper.summary }),
      generation: life.generation(),
      statement: shortened(progress.number === 0 ? (workOf(life.state())?.statement ?? "") : progress.statement),
      statementNumber: progress.number,
      output: progress.output.text,
      ...(doing !== undefined && { doing }),
    })
  }

  const evaluate = (request: EvaluateRequest): Effect.Effect<Evaluation, SessionError> =>
    Effect.suspend(() => {
      const log = recording.log()
      if (log === undefined) return Effect.andThen(recording.open, evaluate(request))
      const asked = request.timeoutMs ?? settings.evalTimeout
      const ms = Math.min(asked, settings.evalTimeoutMax)
      const progress = makeProgress(settings.outputShown, now(), outputs.open)
      if (asked > ms) progress.notices.push({ kind: "timeout-capped", askedMs: asked, usedMs: ms })
      usage.begin()
      const ended = (exit: Exit.Exit<Evaluation, SessionError>): void => {
        usage.end()
        recording.ended(log, request, progress, exit)
      }
      const late = Effect.suspend(() => exceeded(ms, progress))
      const short = atOnce(request)
      if (short !== undefined) return shortly(request, progress, short, { ms, late }, ended)
      return Effect.onExit(Effect.mapError(inTurn(request, progress, { ms, late }), usage.asClosed), (exit) =>
        Effect.sync(() => ended(exit)),
      )
    })

  /** Without a fiber of its own. */
  const shortly = (
    request: EvaluateRequest,
    progress: Progress,
    { live, list }: { readonly live: Live; readonly list: readonly Statement[] },
    { ms, late }: Limit<never, SessionError>,
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
        noteEvaluated()
        return replyOf(request, progress, list.length, { error, now: live }, began)
      },
      died: (how) => Effect.mapError(died(parts, live, progress, how), usage.asClosed),
      stop: Effect.suspend(() => stop(live, progress, false)),
      late: Effect.mapError(late, usage.asClosed),
      ended,
    })
  }

  const inTurn = (
    request: EvaluateRequest,
    progress: Progress,
    limit: Limit<never, SessionError>,
  ): Effect.Effect<Evaluation, SessionError> => {
    const refused = tooLarge(request.code)
    if (refused !== undefined) return refused
    const work = Effect.suspend(() => {
      const live = life.ready()
      if (live !== undefined) return evaluateOn(live, request, progress)
      return Effect.flatMap(life.connect, (launched) => evaluateOn(launched, request, progress))
    })
    return turn.run(work, limit)
  }

  return {
    evaluate,
    /** The error of work of the server's own that ran out of time. */
    late: (what: string) => exceeded(settings.evalTimeout, makeProgress(0, now()), what),
    mark,
    back,
    commands: (): number => commands,
  }
}
