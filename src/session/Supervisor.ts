/**
 * Holds a session's state (`state.ts`) and runs the commands of its transitions. Every launch, end and replacement of a
 * child happens here.
 *
 * Guarantees: the launching fiber owns a child until the state adopts it, and closes it in every other outcome. A child is adopted only after
 * the killed child before it has been reaped. A fiber that waits for a launch gets the result of that launch, even when another follows. A kill
 * is sent at once and followed in the background. Does not: order evaluations (`EvaluationQueue.ts`), or evaluate.
 */
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as FiberMap from "effect/FiberMap"
import * as FiberSet from "effect/FiberSet"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Random from "effect/Random"
import type { EngineKind } from "../engineKinds.ts"
import { monotonic } from "../elapsed.ts"
import type { ChildReply } from "../repl/frame.ts"
import { Settings } from "../Settings.ts"
import { spanned, Telemetry } from "../Telemetry.ts"
import { type ChildEnded, launchFailed, noReply } from "../child/Child.ts"
import type { LaunchFailed } from "../child/ChildError.ts"
import * as ChildPool from "../child/ChildPool.ts"
import type { Engine } from "../child/engines/Engine.ts"
import * as Launcher from "../child/Launcher.ts"
import { makeMemoryWatch } from "../child/memoryWatch.ts"
import { Caller } from "./Caller.ts"
import { makeEngineChoice } from "./engineChoice.ts"
import { recordOf } from "./history/ChildExit.ts"
import { CrashRecords } from "./history/CrashRecord.ts"
import { EvaluationRecorder } from "./history/EvaluationRecorder.ts"
import { restoredFor } from "./notices.ts"
import type { Moment } from "./restarts.ts"
import { SessionIdentity } from "./SessionIdentity.ts"
import { BreakerOpen, SessionClosed } from "./SessionError.ts"
import {
  type Command,
  type CommandOf,
  type Event,
  type EventOf,
  isClosed,
  type LaunchError,
  type Live,
  liveOf,
  newState,
  type SessionState,
} from "./state.ts"
import { transition } from "./transition.ts"
import { restore } from "./variables/restore.ts"
import type { RestoredVariables } from "./variables/Workspace.ts"

/** How a child was stopped, and its output until then. */
export interface Stopped {
  readonly how: "interrupted" | "killed"
  readonly reply: ChildReply
}

export interface ReplaceRequest<E> {
  /** The new child gets no variables, and the workspace is emptied. */
  readonly fresh?: boolean
  /** Compares the new program with the present one, and may refuse it before the launch. */
  readonly vet?: (next: Launcher.ChildProgram, present: Launcher.ChildProgram | undefined) => Effect.Effect<void, E>
}

interface Replaced {
  readonly before: Live | undefined
  readonly live: Live
  readonly restored: RestoredVariables | undefined
}

export class Supervisor extends Context.Service<
  Supervisor,
  {
    readonly state: () => SessionState
    /** The only way the state changes. */
    readonly send: (event: Event) => void
    /** The child has ended by itself. Whoever notices it first says so. */
    readonly ended: (live: Live, how: ChildEnded) => void
    /** The engine for a launch before which nothing ran. May read the store. */
    readonly pick: Effect.Effect<Engine>
    /** As `pick`, without reading the store. */
    readonly likely: Effect.Effect<Engine>
    /** The live child. Waits for the launch that is under way, else begins one. */
    readonly connect: Effect.Effect<Live, LaunchError | BreakerOpen>
    /** Stops the child's evaluation: by interrupt where the engine can, else by a kill. `isRead`: the child is being read, and will answer soon. */
    readonly stop: (live: Live, why: string, isRead?: boolean) => Effect.Effect<Stopped>
    /** Launches a child from the build on disk, checks it, and replaces the old child by it. When a step fails, the old child stays. */
    readonly replace: <E = never>(request: ReplaceRequest<E>) => Effect.Effect<Replaced, LaunchError | E>
    /** Reads the session's stored variables into the workspace, unless that was done before. */
    readonly readStored: (engine: EngineKind) => Effect.Effect<void>
    /** Kills the child, fails the fibers that wait for one, and refuses later launches. Closing the scope waits until the child has ended. */
    readonly close: Effect.Effect<void>
    /** Process id of the spare child; null without one. */
    readonly sparePid: () => number | null
    /** Measures the memory of the child repeatedly while `busy`. A crash record quotes the last measurement. */
    readonly watchMemory: (busy: () => boolean) => void
    readonly residentBytes: (pid: number) => Effect.Effect<number | null>
  }
>()("k3-mcp/session/Supervisor") {
  static readonly layer = Layer.effect(
    Supervisor,
    Effect.suspend(() => make),
  )
}

/** A launch for the session, whose child the state may adopt. */
interface Attempt {
  readonly attempt: number
  readonly program: Launcher.ChildProgram
  /** The child gets no variables. */
  readonly fresh: boolean
  /** The child must know that 1+1 is 2, since it replaces a present one. */
  readonly isReplacement: boolean
}

type Perform<Tag extends Command["_tag"]> = (command: CommandOf<Tag>, before: SessionState) => void

const log = { Info: Effect.logInfo, Warning: Effect.logWarning, Error: Effect.logError }

const make = Effect.gen(function* () {
  const settings = yield* Settings
  const crashes = yield* CrashRecords
  const recorder = yield* EvaluationRecorder
  const { name, origin } = yield* SessionIdentity
  const now = yield* monotonic
  const random = yield* Random.Random
  const scope = yield* Effect.scope
  const telemetry = yield* Telemetry

  let state = newState(origin.engine)
  const waiting = new Map<number, Deferred.Deferred<Live | "superseded", LaunchError>>()
  const launching = yield* FiberMap.make<number, void>()
  const runLaunch = yield* FiberMap.runtime(launching)()
  const reaping = yield* FiberSet.make<void>()
  const reap = yield* FiberSet.runtime(reaping)()
  const inBackground = yield* FiberSet.makeRuntime()
  const launch = yield* Launcher.make(scope, state.workspace.written)
  const pool = yield* ChildPool.make(launch, settings.spare, settings.restartMaxDelay)
  const memory = yield* makeMemoryWatch(() => liveOf(state)?.child.pid)

  const moment = (): Moment => ({ now: now(), random: random.nextDoubleUnsafe() })

  /** Gives the next state. The commands may have changed the state once more. */
  const send = (event: Event): SessionState => {
    const [next, commands] = transition(state, event, settings)
    const before = state
    state = next
    if (telemetry !== undefined && next !== before) count(telemetry, event, before)
    for (const command of commands) perform(command, before)
    return next
  }
  const ended = (live: Live, how: ChildEnded): void => void send({ _tag: "Ended", live, how, at: moment() })

  const count = (to: Telemetry, event: Event, before: SessionState): void => {
    if (state.generation > before.generation) to.count("launches")
    if (event._tag === "Killed") to.count("kills")
    if (event._tag === "Ended") to.count("crashes")
  }

  const perform = (command: Command, before: SessionState): void =>
    (performs[command._tag] as Perform<typeof command._tag>)(command, before)

  const performs: { readonly [Tag in Command["_tag"]]: Perform<Tag> } = {
    Launch: ({ attempt, delay }) => runLaunch(attempt, launchOne(attempt, pool.isReady(state.program) ? 0 : delay)),
    StopLaunch: ({ attempt }) => inBackground(FiberMap.remove(launching, attempt)),
    Answer: ({ attempt, with: answer }) => {
      const deferred = waiting.get(attempt)
      waiting.delete(attempt)
      if (deferred === undefined) return
      const isError = typeof answer === "object" && "_tag" in answer
      Deferred.doneUnsafe(deferred, isError ? Effect.fail(answer) : Effect.succeed(answer))
    },
    Close: ({ launched }) => {
      launched.child.kill()
      reap(Launcher.close(launched))
    },
    Watch: ({ live }) => inBackground(Effect.map(live.child.ended, (how) => ended(live, how))),
    StandBy: ({ program }) => inBackground(pool.keep(program)),
    Record: ({ exit }, before) => crashes.note(recordOf(name, exit, before.workspace, recorder, memory.last())),
    Log: ({ level, message }) => inBackground(Effect.annotateLogs(log[level](message), { session: name, generation: state.generation })),
  }

  const { pick, likely, pickProgram, readStored } = yield* makeEngineChoice(() => state, send)

  /** Offers a launched child to the state. Undefined when the state refused and closed it. */
  const adopt = (found: Omit<EventOf<"Launched">, "_tag" | "now">): Live | undefined => {
    const { generation } = state
    const next = send({ _tag: "Launched", ...found, now: now() })
    return next.generation === generation ? undefined : liveOf(next)
  }

  /** Makes an attempt. When the restore ends the child, it launches another one. It owns each child until the state adopts it. */
  const attemptLaunch = (wanted: Attempt): Effect.Effect<Live | undefined, LaunchError> =>
    Effect.gen(function* () {
      const { attempt, program, fresh, isReplacement } = wanted
      const launched = yield* pool.obtain(program)
      const prepare = Effect.gen(function* () {
        if (isReplacement) yield* Launcher.doSum(launched, settings.launchTimeout)
        if (!fresh) yield* readStored(program.engine.kind)
        const { workspace } = state
        const restoration = fresh ? undefined : yield* restore(workspace, launched, settings.launchTimeout)
        // At most one child of the session lives: the killed one must have ended before the new one is adopted.
        yield* FiberSet.awaitEmpty(reaping)
        return { epoch: workspace.epoch, restoration }
      })
      const prepared = yield* Effect.onError(Effect.interruptible(prepare), () => Launcher.close(launched))
      return adopt({ attempt, launched, ...prepared, fresh })
    }).pipe(
      Effect.catchTag("RestoreDied", ({ how, given }) => {
        send({ _tag: "RestoreDied", how, given, program: wanted.program })
        return attemptLaunch(wanted)
      }),
    )

  const brokenBy = (defect: unknown, program: Launcher.ChildProgram | undefined): LaunchFailed =>
    launchFailed(
      {
        engine: program?.engine.kind ?? "interpreter",
        process: program?.prepared.process ?? { command: "", args: [] },
        timeoutMs: settings.launchTimeout,
      },
      "spawn",
      `the server failed: ${String(defect)}`,
    )

  const launchOne = (attempt: number, delay: number): Effect.Effect<void> => {
    let program: Launcher.ChildProgram | undefined
    return Effect.gen(function* () {
      yield* Effect.sleep(delay)
      send({ _tag: "LaunchBegun", attempt })
      program = state.program ?? (yield* pickProgram)
      yield* Effect.uninterruptible(attemptLaunch({ attempt, program, fresh: false, isReplacement: false }))
    }).pipe(
      // Without an answer, the session would wait for this launch for ever.
      Effect.catchDefect((defect) => Effect.andThen(Effect.logError("defect in a launch", defect), Effect.fail(brokenBy(defect, program)))),
      Effect.catch((error) => Effect.sync(() => send({ _tag: "NotLaunched", attempt, error, program, at: moment() }))),
    )
  }

  const connect: Supervisor["Service"]["connect"] = Effect.suspend(() => {
    const live = liveOf(state)
    if (live !== undefined) return Effect.succeed(live)
    if (isClosed(state)) return new SessionClosed({ session: name })
    if (state.child._tag === "Failed" && state.child.until > now()) {
      const { crashes, until, last } = state.child
      return new BreakerOpen({ session: name, crashes, windowMs: settings.restartWindow, retryInMs: until - now(), last })
    }
    // The listener is registered first, since a launch may end at once.
    const attempt = "attempt" in state.child ? state.child.attempt : state.attempt + 1
    const deferred = waiting.get(attempt) ?? Deferred.makeUnsafe<Live | "superseded", LaunchError>()
    waiting.set(attempt, deferred)
    send({ _tag: "Wanted", now: now() })
    return Effect.filterOrElse(
      Deferred.await(deferred),
      (found) => found !== "superseded",
      () => connect,
    )
  })

  const interrupt = Effect.fnUntraced(function* (live: Live, isRead: boolean) {
    if (!live.child.busy()) return Option.some(noReply)
    if (!live.engine.interruptible && !isRead) return Option.none()
    send({ _tag: "Interrupted" })
    if (live.engine.interruptible) live.child.interrupt()
    return yield* Effect.option(Effect.timeout(live.child.pendingReply, settings.interruptGrace))
  })

  const stop = Effect.fnUntraced(function* (live: Live, why: string, isRead = false): Effect.fn.Return<Stopped> {
    const answered = yield* interrupt(live, isRead)
    if (Option.isSome(answered) && liveOf(state) === live) {
      send({ _tag: "Settled", live })
      return { how: "interrupted", reply: answered.value }
    }
    const reply = live.child.partial()
    send({ _tag: "Killed", live, why, stderr: live.child.stderr() })
    return { how: "killed", reply }
  })

  const replace: Supervisor["Service"]["replace"] = Effect.fnUntraced(function* ({ fresh = false, vet }) {
    const program = yield* pickProgram
    send({ _tag: "ReplaceBegun" })
    const { attempt } = state
    const before = liveOf(state)
    const work = Effect.gen(function* () {
      if (vet !== undefined) yield* Effect.interruptible(vet(program, before ?? state.program))
      const live = yield* Effect.tapErrorTag(attemptLaunch({ attempt, program, fresh, isReplacement: true }), "LaunchFailed", (error) =>
        Effect.sync(() => send({ _tag: "NotLaunched", attempt, error, program, at: moment() })),
      )
      if (live === undefined) return yield* new SessionClosed({ session: name })
      return { before, live, restored: restoredFor(state.notices, (yield* Caller).reader, live.generation) }
    })
    return yield* Effect.uninterruptible(Effect.onError(work, () => Effect.sync(() => send({ _tag: "ReplaceFailed", attempt }))))
  })

  const close = Effect.sync(() => send({ _tag: "Closed" }))
  // Fibers that wait for a child get an answer when the server ends, too.
  yield* Effect.addFinalizer(() => close)

  return Supervisor.of({
    state: () => state,
    send,
    ended,
    pick,
    likely,
    connect,
    stop: (live, why, isRead) => spanned(telemetry, "stop", stop(live, why, isRead)),
    replace: (request) => spanned(telemetry, "launch", replace(request)),
    readStored,
    close,
    sparePid: pool.pid,
    watchMemory: memory.watch,
    residentBytes: memory.residentBytes,
  })
})
