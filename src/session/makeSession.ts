/**
 * A session put together: a turn that one evaluation holds at a time, the deadline, and the looks that never wait for it.
 *
 * The deadline and the client's cancel are one thing: interruption of the fiber that holds the turn. It keeps the turn until the child
 * has been stopped, which takes the grace at most, and nothing at all when the child is killed: the kill is followed in the background.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import { statements } from "../repl/frame.ts"
import { Settings } from "../Settings.ts"
import { Engines, type Sight } from "./Engine.ts"
import { checkAll, checkSize, makeProgress, type Progress, run, shortened } from "./evaluate.ts"
import * as Lifecycle from "./Lifecycle.ts"
import { excerpt } from "./Output.ts"
import type { EvaluateRequest, Evaluation, Session, SessionStatus } from "./Session.ts"
import { DeadlineExceeded, GenerationMismatch } from "./SessionError.ts"
import { type Live, liveOf, phaseOf, workOf } from "./state.ts"

/** Looks at the build on disk are this far apart, ms. */
const stalePeriod = 1000
/** An inspection gives up after this long, ms; the child is left to finish it. */
const inspectTimeout = 2000
/** A capture of the names follows when the session has been idle for this long, ms. */
const captureDelay = 100
const mostCaptures = 64

export interface OpenSession extends Session {
  /** Milliseconds since it was last used; 0 while something runs or waits. */
  readonly idleMs: Effect.Effect<number>
  readonly touch: Effect.Effect<void>
}

export const make = Effect.fnUntraced(function* (name: string, scope: Scope.Scope) {
  const settings = yield* Settings
  const engines = yield* Engines
  const fs = yield* FileSystem.FileSystem
  const life = yield* Lifecycle.make(name, scope)
  const turn = yield* Semaphore.make(1)

  let waiting = 0
  let active = 0
  let commands = 0
  let lastUsed = yield* Clock.currentTimeMillis
  let lookedAt = Number.NEGATIVE_INFINITY
  let toldHash: string | undefined
  let capturing = false
  const captures = new Map<string, { readonly sight: Sight; readonly at: number; readonly generation: number }>()

  const touch = Effect.map(Clock.currentTimeMillis, (now) => void (lastUsed = now))
  const idleMs = Effect.map(Clock.currentTimeMillis, (now) => (active > 0 ? 0 : now - lastUsed))

  const inUse = <A, E>(effect: Effect.Effect<A, E>) =>
    Effect.suspend(() => {
      active++
      return Effect.ensuring(
        effect,
        Effect.suspend(() => {
          active--
          return touch
        }),
      )
    })

  /** Waits for the turn within the deadline that surrounds it. */
  const inTurn = <A, E>(effect: Effect.Effect<A, E>) =>
    Effect.suspend(() => {
      let counted = true
      waiting++
      const leave = Effect.sync(() => {
        if (counted) waiting--
        counted = false
      })
      return Effect.ensuring(turn.withPermit(Effect.andThen(leave, effect)), leave)
    })

  const staleness = Effect.fnUntraced(function* (live: Live) {
    const build = yield* live.engine.onDisk
    const stale = build !== null && live.prepared.build !== null && build.content !== live.prepared.build.content
    return { build, stale }
  })

  const noteStale = Effect.fnUntraced(function* (live: Live, progress: Progress, now: number) {
    if (now - lookedAt < stalePeriod) return
    lookedAt = now
    const { build, stale } = yield* staleness(live)
    if (!stale || build === null || toldHash === build.content) return
    toldHash = build.content
    progress.notices.push({ kind: "stale", runningHash: live.prepared.build?.hash ?? "", buildHash: build.hash })
  })

  const evaluateNow = Effect.fnUntraced(function* (
    request: EvaluateRequest,
    progress: Progress,
  ): Effect.fn.Return<Evaluation, EvaluateError> {
    const live = yield* life.connect
    const { generation } = live
    if (request.expectGeneration !== undefined && request.expectGeneration !== generation)
      return yield* new GenerationMismatch({ session: name, expected: request.expectGeneration, actual: generation })
    const list = statements(request.code)
    yield* checkAll(live, list)
    const clock = yield* Clock.Clock
    yield* noteStale(live, progress, clock.currentTimeMillisUnsafe())
    const began = clock.monotonicTimeNanosUnsafe()
    const error = yield* run(name, life, live, list, progress, settings.outputShown).pipe(
      Effect.onInterrupt(() => stop(live, progress)),
      Effect.ensuring(life.done(live)),
    )
    const ms = Number(clock.monotonicTimeNanosUnsafe() - began) / 1e6
    commands++
    const why = life.takeNews()
    if (why !== undefined) progress.notices.unshift({ kind: "fresh", generation, why })
    yield* captureSoon
    const { text: output, truncated } = progress.output
    return {
      ok: error === undefined,
      output,
      ...(truncated === undefined ? {} : { truncated }),
      ...(error === undefined ? {} : { error, failedStatement: progress.number }),
      statements: list.length,
      generation,
      ms,
      notices: progress.notices,
    }
  })

  const stop = Effect.fnUntraced(function* (live: Live, progress: Progress) {
    const stopped = yield* life.stop(live, `"${shortened(progress.statement)}" was ended by force`)
    progress.state = stopped.state
    progress.output.add(stopped.reply, excerpt(stopped.reply, settings.outputShown))
  })

  const evaluate = (request: EvaluateRequest) =>
    Effect.suspend(() => {
      const asked = request.timeoutMs ?? settings.evalTimeout
      const timeoutMs = Math.min(asked, settings.evalTimeoutMax)
      const progress = makeProgress(settings.outputShown)
      if (asked > timeoutMs) progress.notices.push({ kind: "timeout-capped", askedMs: asked, usedMs: timeoutMs })
      return checkSize(request.code).pipe(
        Effect.andThen(inTurn(evaluateNow(request, progress))),
        Effect.timeoutOrElse({ duration: timeoutMs, orElse: () => Effect.suspend(() => exceeded(timeoutMs, progress)) }),
        inUse,
      )
    })

  const exceeded = (timeoutMs: number, progress: Progress) => {
    // The caller is told by this very error.
    if (progress.state === "lost") life.takeNews()
    return new DeadlineExceeded({
      session: name,
      timeoutMs,
      waiting: progress.number === 0,
      state: progress.state,
      generation: life.generation(),
      statement: shortened(progress.number === 0 ? (workOf(life.state())?.statement ?? "") : progress.statement),
      statementNumber: progress.number,
      output: progress.output.text,
    })
  }

  const look = Effect.fnUntraced(
    function* (live: Live, path: string) {
      const sight = yield* Effect.timeoutOption(live.engine.inspect(live.child, path), inspectTimeout)
      if (Option.isNone(sight)) return
      captures.delete(path)
      captures.set(path, { sight: sight.value, at: yield* Clock.currentTimeMillis, generation: live.generation })
      const oldest = captures.keys().next()
      if (captures.size > mostCaptures && oldest.done === false) captures.delete(oldest.value)
    },
    Effect.catchTag("ChildEnded", () => Effect.void),
  )

  /** So that there is something to show while a later evaluation runs; waits until the session has been idle, so it delays none. */
  const captureSoon = Effect.suspend(() => {
    if (capturing) return Effect.void
    capturing = true
    return Effect.asVoid(Effect.forkIn(captureWhenIdle, scope))
  })

  const captureWhenIdle = Effect.gen(function* () {
    do yield* Effect.sleep(captureDelay)
    while ((yield* idleMs) < captureDelay)
    capturing = false
    const live = liveOf(life.state())
    if (live !== undefined) yield* turn.withPermitsIfAvailable(1)(look(live, "."))
  })

  const inspect: Session["inspect"] = Effect.fnUntraced(function* (path) {
    yield* turn.withPermitsIfAvailable(1)(Effect.flatMap(life.connect, (live) => look(live, path)))
    const seen = captures.get(path)
    const generation = life.generation()
    if (seen === undefined) return { path, entries: [], generation, ageMs: 0, omitted: 0, unknown: true as const }
    return { ...seen.sight, generation: seen.generation, ageMs: (yield* Clock.currentTimeMillis) - seen.at }
  }, inUse)

  const replaced = Effect.tap(life.replace, () => Effect.sync(() => captures.clear()))

  const reset: Session["reset"] = Effect.gen(function* () {
    const live = liveOf(life.state())
    if (live !== undefined && (yield* cleared(live)) && liveOf(life.state()) === live)
      return { how: "cleared" as const, generation: live.generation }
    const { now } = yield* replaced
    return { how: "relaunched" as const, generation: now.generation }
  }).pipe(inTurn, inUse)

  const cleared = (live: Live) =>
    (live.engine.clear?.(live.child) ?? Effect.succeed(false)).pipe(
      Effect.timeoutOption(inspectTimeout),
      Effect.map(Option.getOrElse(() => false)),
      Effect.orElseSucceed(() => false),
      Effect.tap(() => Effect.sync(() => captures.clear())),
    )

  const reload: Session["reload"] = Effect.gen(function* () {
    const clock = yield* Clock.Clock
    const began = clock.monotonicTimeNanosUnsafe()
    const { before, now } = yield* replaced
    return {
      oldHash: before?.prepared.build?.hash ?? null,
      newHash: now.prepared.build?.hash ?? null,
      generation: now.generation,
      ms: Number(clock.monotonicTimeNanosUnsafe() - began) / 1e6,
    }
  }).pipe(inTurn, inUse)

  const memoryOf = (pid: number) =>
    fs.readFileString(`/proc/${pid}/status`).pipe(
      Effect.map((text) => Number(/VmRSS:\s+(\d+) kB/.exec(text)?.[1] ?? Number.NaN) * 1024),
      Effect.map((bytes) => (Number.isNaN(bytes) ? null : bytes)),
      Effect.orElseSucceed(() => null),
    )

  const status: Session["status"] = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const state = life.state()
    const live = liveOf(state)
    const work = workOf(state)
    const engine = live?.engine ?? (yield* engines.pick)
    const { build, stale } = live === undefined ? { build: yield* engine.onDisk, stale: false } : yield* staleness(live)
    return {
      name,
      phase: phaseOf(state),
      engine: engine.kind,
      engineWhy: engine.why,
      pid: live?.child.pid ?? null,
      generation: live?.generation ?? life.generation(),
      shadow: live?.prepared.shadow ?? null,
      buildFolder: engine.buildFolder,
      runningHash: live?.prepared.build?.hash ?? null,
      buildHash: build?.hash ?? null,
      stale,
      uptimeMs: live === undefined ? null : now - live.since,
      commands,
      running: work === undefined ? null : { statement: shortened(work.statement), forMs: now - work.since, waiting },
      lastCrash: life.lastCrash(),
      idleMs: yield* idleMs,
      memoryBytes: live === undefined ? null : yield* memoryOf(live.child.pid),
    } satisfies SessionStatus
  })

  return { name, evaluate, status, reset, reload, inspect, idleMs, touch } satisfies OpenSession
})

type EvaluateError = Effect.Error<ReturnType<Session["evaluate"]>>
