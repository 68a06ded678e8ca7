/**
 * From a request to its reply: the one path of every evaluation. It takes the queue, begins on a child, asks statement by statement,
 * settles, and gives the queue back; deadline, rollback, changes and value are wrapped around the statements.
 *
 * A deadline and a client's cancel both interrupt the fiber that holds the queue. The fiber keeps the queue until the child has stopped: at
 * most for the grace period, and not at all after a kill, which is followed in the background. A defect ends in the same way. In every
 * outcome the child is idle or gone, and the queue is free.
 *
 * A healthy evaluation waits for the child's answer alone. Before any other wait the code checks whether it is needed.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { atEnd } from "../atEnd.ts"
import { monotonic, stopwatch } from "../elapsed.ts"
import { spanned, Telemetry } from "../Telemetry.ts"
import type { ChildEnded } from "../child/Child.ts"
import { Refused } from "../child/ChildError.ts"
import { Fence } from "../child/Fence.ts"
import type { Difference } from "../child/Contents.ts"
import type { KFailure } from "../child/engines/Engine.ts"
import { type Call, limitsRefusal, makeCallOf, mayChange } from "./Call.ts"
import { Caller } from "./Caller.ts"
import { bindArguments, unbind } from "./bindArguments.ts"
import { StaleWatch } from "./builds/staleness.ts"
import { DryRun } from "./DryRun.ts"
import { EvaluationQueue } from "./EvaluationQueue.ts"
import type { Evaluation, Progress, RunRequest } from "./Evaluation.ts"
import { EvaluationRecorder } from "./history/EvaluationRecorder.ts"
import { Interruption, unlessStopped } from "./Interruption.ts"
import { EvaluationPlaces } from "./EvaluationPlaces.ts"
import { makeObserved } from "./observed.ts"
import { evaluationOf, makeOptionsOf, type Run } from "./Run.ts"
import { runStatements, statementsIn, tooLarge } from "./runStatements.ts"
import { SessionIdentity } from "./SessionIdentity.ts"
import { type EvaluationStopped, GenerationMismatch, type SessionError } from "./SessionError.ts"
import { makeReplyNotices } from "./replyNotices.ts"
import { isLive, type Live, nextGeneration } from "./state.ts"
import { Supervisor } from "./Supervisor.ts"
import { Usage } from "./Usage.ts"
import { Captures } from "./variables/Captures.ts"

/** ms. Shorter evaluations are not searched for variables too large to capture, unless one exists. */
const longEnough = 2

/** The result of the statements. */
interface StatementsResult {
  /** The error of statement `progress.number`, the last one that ran. */
  readonly error: KFailure | undefined
  /** The child that answers from now on. */
  readonly next: Live
  readonly changes?: readonly Difference[] | null
}

export class Evaluator extends Context.Service<
  Evaluator,
  {
    readonly evaluate: (request: RunRequest) => Effect.Effect<Evaluation, SessionError>
    /** Stops the running evaluation. Undefined when none runs. */
    readonly stop: Effect.Effect<EvaluationStopped | undefined>
    /** Number of evaluations that began and ended, with a reply or not. */
    readonly count: () => number
  }
>()("k3-mcp/session/Evaluator") {
  static readonly layer = Layer.effect(
    Evaluator,
    Effect.suspend(() => make),
  )
}

const make = Effect.gen(function* () {
  const { name: session } = yield* SessionIdentity
  const { state, send, connect, watchMemory } = yield* Supervisor
  const queue = yield* EvaluationQueue
  const places = yield* EvaluationPlaces
  const usage = yield* Usage
  const captures = yield* Captures
  const recorder = yield* EvaluationRecorder
  const interruption = yield* Interruption
  const now = yield* monotonic
  const fence = yield* Fence
  const dryRun = yield* DryRun
  const callOf = yield* makeCallOf
  const optionsOf = yield* makeOptionsOf
  const notices = yield* makeReplyNotices
  const telemetry = yield* Telemetry
  const observed = yield* makeObserved
  const stale = new StaleWatch()
  let ended = 0
  let replied = 0
  /** Progress of the latest evaluation that got the queue. */
  let latest: Progress | undefined

  const evaluate = (request: RunRequest): Effect.Effect<Evaluation, SessionError> =>
    Effect.withFiber((fiber) => {
      const { name: by, reader } = fiber.getRef(Caller)
      if (state().notices.latest !== reader) send({ _tag: "Attended", reader })
      const call = callOf(request, reader)
      const { progress } = call
      const work = usage.during(observed((onBegin) => tooLarge(request.code) ?? queued(call, onBegin)))
      if (request.dryRun === true) return work
      return atEnd(work, (exit) => recorder.ended({ request, progress, by, exit, generation: nextGeneration(state()) }))
    })

  /** Puts the call into the queue, unless its deadline has passed. `onBegin`: called when its turn has come. */
  const queued = (call: Call, onBegin: () => void): Effect.Effect<Evaluation, SessionError> => {
    const { request, progress, ms, due } = call
    const late = Effect.suspend(() => interruption.late(ms, progress))
    const stopped = Effect.suspend(() => interruption.stopped(progress))
    const left = due - progress.asked.since
    if (left > 0) return unlessStopped(queue.run(inQueue(call, onBegin), { ms: left, late, stopped }), request, stopped)
    progress.statement = "its arguments as K"
    return late
  }

  /** The call has the queue: it waits for a place among the evaluations of all sessions, and opens the history. */
  const inQueue = (call: Call, onBegin: () => void): Effect.Effect<Evaluation, SessionError> =>
    Effect.suspend(() => {
      latest = call.progress
      const placed = places.within(inPlace(call, onBegin), (what = "") => void (call.progress.statement = what))
      const { background } = call.request
      const noted = background === undefined ? placed : Effect.andThen(background.noted, placed)
      return recorder.log() === undefined ? Effect.andThen(recorder.open, noted) : noted
    })

  /** The call has the queue and a place: it takes the child, or launches one. */
  const inPlace = (call: Call, onBegin: () => void): Effect.Effect<Evaluation, SessionError> =>
    Effect.suspend(() => {
      call.request.background?.onBegin()
      onBegin()
      const { child } = state()
      return child._tag === "Ready"
        ? evaluateOn(child.live, call)
        : Effect.flatMap(spanned(telemetry, "launch", connect), (live) => evaluateOn(live, call))
    })

  /** Refuses what must not run, runs the rest, and stops the child after an interrupt. */
  const evaluateOn = (live: Live, call: Call): Effect.Effect<Evaluation, SessionError> => {
    const { request, progress, ms, due } = call
    if (request.dryRun !== true) recorder.began(live, request, progress)
    const expected = request.expectGeneration
    if (expected !== undefined && expected !== live.generation)
      return new GenerationMismatch({ session, expected, actual: live.generation })
    const list = statementsIn(request.code, live.engine)
    if (list instanceof Refused) return list
    const refused = limitsRefusal(live.engine, request)
    if (refused !== undefined) return refused
    // Not `...call`: V8 makes a slower object of it.
    const run: Run = { request, progress, ms, due, live, list }
    if (request.dryRun === true) return dryRun.run(run)
    const work = Effect.catchTag(runOn(run), "ChildEnded", (how) => Effect.suspend(() => interruption.died(live, progress, how)))
    const settle = (): void => {
      ended++
      send({ _tag: "Settled", live })
    }
    // `onExitPrimitive` settles in the same step when nothing has to be stopped; `onExit` would need another effect.
    return Effect.onExitPrimitive(fence.during(live, work), (exit) => {
      const mayStillRun = Exit.isFailure(exit) && (Exit.hasInterrupts(exit) || Exit.hasDies(exit))
      if (!mayStillRun) {
        settle()
        return undefined
      }
      const stopped = Effect.andThen(interruption.stop(live, progress, request.rollback === true), unbindFrom(run))
      // Without a statement of this evaluation, the changes since the last capture belong to earlier ones.
      const mayHaveChanged = request.changes === true && progress.number > 0
      return Effect.andThen(mayHaveChanged ? Effect.andThen(stopped, findChanges(run)) : stopped, Effect.sync(settle))
    })
  }

  const runOn = Effect.fnUntraced(function* (run: Run): Effect.fn.Return<Evaluation, SessionError | ChildEnded> {
    const { live, request, progress, list } = run
    const at = now()
    watchMemory(usage.busy)
    if (stale.isDue(at)) {
      const notice = yield* stale.check(live, at)
      if (notice !== undefined) progress.notices.push(notice)
    }
    const tookMs = yield* stopwatch
    const { rollback = false, changes = false } = request
    let waited = 0
    if (rollback || changes || captures.isSmallCaptureDue(live, at)) {
      yield* before(run)
      waited = tookMs()
    }
    if (request.args !== undefined) yield* bind(run)
    const error = yield* runStatements(optionsOf(run), list)
    progress.isInternal = true
    if (request.args !== undefined) yield* unbindFrom(run)
    const took = tookMs()
    // When the deadline passed while this process stood still, a further request to the child would be interrupted, although the code has run.
    if (error === undefined && now() < run.due) {
      const mayBeLarge = mayChange(request) && (took >= longEnough || state().workspace.warned.size > 0)
      if ((mayBeLarge || request.code.includes("0:")) && (yield* live.tracker.cutQuotes(list.length)))
        progress.notices.push({ kind: "quotes" })
      if (mayBeLarge) yield* notices.warn(run)
    }
    const outcome = yield* after(run, error)
    captures.schedule(took - waited, telemetry && Option.getOrUndefined(yield* Effect.option(Effect.currentParentSpan)))
    return replyOf(run, outcome, tookMs())
  })

  const bind = (run: Run) =>
    Effect.suspend(() => {
      const { live, progress, list } = run
      progress.number = 1
      progress.isInternal = true
      progress.statement = list[0]?.source ?? ""
      return Effect.tapError(bindArguments(live, run), () =>
        Effect.suspend(() => {
          progress.number = 0
          return unbindFrom(run)
        }),
      )
    })

  const unbindFrom = ({ live, progress }: Run) => Effect.suspend(() => (isLive(state(), live) ? unbind(live, progress) : Effect.void))

  /** Before the first statement: captures the variables, and marks the state of the child for a rollback. */
  const before = Effect.fnUntraced(function* ({ live, request: { rollback = false, changes = false }, progress, due }: Run) {
    progress.isInternal = true
    // Half of its time is left to the statements: at the deadline, an engine without interrupts would be killed.
    yield* rollback || changes ? captures.all(live) : captures.captureSmall(live, (due - now()) / 2)
    if (!rollback || live.tracker.marks === null) return
    progress.isMarked = true
    yield* Effect.ignore(live.tracker.marks.mark)
  })

  /** After the last statement: rolls back after an error, and finds the changes. */
  const after = Effect.fnUntraced(function* (
    { live, request, progress }: Run,
    error: KFailure | undefined,
  ): Effect.fn.Return<StatementsResult, SessionError> {
    const { rollback = false, changes = false } = request
    const isUndone = error !== undefined && rollback
    if (!isUndone) for (const statement of progress.ran) send({ _tag: "Ran", statement })
    const next = isUndone ? yield* rollBack(live) : live
    send({ _tag: "Evaluated", mayChange: mayChange(request) })
    if (!changes) return { error, next }
    return { error, next, changes: isUndone ? [] : ((yield* captures.all(live)) ?? null) }
  })

  /** Finds the changes of an evaluation that was stopped. Its reply is late already, so they have to be read quickly. */
  const findChanges = ({ live, progress }: Run) =>
    Effect.suspend(() => {
      const found = progress.state === "kept" ? captures.quick(live) : Effect.succeed(progress.state === "rolled-back" ? [] : undefined)
      return Effect.map(found, (changes) => void (progress.changes = changes ?? null))
    })

  /** Gives the child its earlier variables: it goes back to the mark, or a new child is given the last capture. */
  const rollBack = (live: Live) => {
    if (live.tracker.marks !== null) return Effect.as(Effect.ignore(live.tracker.marks.back), live)
    return Effect.suspend(() => {
      send({ _tag: "Killed", live, why: "the evaluation was rolled back" })
      return connect
    })
  }

  const replyOf = (run: Run, { error, changes, next }: StatementsResult, ms: number): Evaluation => {
    notices.tell(run.progress, next, ++replied === 1)
    return {
      ...evaluationOf(run, { error, changes, ms, generation: next.generation }),
      ...(error !== undefined && run.request.rollback === true && { rolledBack: true as const }),
    }
  }

  const stop = Effect.suspend(() => {
    // The next evaluation begins before the stopping client goes on.
    const stopping = latest
    return Effect.map(queue.stop, (isStopped) => (isStopped && stopping !== undefined ? interruption.stopReport(stopping) : undefined))
  })

  return Evaluator.of({ evaluate, stop, count: () => ended })
})
