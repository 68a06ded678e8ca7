/**
 * Reads the variables of a session's child: to restore them later, and to inspect them.
 *
 * Guarantees: a capture delays evaluations by at most half the time of the evaluations that it captures, and by `mostPatience` in all, so that
 * a crash soon after a long evaluation loses nothing. Beside that, an evaluation waits only for a short capture of small changes before its
 * first statement; with more than a `few` variables, or large ones, that happens once in `streamPeriod`. An inspection while the queue is held
 * answers from the last capture, and says how old that is. Does not: decide what a capture makes of the workspace (`Workspace.ts`), or write it
 * (`Persistence.ts`).
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Tracer from "effect/Tracer"
import { elapsedMs, since } from "../../elapsed.ts"
import { type Difference, update } from "../../child/Contents.ts"
import type { Sight } from "../../child/engines/Sight.ts"
import { type Pace, patient } from "../../child/engines/Tracker.ts"
import type { View } from "../../child/engines/view.ts"
import { Settings } from "../../Settings.ts"
import { spanned, Telemetry } from "../../Telemetry.ts"
import { EvaluationQueue } from "../EvaluationQueue.ts"
import type { Session } from "../Session.ts"
import { type Live, liveOf, workOf } from "../state.ts"
import { Supervisor } from "../Supervisor.ts"
import { Usage } from "../Usage.ts"
import { Persistence } from "./Persistence.ts"
import { isCurrent } from "./Workspace.ts"

/** An inspection gives up after this long, in ms; the child finishes it alone. */
export const lookTimeout = 2000
/** A capture follows when the session has been idle for this long, ms. */
const idleDelay = 100
/** A stream of evaluations is captured this often, ms; of large variables not before it pauses. */
const streamPeriod = 50
/** After evaluations that took so long the capture follows at once, ms. */
const longWork = 50
const mostPatience = 2000
/** How often it is seen whether the session has been idle for long enough, ms. */
const tick = 25
const smallVariable = 64 * 1024
/** Of so few variables a glance is taken between any two evaluations, unless large ones wait to be captured: each can be undone by itself. */
const few = 1000
const mostSights = 64

export class Captures extends Context.Service<
  Captures,
  {
    /** All there is, however long it takes, and what differs; undefined when it could not be told. */
    readonly all: (live: Live) => Effect.Effect<readonly Difference[] | undefined>
    readonly inspect: Session["inspect"]
    readonly names: Session["names"]
    /** So that there is something to show, and to give back, while a later evaluation runs; the evaluation took that many ms, in that span. */
    readonly soon: (took: number, span?: Tracer.AnySpan) => void
    /** Is a glance due, in front of an evaluation? Never on an engine that has to be asked name by name. */
    readonly isGlanceDue: (live: Live, at: number) => boolean
    /** What one answer of the child tells. */
    readonly glance: (live: Live) => Effect.Effect<unknown>
    /** A last one of an idle session, within a pace. */
    readonly last: (pace: Pace) => Effect.Effect<unknown>
    /** The workspace is another one. */
    readonly forgetSights: () => void
  }
>()("k3-mcp/session/Captures") {
  static readonly layer = Layer.effect(
    Captures,
    Effect.suspend(() => make),
  )
}

const make = Effect.gen(function* () {
  const { captureTotal } = yield* Settings
  const { state, send, connect, pick, read } = yield* Supervisor
  const queue = yield* EvaluationQueue
  const usage = yield* Usage
  const persistence = yield* Persistence
  const clock = yield* Clock.Clock
  const run = yield* FiberSet.makeRuntime()
  const telemetry = yield* Telemetry
  const sights = new Map<string, { readonly sight: Sight; readonly at: number; readonly generation: number }>()
  const now = (): number => elapsedMs(clock)
  let isScheduled = false
  let capturedAt = Number.NEGATIVE_INFINITY
  /** Milliseconds that evaluations took since the last capture that came to its end, and that others waited for captures since. */
  let worked = 0
  let waited = 0
  /** Of the latest evaluation. */
  let cause: Tracer.AnySpan | undefined
  /** The latest glance left out what is large. */
  let isLeft = false

  const isHeld = (): boolean => isCurrent(state().workspace)

  const look = Effect.fnUntraced(function* ({ tracker, engine }: Live, pace: Pace) {
    if (isHeld()) return []
    const { epoch } = state().workspace
    const found = yield* tracker.look(pace)
    if (found === undefined) return undefined
    const { held, differences } = update(state().workspace.held, found, captureTotal)
    send({ _tag: "Captured", epoch, engine: engine.kind, held, differences, at: clock.currentTimeMillisUnsafe() })
    return differences
  })

  /** Brings what is held up to date, as far as it gets; a child that ends by it is followed up by its own watcher. */
  const capture = (live: Live, pace: Pace, parent?: Tracer.AnySpan) =>
    Effect.map(
      spanned(
        telemetry,
        "capture",
        Effect.orElseSucceed(look(live, pace), () => undefined),
        { parent },
      ),
      (differences) => {
        capturedAt = now()
        if (differences !== undefined) {
          worked = waited = 0
          isLeft = false
        }
        persistence.captured()
        return differences
      },
    )

  /** Is it too much to ask of those who wait? They are asked again and again while they do. */
  const impatience = (): (() => boolean) => {
    let since: number | undefined
    return () => {
      if (queue.waiting() === 0) return false
      const at = now()
      waited += at - (since ?? at)
      since = at
      return waited >= Math.min(worked / 2, mostPatience)
    }
  }

  const inspectNow = Effect.fnUntraced(
    function* (live: Live, path: string, view: View = {}) {
      const sight = yield* Effect.timeoutOption(live.engine.inspect(live.child, path, view), lookTimeout)
      if (Option.isNone(sight)) return
      const key = path + JSON.stringify(view)
      sights.delete(key)
      sights.set(key, { sight: sight.value, at: now(), generation: live.generation })
      const oldest = sights.keys().next()
      if (sights.size > mostSights && oldest.done === false) sights.delete(oldest.value)
    },
    Effect.catchTag("ChildEnded", () => Effect.void),
  )

  const whenIdle: Effect.Effect<void> = Effect.gen(function* () {
    for (let gaveWay = true; gaveWay;) {
      do yield* Effect.sleep(tick)
      while (usage.idleMs() < (worked >= longWork ? 1 : idleDelay))
      isScheduled = gaveWay = false
      const live = liveOf(state())
      if (live === undefined) return
      const isLate = impatience()
      const pace: Pace = { ...patient, hurry: () => (gaveWay = isLate()) }
      yield* queue.tryRun(
        inspectNow(live, "").pipe(Effect.andThen(inspectNow(live, ".")), Effect.andThen(capture(live, pace, cause))),
        true,
      )
      isScheduled = gaveWay
    }
  })

  const inspect: Session["inspect"] = (path, view = {}) =>
    usage.during(
      Effect.gen(function* () {
        const asked = now()
        yield* queue.tryRun(Effect.flatMap(connect, (live) => inspectNow(live, path, view)))
        const seen = sights.get(path + JSON.stringify(view))
        const { generation } = state()
        if (seen === undefined) return { path, entries: [], generation, ageMs: 0, omitted: 0, unknown: true as const }
        return { ...seen.sight, generation: seen.generation, ageMs: seen.at >= asked ? 0 : asked - seen.at }
      }),
    )

  const names: Session["names"] = Effect.gen(function* () {
    const live = liveOf(state())
    const { kind: engine } = live?.engine ?? (yield* pick)
    const pace: Pace = { ...patient, hurry: () => queue.waiting() > 0 }
    yield* queue.tryRun(Effect.timeoutOption(live === undefined ? read(engine) : capture(live, pace), lookTimeout))
    const { held, missed, capturedAt: at } = state().workspace
    const isNow = missed === 0 && workOf(state()) === undefined
    return {
      engine,
      names: new Map(Array.from(held.variables.values(), ({ path, type }) => [path, type])),
      directory: held.workspace?.directory ?? ".k",
      ageMs: isNow ? 0 : at === 0 && held.variables.size === 0 ? null : since(at, clock.currentTimeMillisUnsafe()),
    }
  })

  return Captures.of({
    all: (live) => capture(live, patient),
    inspect,
    names,
    soon: (took, span) => {
      worked += took
      cause = span
      if (isScheduled) return
      isScheduled = true
      run(whenIdle)
    },
    isGlanceDue: (live, at) => {
      if (isHeld() || !live.engine.interruptible) return false
      const { changing, held } = state().workspace
      return at - capturedAt >= streamPeriod || (changing > 0 && held.variables.size <= few && !isLeft)
    },
    glance: Effect.fnUntraced(function* (live) {
      const began = now()
      const left = Math.min(worked / 2, mostPatience) - waited
      const isLong = left >= longWork / 2
      const pace: Pace = isLong ? { ...patient, hurry: () => now() - began > left } : { hurry: () => true, soon: smallVariable }
      const differences = yield* capture(live, pace)
      if (isLong && differences === undefined) waited += now() - began
      isLeft = !isLong && differences === undefined
      return differences
    }),
    last: (pace) =>
      Effect.suspend(() => {
        const live = liveOf(state())
        if (live === undefined) return Effect.void
        return queue.tryRun(capture(live, { ...pace, hurry: () => queue.waiting() > 0 || pace.hurry() }))
      }),
    forgetSights: () => sights.clear(),
  })
})
