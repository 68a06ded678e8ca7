/**
 * Looking at what a session's child holds: for giving it back, and for who inspects.
 *
 * Guarantees: nothing here delays an evaluation but a glance before the first statement of a stream of them, once in `streamPeriod`, at
 * what is small; a look while somebody else has the turn answers from what was seen last, and says how old that is. Does not: hold
 * variables (`Keeper.ts`), or write them (`Persistence.ts`).
 */
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import { elapsedMs, since } from "../../elapsed.ts"
import type { Engine } from "../../child/engines/Engine.ts"
import type { Sight } from "../../child/engines/Sight.ts"
import { type Keeper, patient } from "./Keeper.ts"
import type { Lifecycle } from "../Lifecycle.ts"
import type { Persistence } from "./Persistence.ts"
import type { Session } from "../Session.ts"
import { type Live, liveOf, workOf } from "../state.ts"
import type { Pace } from "../../child/engines/Tracker.ts"
import type { Turn } from "../Turn.ts"
import type { Usage } from "../Usage.ts"
import type { View } from "../../child/engines/view.ts"

/** A look at a path gives up after this long, ms; the child is left to finish it. */
export const lookTimeout = 2000
/** A capture follows when the session has been idle for this long, ms. */
const idleDelay = 100
/** A stream of evaluations is captured this often, ms; of large variables not before it pauses. */
const streamPeriod = 50
const smallVariable = 64 * 1024
const mostSights = 64

interface Parts {
  readonly keeper: Keeper
  readonly life: Lifecycle
  readonly turn: Turn
  readonly usage: Usage
  readonly persistence: Persistence
  readonly clock: Clock.Clock
  readonly scope: Scope.Scope
  /** What is launched when there is no child. */
  readonly pick: Effect.Effect<Engine>
}

export type Captures = ReturnType<typeof make>

export const make = ({ keeper, life, turn, usage, persistence, clock, scope, pick }: Parts) => {
  const sights = new Map<string, { readonly sight: Sight; readonly at: number; readonly generation: number }>()
  const now = (): number => elapsedMs(clock)
  let scheduled = false
  let capturedAt = Number.NEGATIVE_INFINITY

  let gaveWay = false

  const whileNobodyWaits: Pace = { ...patient, hurry: () => (gaveWay = turn.waiting > 0) }

  /** Brings what is held up to date, as far as it gets; a child that ends by it is followed up by its own watcher. */
  const capture = (live: Live, pace: Pace) =>
    Effect.orElseSucceed(keeper.look(live, pace), () => undefined).pipe(
      Effect.tap(() => Effect.sync(() => (capturedAt = now()))),
      Effect.tap(persistence.captured),
    )

  const look = Effect.fnUntraced(
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
    do yield* Effect.sleep(idleDelay)
    while (usage.idleMs < idleDelay)
    scheduled = gaveWay = false
    const live = liveOf(life.state())
    if (live === undefined) return
    yield* turn.ifFree(Effect.andThen(look(live, "."), capture(live, whileNobodyWaits)), true)
    // Who only looked asks for no other one.
    if (gaveWay) yield* soon
  })

  const soon = Effect.suspend(() => {
    if (scheduled) return Effect.void
    scheduled = true
    return Effect.asVoid(Effect.forkIn(whenIdle, scope))
  })

  const inspect: Session["inspect"] = (path, view = {}) =>
    usage.during(
      Effect.gen(function* () {
        const asked = now()
        yield* turn.ifFree(Effect.flatMap(life.connect, (live) => look(live, path, view)))
        const seen = sights.get(path + JSON.stringify(view))
        const generation = life.generation()
        if (seen === undefined) return { path, entries: [], generation, ageMs: 0, omitted: 0, unknown: true as const }
        return { ...seen.sight, generation: seen.generation, ageMs: seen.at >= asked ? 0 : asked - seen.at }
      }),
    )

  const names: Session["names"] = Effect.gen(function* () {
    const live = liveOf(life.state())
    const { kind: engine } = live?.engine ?? (yield* pick)
    const look = live === undefined ? persistence.load(engine) : keeper.isCurrent ? Effect.void : capture(live, whileNobodyWaits)
    yield* turn.ifFree(Effect.timeoutOption(look, lookTimeout))
    const { variables, workspace } = keeper.contents
    const isNow = keeper.isCurrent && workOf(life.state()) === undefined
    return {
      engine,
      names: new Map(Array.from(variables.values(), ({ path, type }) => [path, type])),
      directory: workspace?.directory ?? ".k",
      ageMs: isNow ? 0 : keeper.at === 0 && variables.size === 0 ? null : since(keeper.at, clock.currentTimeMillisUnsafe()),
    }
  })

  return {
    /** All there is, however long it takes; undefined when it could not be told. */
    all: (live: Live) => capture(live, patient),
    inspect,
    names,
    /** So that there is something to show, and to give back, while a later evaluation runs; waits until the session has been idle. */
    soon,
    isScheduled: (): boolean => scheduled,
    /** Is a glance due, in front of an evaluation? Never on an engine that has to be asked name by name. */
    glanceDue: (live: Live, at: number): boolean => !keeper.isCurrent && live.engine.interruptible && at - capturedAt >= streamPeriod,
    /** What one answer of the child tells. */
    glance: (live: Live) => capture(live, { hurry: () => true, soon: smallVariable }),
    /** A last one of an idle session, within a pace. */
    last: (pace: Pace) =>
      Effect.suspend(() => {
        const live = liveOf(life.state())
        if (live === undefined) return Effect.void
        const hurry = () => turn.waiting > 0 || pace.hurry()
        return turn.ifFree(capture(live, { ...pace, hurry }))
      }),
    /** The workspace is another one. */
    forgetSights: (): void => sights.clear(),
  }
}
