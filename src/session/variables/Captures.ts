/**
 * Captures: reads the variables of a session's child, to restore them later.
 *
 * Guarantees: a capture delays evaluations by at most half the time of the evaluations that it captures, and by `mostPatience` in all, so that
 * a crash soon after a long evaluation loses nothing; one that begins with an evaluation takes at most the time that its caller gives it. Beside
 * that, an evaluation waits only for a short capture of small changes before its first statement; with more than `mostForEachEvaluation` variables, or
 * large ones, that happens once in `streamPeriod`. The names while the queue is held are those of the last capture, with its age.
 * Does not: decide what a capture makes of the workspace (`Workspace.ts`), or write it (`Persistence.ts`).
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Tracer from "effect/Tracer"
import { monotonic, since } from "../../elapsed.ts"
import { type Difference, initial, update } from "../../child/Contents.ts"
import { type Pace, patient } from "../../child/engines/Tracker.ts"
import { Settings } from "../../Settings.ts"
import { spanned, Telemetry } from "../../Telemetry.ts"
import { EvaluationQueue } from "../EvaluationQueue.ts"
import type { Session } from "../Session.ts"
import { makeInspections, readTimeout } from "./inspections.ts"
import { type Live, liveOf, workOf } from "../state.ts"
import { Supervisor } from "../Supervisor.ts"
import { Usage } from "../Usage.ts"
import { Persistence } from "./Persistence.ts"
import { isCurrent } from "./Workspace.ts"

/** A capture begins when the session has been idle for this long, in ms. */
const idleDelay = 100
/** In a stream of evaluations, time between two captures in ms. Large variables are captured only when the stream pauses. */
const streamPeriod = 50
/** After evaluations of this total time, in ms, the capture begins at once. */
const longWork = 50
const mostPatience = 2000
/** Time between two checks of whether the session is idle, in ms. */
const tick = 25
/** Time to read the changes of an evaluation that was stopped at its deadline, in ms. Only an overloaded machine needs so much. */
const quickly = 1000
/** Bytes that are read in some milliseconds. */
const quickVariable = 1024 ** 2
const smallVariable = 64 * 1024
/**
 * With at most this many variables, there is a small capture before each evaluation, so that each can be undone alone. Not while large variables wait
 * to be captured.
 */
const mostForEachEvaluation = 1000

export class Captures extends Context.Service<
  Captures,
  {
    /** Captures all variables, without a time limit, and gives the differences from the last capture. Undefined when the child did not answer. */
    readonly all: (live: Live) => Effect.Effect<readonly Difference[] | undefined>
    /** As `all`; undefined also when it takes more than `quickly`. */
    readonly quick: (live: Live) => Effect.Effect<readonly Difference[] | undefined>
    readonly inspect: Session["inspect"]
    readonly names: Session["names"]
    /** Schedules a capture for the next idle moment, after an evaluation that took `took` ms. `span`: the telemetry span of that evaluation. */
    readonly schedule: (took: number, span?: Tracer.AnySpan) => void
    /** Whether a capture is due before an evaluation: on an engine without interrupts, which is asked name by name, only after long work. */
    readonly isSmallCaptureDue: (live: Live, at: number) => boolean
    /** A capture of at most one answer of the child, unless earlier evaluations have earned more time, of at most `most` ms. */
    readonly captureSmall: (live: Live, most: number) => Effect.Effect<unknown>
    /** A last capture of an idle session, before it is written or ends. */
    readonly last: (pace: Pace) => Effect.Effect<unknown>
  }
>()("k3-mcp/session/Captures") {
  static readonly layer = Layer.effect(
    Captures,
    Effect.suspend(() => make),
  )
}

/** Times in ms, as they are after a complete capture. */
const fresh = {
  /** The time that evaluations took since then. */
  worked: 0,
  /** The time that evaluations waited for captures since then. */
  waited: 0,
  /** The patience at which an engine that is read from the beginning each time is captured before an evaluation. */
  needed: longWork / 2,
}

/** Milliseconds that evaluations may still wait for captures. */
const patienceOf = ({ worked, waited }: typeof fresh): number => Math.min(worked / 2, mostPatience) - waited

const make = Effect.gen(function* () {
  const { captureTotal, evalTimeout } = yield* Settings
  const { state, send, pick, readStored } = yield* Supervisor
  const queue = yield* EvaluationQueue
  const usage = yield* Usage
  const persistence = yield* Persistence
  const clock = yield* Clock.Clock
  const now = yield* monotonic
  const { inspectNow, inspect } = yield* makeInspections
  const run = yield* FiberSet.makeRuntime()
  const telemetry = yield* Telemetry
  let isScheduled = false
  let capturedAt = Number.NEGATIVE_INFINITY
  const times = { ...fresh }
  /** Telemetry span of the latest evaluation. */
  let cause: Tracer.AnySpan | undefined
  /** The latest small capture did not capture the large variables. */
  let largeVariablesWait = false

  const isHeld = (): boolean => isCurrent(state().workspace)

  const readChanges = Effect.fnUntraced(function* ({ tracker, engine }: Live, pace: Pace) {
    if (isHeld()) return []
    const { epoch } = state().workspace
    const found = yield* tracker.read(pace)
    if (found === undefined) return undefined
    const { held, differences } = update(state().workspace.held, found, captureTotal)
    send({ _tag: "Captured", epoch, engine: engine.kind, held, differences, at: clock.currentTimeMillisUnsafe() })
    return differences
  })

  /**
   * Brings the captured variables up to date, as far as the pace allows. When the child ends during the capture, the supervisor's watcher handles the
   * end.
   */
  const capture = (live: Live, pace: Pace, parent?: Tracer.AnySpan) =>
    Effect.map(
      spanned(
        telemetry,
        "capture",
        Effect.orElseSucceed(readChanges(live, pace), () => undefined),
        { parent },
      ),
      (differences) => {
        capturedAt = now()
        if (differences !== undefined) {
          Object.assign(times, fresh)
          largeVariablesWait = false
        }
        persistence.captured()
        return differences
      },
    )

  /**
   * A capture that gives up when one request is not answered in the time of an evaluation. Such a child would keep the queue for ever; without
   * this capture, the next evaluation ends it at its deadline.
   */
  const captureFrom = (live: Live, pace: Pace) =>
    Effect.suspend(() => {
      let answered = now()
      const hurry = (): boolean => {
        answered = now()
        return pace.hurry()
      }
      const silence = Effect.gen(function* () {
        for (let left = evalTimeout; left > 0; left = answered + evalTimeout - now()) yield* Effect.sleep(left)
      })
      return Effect.raceFirst(Effect.asVoid(capture(live, { ...pace, hurry }, cause)), silence)
    })

  /** Makes a function that adds up the time that other work waits for this capture, and says whether the limit is reached. */
  const impatience = (): (() => boolean) => {
    let since: number | undefined
    return () => {
      if (queue.waiting() === 0) return false
      const at = now()
      times.waited += at - (since ?? at)
      since = at
      return patienceOf(times) <= 0
    }
  }

  const whenIdle: Effect.Effect<void> = Effect.gen(function* () {
    for (let gaveWay = true; gaveWay;) {
      do yield* Effect.sleep(tick)
      while (usage.idleMs() < (times.worked >= longWork ? 1 : idleDelay))
      isScheduled = gaveWay = false
      const live = liveOf(state())
      if (live === undefined) return persistence.captured()
      const isLate = impatience()
      const pace: Pace = { ...patient, hurry: () => (gaveWay = isLate()) }
      const done = yield* queue.tryRun(
        inspectNow(live, "").pipe(Effect.andThen(inspectNow(live, ".")), Effect.andThen(captureFrom(live, pace))),
      )
      gaveWay ||= Option.isNone(done)
      isScheduled = gaveWay
    }
  })

  const names: Session["names"] = Effect.gen(function* () {
    const live = liveOf(state())
    const { kind: engine } = live?.engine ?? (yield* pick)
    const pace: Pace = { ...patient, hurry: queue.requiredWaits }
    yield* queue.tryRun(Effect.timeoutOption(live === undefined ? readStored(engine) : capture(live, pace), readTimeout))
    const { held, missed, capturedAt: at } = state().workspace
    // Without a child, the names are those that the next child gets, whatever the last child lost.
    const isNow = workOf(state()) === undefined && (missed === 0 || liveOf(state()) === undefined)
    return {
      engine,
      names: new Map(Array.from(held.variables.values(), ({ path, type }) => [path, type])),
      directory: held.settings?.directory ?? initial.directory,
      ageMs: isNow ? 0 : at === 0 && held.variables.size === 0 ? null : since(at, clock.currentTimeMillisUnsafe()),
    }
  })

  return Captures.of({
    all: (live) => capture(live, patient),
    quick: (live) =>
      Effect.suspend(() => {
        const began = now()
        return capture(live, { hurry: () => now() - began > quickly, mostBytes: quickVariable })
      }),
    inspect,
    names,
    schedule: (took, span) => {
      times.worked += took
      cause = span
      if (isScheduled) return
      isScheduled = true
      run(whenIdle)
    },
    isSmallCaptureDue: (live, at) => {
      if (isHeld()) return false
      if (!live.engine.interruptible) return patienceOf(times) >= times.needed
      const { changing, held } = state().workspace
      return at - capturedAt >= streamPeriod || (changing > 0 && held.variables.size <= mostForEachEvaluation && !largeVariablesWait)
    },
    captureSmall: Effect.fnUntraced(function* (live, most) {
      const began = now()
      const patience = patienceOf(times)
      const isLong = patience >= longWork / 2
      const left = Math.min(patience, most)
      const pace: Pace = isLong ? { ...patient, hurry: () => now() - began > left } : { hurry: () => true, mostBytes: smallVariable }
      const differences = yield* capture(live, pace)
      if (isLong && differences === undefined) {
        times.waited += now() - began
        // The next one gets twice the time: with the same, none would ever be complete.
        times.needed = 2 * (now() - began)
      }
      largeVariablesWait = !isLong && differences === undefined
      return differences
    }),
    last: (pace) =>
      Effect.suspend(() => {
        const live = liveOf(state())
        if (live === undefined) return Effect.void
        return queue.tryRun(capture(live, { ...pace, hurry: () => queue.requiredWaits() || pace.hurry() }))
      }),
  })
})
