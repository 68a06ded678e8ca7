/**
 * A session put together: a turn that one evaluation holds at a time, the deadline, and the looks that never wait for it.
 *
 * The deadline and the client's cancel are one thing: interruption of the fiber that holds the turn. It keeps the turn until the child
 * has been stopped, which takes the grace at most, and nothing at all when the child is killed: the kill is followed in the background.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import { statements } from "../repl/frame.ts"
import { Settings } from "../Settings.ts"
import * as asides from "./asides.ts"
import { Baselines } from "./Baselines.ts"
import { CrashRecords } from "./CrashRecord.ts"
import { Engines, type Sight } from "./Engine.ts"
import { checkAll, checkSize, makeProgress, type Progress, run, shortened } from "./evaluate.ts"
import { recordOf } from "./Fall.ts"
import { History } from "./History.ts"
import { Keeper, patient } from "./Keeper.ts"
import * as Lifecycle from "./Lifecycle.ts"
import { makeMemoryWatch } from "./memoryWatch.ts"
import type { OpenSession, Origin } from "./OpenSession.ts"
import * as reload from "./reload.ts"
import { excerpt } from "./Output.ts"
import { Outputs } from "./Outputs.ts"
import * as Persistence from "./Persistence.ts"
import { makeRecording } from "./recording.ts"
import { scriptOf } from "./script.ts"
import type { EvaluateRequest, Evaluation, KFailure, Session, SessionStatus } from "./Session.ts"
import { DeadlineExceeded, GenerationMismatch, SessionClosed } from "./SessionError.ts"
import { makeStored } from "./snapshots.ts"
import { StateFolder } from "./StateFolder.ts"
import * as storedBaselines from "./storedBaselines.ts"
import type { View } from "./view.ts"
import type { Pace } from "./Tracker.ts"
import { type Live, liveOf, phaseOf, workOf } from "./state.ts"

/** Looks at the build on disk are this far apart, ms. */
const stalePeriod = 1000
/** An inspection gives up after this long, ms; the child is left to finish it. */
const inspectTimeout = 2000
/** A capture of the names follows when the session has been idle for this long, ms. */
const captureDelay = 100
const mostCaptures = 64
/** A stream of evaluations is captured this often, ms; of large variables not before it pauses. */
const streamPeriod = 50
const smallVariable = 64 * 1024

/** `ended`: why an earlier life of the session in this server is over, when it held something. */
export const make = Effect.fnUntraced(function* (name: string, scope: Scope.Scope, origin: Origin = {}, ended?: string) {
  const settings = yield* Settings
  const engines = yield* Engines
  const crashes = yield* CrashRecords
  const keeper = new Keeper({ bytes: settings.captureTotal, batchTimeout: settings.launchTimeout })
  const disk = yield* StateFolder
  const outputs = yield* Outputs
  const { engine: chosen, why = "asked for" } = origin
  const persistence = yield* Persistence.make(name, scope, keeper, chosen, ended)
  const named = (kind: typeof chosen) => (kind === undefined ? engines.pick : Effect.sync(() => engines.named(kind, why)))
  const pick = Effect.flatMap(persistence.madeWith, named)
  const recording = makeRecording(name, yield* History, () => life.generation())
  const life: Lifecycle.Lifecycle = yield* Lifecycle.make(
    name,
    scope,
    pick,
    (launched) => Effect.andThen(persistence.load(launched.engine.kind), keeper.giveBack(launched)),
    (fall) => crashes.note(recordOf(name, fall, keeper, recording, memory.last())),
  )
  const memory = yield* makeMemoryWatch(
    scope,
    () => liveOf(life.state())?.child.pid,
    () => active > 0,
  )
  const turn = yield* Semaphore.make(1)

  let waiting = 0
  let active = 0
  let commands = 0
  const made = yield* Clock.currentTimeMillis
  let lastUsed = made
  let lookedAt = Number.NEGATIVE_INFINITY
  let toldHash: string | undefined
  let doing: string | null = null
  let capturing = false
  let capturedAt = Number.NEGATIVE_INFINITY
  const baselines = new Baselines(name, settings.captureTotal)
  if (origin.contents !== undefined) {
    // It takes the place of what an earlier session of that name left on disk.
    yield* Effect.andThen(persistence.forget, disk.remove(storedBaselines.snapshotsFolder(name)))
    keeper.hold(origin.contents, made)
    keeper.engine = chosen
  }
  const captures = new Map<string, { readonly sight: Sight; readonly at: number; readonly generation: number }>()

  const touch = Effect.map(Clock.currentTimeMillis, (now) => void (lastUsed = now))
  const idleMs = Effect.map(Clock.currentTimeMillis, (now) => (active > 0 ? 0 : now - lastUsed))

  const inUse = <A, E>(effect: Effect.Effect<A, E>) =>
    Effect.suspend(() => {
      active++
      return Effect.ensuring(
        Effect.mapError(effect, (error) => (life.state()._tag === "Closed" ? new SessionClosed({ session: name }) : error)),
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
    recording.on(live, request, progress)
    yield* memory.soon
    if (request.expectGeneration !== undefined && request.expectGeneration !== live.generation)
      return yield* new GenerationMismatch({ session: name, expected: request.expectGeneration, actual: live.generation })
    const list = statements(request.code)
    yield* checkAll(live, list)
    const clock = yield* Clock.Clock
    const startedAt = clock.currentTimeMillisUnsafe()
    yield* noteStale(live, progress, startedAt)
    const began = clock.monotonicTimeNanosUnsafe()
    const [error, now, changes] = yield* prepare(live, request, progress, startedAt).pipe(
      Effect.andThen(run(name, life, keeper, live, list, progress, settings.outputShown)),
      Effect.flatMap((failed) => after(live, request, progress, failed)),
      Effect.onInterrupt(() => stop(live, progress, request.rollback === true)),
      Effect.ensuring(life.done(live)),
    )
    const { generation } = now
    const ms = Number(clock.monotonicTimeNanosUnsafe() - began) / 1e6
    commands++
    const { why: earlier, ...age } = persistence.takeNews() ?? {}
    const why = life.takeNews() ?? earlier
    const given = keeper.takeGivenBack()
    if (why !== undefined)
      progress.notices.unshift(
        given === undefined ? { kind: "fresh", generation, why } : { kind: "restored", generation, why, ...age, ...given },
      )
    for (const sentence of yield* disk.takeTrouble) progress.notices.push({ kind: "disk", sentence })
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
      ...(changes !== undefined && { changes }),
      ...(error !== undefined && request.rollback === true && { rolledBack: true as const }),
    }
  })

  const noteEvaluated = (): void => {
    keeper.evaluated()
    persistence.evaluated()
  }

  /** What follows the last statement: the error, the child that answers now, and what changed if that was asked. */
  const after = Effect.fnUntraced(function* (live: Live, request: EvaluateRequest, progress: Progress, error: KFailure | undefined) {
    progress.aside = true
    if (error !== undefined && request.rollback === true) {
      const now = yield* rollBack(live)
      noteEvaluated()
      return [error, now, request.changes === true ? [] : undefined] as const
    }
    noteEvaluated()
    return [error, live, request.changes === true ? ((yield* capture(live, patient)) ?? null) : undefined] as const
  })

  const stop = Effect.fnUntraced(function* (live: Live, progress: Progress, rollback: boolean) {
    const stopped = yield* life.stop(live, `"${shortened(progress.statement)}" was ended by force`)
    progress.state = stopped.state === "lost" && keeper.holds ? "restored" : stopped.state
    if (!progress.aside) progress.output.add(stopped.reply, excerpt(stopped.reply, settings.outputShown))
    if (rollback && stopped.state === "kept") yield* back(live)
    if (rollback && keeper.isCurrent) progress.state = "rolled-back"
    if (stopped.state !== "kept") return
    noteEvaluated()
    yield* captureSoon
  })

  const evaluate = (request: EvaluateRequest) =>
    Effect.suspend(() => {
      const asked = request.timeoutMs ?? settings.evalTimeout
      const timeoutMs = Math.min(asked, settings.evalTimeoutMax)
      const progress = makeProgress(settings.outputShown, outputs.open)
      if (asked > timeoutMs) progress.notices.push({ kind: "timeout-capped", askedMs: asked, usedMs: timeoutMs })
      return checkSize(request.code).pipe(
        Effect.andThen(inTurn(evaluateNow(request, progress))),
        Effect.timeoutOrElse({ duration: timeoutMs, orElse: () => Effect.suspend(() => exceeded(timeoutMs, progress)) }),
        inUse,
        (evaluation) => recording.evaluation(request, progress, evaluation),
      )
    })

  const exceeded = (timeoutMs: number, progress: Progress, doing?: string) => {
    // The caller is told by this very error.
    if (progress.state === "lost") life.takeNews()
    return new DeadlineExceeded({
      session: name,
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

  const look = Effect.fnUntraced(
    function* (live: Live, path: string, view: View = {}) {
      const sight = yield* Effect.timeoutOption(live.engine.inspect(live.child, path, view), inspectTimeout)
      if (Option.isNone(sight)) return
      const key = path + JSON.stringify(view)
      captures.delete(key)
      captures.set(key, { sight: sight.value, at: yield* Clock.currentTimeMillis, generation: live.generation })
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
    if (live === undefined) return
    yield* turn.withPermitsIfAvailable(1)(Effect.andThen(look(live, "."), capture(live, whileNobodyWaits)))
  })

  /** Brings what is held up to date, as far as it gets; a child that ends by it is followed up by its own watcher. */
  const capture = (live: Live, pace: Pace) =>
    Effect.orElseSucceed(keeper.look(live, pace), () => undefined).pipe(
      Effect.tap(() => Effect.map(Clock.currentTimeMillis, (now) => void (capturedAt = now))),
      Effect.tap(persistence.captured),
    )

  const whileNobodyWaits: Pace = { ...patient, hurry: () => waiting > 0 }

  const persist = (withinMs: number) =>
    persistence.now((pace) => {
      const live = liveOf(life.state())
      if (live === undefined) return Effect.void
      const hurry = () => waiting > 0 || pace.hurry()
      return turn.withPermitsIfAvailable(1)(capture(live, { ...pace, hurry }))
    }, withinMs)

  /** Before the first statement. An engine that has to be asked name by name is not asked here unless somebody wants to know. */
  const prepare = (live: Live, { rollback, changes }: EvaluateRequest, progress: Progress, now: number) =>
    Effect.suspend(() => {
      const wanted = rollback === true || changes === true
      if (!wanted && (keeper.isCurrent || now - capturedAt < streamPeriod || !live.engine.interruptible)) return Effect.void
      progress.aside = true
      const look = capture(live, wanted ? patient : { hurry: () => true, soon: smallVariable })
      return rollback === true ? Effect.andThen(look, mark(live)) : Effect.asVoid(look)
    })

  const mark = (live: Live) => Effect.ignore(keeper.trackerOf(live).marks?.mark ?? Effect.void)
  const back = (live: Live) => Effect.ignore(keeper.trackerOf(live).marks?.back ?? Effect.void)

  /** The variables as they were: gone back to inside the child, or given to a new one. */
  const rollBack = (live: Live) =>
    Effect.suspend(() =>
      keeper.trackerOf(live).marks === null
        ? Effect.andThen(life.renew(live, "the evaluation was rolled back"), life.connect)
        : Effect.as(back(live), live),
    )

  const inspect: Session["inspect"] = Effect.fnUntraced(function* (path, view = {}) {
    const asked = yield* Clock.currentTimeMillis
    yield* turn.withPermitsIfAvailable(1)(Effect.flatMap(life.connect, (live) => look(live, path, view)))
    const seen = captures.get(path + JSON.stringify(view))
    const generation = life.generation()
    if (seen === undefined) return { path, entries: [], generation, ageMs: 0, omitted: 0, unknown: true as const }
    return { ...seen.sight, generation: seen.generation, ageMs: seen.at >= asked ? 0 : asked - seen.at }
  }, inUse)

  const names: Session["names"] = Effect.gen(function* () {
    const live = liveOf(life.state())
    const { kind: engine } = live?.engine ?? (yield* pick)
    const look = live === undefined ? persistence.load(engine) : keeper.isCurrent ? Effect.void : capture(live, whileNobodyWaits)
    yield* turn.withPermitsIfAvailable(1)(Effect.timeoutOption(look, inspectTimeout))
    const { variables, workspace } = keeper.contents
    const isNow = keeper.isCurrent && workOf(life.state()) === undefined
    return {
      engine,
      names: new Map(Array.from(variables.values(), ({ path, type }) => [path, type])),
      directory: workspace?.directory ?? ".k",
      ageMs: isNow ? 0 : keeper.at === 0 && variables.size === 0 ? null : (yield* Clock.currentTimeMillis) - keeper.at,
    }
  })

  const reset: Session["reset"] = Effect.gen(function* () {
    keeper.forget()
    yield* persistence.forget
    const live = liveOf(life.state())
    if (live !== undefined && (yield* cleared(live)) && liveOf(life.state()) === live)
      return { how: "cleared" as const, generation: live.generation }
    const { now } = yield* life.replace(() => Effect.void)
    captures.clear()
    return { how: "relaunched" as const, generation: now.generation }
  }).pipe(
    Effect.tap(() => recording.event("reset")),
    inTurn,
    inUse,
  )

  const cleared = (live: Live) =>
    (live.engine.clear?.(live.child) ?? Effect.succeed(false)).pipe(
      Effect.timeoutOption(inspectTimeout),
      Effect.map(Option.getOrElse(() => false)),
      Effect.orElseSucceed(() => false),
      Effect.tap(() => Effect.sync(() => captures.clear())),
    )

  const takeUp = yield* reload.make({
    keeper,
    life,
    engine: { pick, fixed: chosen ?? (settings.engine === "auto" ? undefined : settings.engine) },
    capture: (live) => capture(live, patient),
    inTurn,
    doing: (what) => (doing = what),
    forget: persistence.forget,
    replaced: () => {
      captures.clear()
      persistence.takeNews()
    },
  })

  const aside = asides.make({
    session: name,
    keeper,
    life,
    deadline: settings.evalTimeout,
    late: (what) => exceeded(settings.evalTimeout, makeProgress(0), what),
    inTurn: (effect) => inUse(inTurn(effect)),
    ifFree: (effect) => inUse(turn.withPermitsIfAvailable(1)(effect)),
    capture: (live) => capture(live, patient),
  })

  const { snapshots, ready } = yield* makeStored(baselines, {
    session: name,
    keeper,
    life,
    ...aside,
    mark,
    back,
    restored: persistence.evaluated,
    stored: storedBaselines.make(name, disk),
  })

  const script: Session["script"] = (most) =>
    Effect.gen(function* () {
      yield* aside.ifIdle
      const engine = liveOf(life.state())?.engine ?? (yield* pick)
      return { ...scriptOf(engine.kind, keeper.contents, most), missed: keeper.summary.missed }
    })

  const status: Session["status"] = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const state = life.state()
    const live = liveOf(state)
    const work = workOf(state)
    const spare = life.sparePid()
    const engine = live?.engine ?? (yield* named(persistence.knownMadeWith()))
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
      doing,
      running: work === undefined ? null : { statement: shortened(work.statement), nth: work.nth, forMs: now - work.since, waiting },
      lastCrash: life.lastCrash(),
      ageMs: now - made,
      idleMs: yield* idleMs,
      held: keeper.summary,
      onDisk: yield* persistence.status,
      spare: spare === null ? null : { pid: spare, memoryBytes: yield* memory.residentBytes(spare) },
      memoryBytes: live === undefined ? null : yield* memory.residentBytes(live.child.pid),
    } satisfies SessionStatus
  })

  return {
    name,
    evaluate,
    status,
    reset,
    reload: (request) => inUse(Effect.tap(takeUp(request), () => (request.preserveState ? Effect.void : recording.event("reload")))),
    inspect,
    names,
    persist: persist(settings.evalTimeout),
    persistWithin: persist,
    holds: () => keeper.holds,
    script,
    snapshots: {
      ...snapshots,
      restore: (snapshot) => Effect.tap(snapshots.restore(snapshot), () => recording.event("restore")),
    },
    idleMs,
    busy: () => active > 0,
    touch,
    program: () => liveOf(life.state()),
    held: Effect.map(Effect.ignore(aside.ifIdle), () => keeper.copy()),
    ...asides.outward(aside, keeper, baselines, ready),
    close: life.close,
  } satisfies OpenSession
})

type EvaluateError = Effect.Error<ReturnType<Session["evaluate"]>>
