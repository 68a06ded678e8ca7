/**
 * The background evaluations of the whole server. Each has a handle (`e1`, `e2`, …), and no call waits for it.
 *
 * Guarantees: apart from its deadline, each is an ordinary evaluation of its session, which runs before the session's later calls. Its output can
 * be read while it runs, and a caller that waits for more output or for the end gets it at once. With a store, handles go on counting after a
 * restart, and the next server knows whether the last 20 had ended. When the server ends, it ends them all before the last capture. Does not: keep
 * a result after a restart (the history has it), or after `mostEnded` later evaluations have ended.
 */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberSet from "effect/FiberSet"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { monotonic } from "../elapsed.ts"
import { Caller } from "./Caller.ts"
import { Handles, rangeSize } from "./Handles.ts"
import { limits, namePattern } from "../limits.ts"
import { shortened } from "../shortened.ts"
import * as DocumentCache from "../store/DocumentCache.ts"
import { Store } from "../store/Store.ts"
import type { EvaluateRequest, Evaluation } from "./Evaluation.ts"
import { Outputs, type OutputRecording } from "./output/Outputs.ts"
import type { ManagedSession } from "./ManagedSession.ts"
import { EvaluationStopped, NoEvaluation, type SessionError, TooManyBackground, type TooManySessions } from "./SessionError.ts"

const mostEnded = 64

/** The stored record of a background evaluation, for a later server. */
export const Stored = Schema.Struct({
  n: Schema.Int,
  /** When the evaluation was requested, ms since 1970. */
  at: Schema.Finite,
  session: Schema.String.check(Schema.isPattern(namePattern)),
  code: Schema.String,
  ended: Schema.Boolean,
  /** Absent in records of earlier versions. */
  secret: Schema.optionalKey(Schema.String),
})
export type Stored = typeof Stored.Type

/** The present state of a background evaluation. */
export interface BackgroundEvaluation {
  readonly handle: string
  readonly session: string
  /** Random; accompanies the handle in names that a stranger must not be able to guess. */
  readonly secret: string
  /** When the evaluation was requested, ms since 1970. */
  readonly at: number
  /** Cut to 200 characters. */
  readonly code: string
  readonly phase: "waiting" | "running" | "ended"
  /** Milliseconds from the request until now, or until the end of the evaluation. */
  readonly ms: number
  /** Bytes printed so far. */
  readonly bytes: number
  readonly exit: Exit.Exit<Evaluation, SessionError> | undefined
  /** The request asked for the value of the last statement. */
  readonly wantsValue: boolean
}

export interface Backgrounds {
  /** Begins an evaluation in the session of that name. */
  readonly begin: (session: string, request: EvaluateRequest) => Effect.Effect<BackgroundEvaluation, TooManyBackground | TooManySessions>
  readonly find: (handle: string) => Effect.Effect<BackgroundEvaluation, NoEvaluation>
  /** All known evaluations, the oldest first. */
  readonly list: Effect.Effect<readonly BackgroundEvaluation[]>
  /** Waits until the evaluation has printed more than `bytes` bytes or has ended, at most `ms` milliseconds. */
  readonly wait: (handle: string, bytes: number, ms: number) => Effect.Effect<void>
  /** Waits until the evaluation has ended. Returns at once for an unknown handle. */
  readonly ended: (handle: string) => Effect.Effect<void>
  /** Stops a waiting or running evaluation. Undefined when the evaluation ended without the stop. */
  readonly stop: (handle: string) => Effect.Effect<EvaluationStopped | undefined, NoEvaluation>
}

/** A background evaluation that this server has begun. */
class BackgroundRun {
  /** The number of its handle, once `noted` is completed. */
  n = 0
  /** Completed when the store has its record, as far as it takes one. */
  readonly noted = Deferred.makeUnsafe<void>()
  /** Completed by a request to stop the evaluation. */
  readonly stop = Deferred.makeUnsafe<void>()
  begun = false
  /** The result, and when it came, ms of the monotonic clock. */
  end: { readonly exit: Exit.Exit<Evaluation, SessionError>; readonly at: number } | undefined
  private recording: OutputRecording | undefined
  private readonly listeners = new Set<() => void>()

  /** `since`: when the evaluation was requested, ms of the monotonic clock. */
  constructor(
    private readonly record: Omit<Stored, "n"> & { readonly secret: string },
    private readonly wantsValue: boolean,
    private readonly since: number,
  ) {}

  get handle(): string {
    return `e${this.n}`
  }

  get stored() {
    return { n: this.n, ...this.record }
  }

  private get bytes(): number {
    return this.recording?.bytes ?? 0
  }

  /** `now`: ms of the monotonic clock. */
  view(now: number): BackgroundEvaluation {
    const { handle, stored, begun, end, bytes, wantsValue } = this
    const { session, secret, at, code } = stored
    const phase = end !== undefined ? "ended" : begun ? "running" : "waiting"
    return { handle, session, secret, at, code, phase, ms: (end?.at ?? now) - this.since, bytes, exit: end?.exit, wantsValue }
  }

  /** Follows the recording of its output, which is not dropped before the end. */
  follow(recording: OutputRecording | undefined): OutputRecording | undefined {
    if (recording !== undefined) {
      recording.pinned = true
      recording.onWrite = () => this.tell()
    }
    this.recording = recording
    return recording
  }

  finish(exit: Exit.Exit<Evaluation, SessionError>, at: number): void {
    this.end = { exit, at }
    if (this.recording !== undefined) this.recording.pinned = false
    this.tell()
  }

  /** Succeeds when it has printed more than `bytes` bytes or has ended. */
  goneOn(bytes: number): Effect.Effect<void> {
    return Effect.callback((resume) => {
      const check = (): void => {
        if (this.end === undefined && this.bytes <= bytes) return
        this.listeners.delete(check)
        resume(Effect.void)
      }
      this.listeners.add(check)
      check()
      return Effect.sync(() => this.listeners.delete(check))
    })
  }

  private tell(): void {
    for (const listener of this.listeners) listener()
  }
}

/** `get` finds or makes the session of a name. */
export const make = Effect.fnUntraced(function* (get: (name: string) => Effect.Effect<ManagedSession, TooManySessions>) {
  const clock = yield* Clock.Clock
  const now = yield* monotonic
  const outputs = yield* Outputs
  const documents = yield* DocumentCache.make<Stored>({
    documents: (yield* Store).documents.evaluations,
    name: "an evaluation in the background",
    ...DocumentCache.numbered(Stored),
    most: 20,
  })
  const fork = yield* FiberSet.makeRuntime()
  const all = new Map<string, BackgroundRun>()
  const active = new Set<BackgroundRun>()
  /** Handles of the kept evaluations that have ended, the first to end first. */
  const over: string[] = []
  const after = yield* Handles
  let last = after

  /** The highest number that is in use in this server's range of handles. */
  const lastOf = (stored: ReadonlyMap<string, Stored>): number =>
    Math.max(last, ...Array.from(stored.keys(), Number).filter((n) => n > after && n <= after + rangeSize))

  const save = ({ isEphemeral }: ManagedSession, stored: Stored) =>
    isEphemeral ? Effect.void : documents.use(() => documents.save(String(stored.n), stored))

  const run = (running: BackgroundRun, session: ManagedSession, request: EvaluateRequest) =>
    Effect.gen(function* () {
      const background = {
        open: () => running.follow(outputs.open(running.handle, session.isEphemeral)),
        // After a yield: the caller has the handle before later evaluations end.
        noted: Effect.andThen(Deferred.await(running.noted), Effect.yieldNow),
        onBegin: () => void (running.begun = true),
        stop: Deferred.await(running.stop),
      }
      const exit = yield* Effect.exit(session.evaluate({ ...request, background }))
      // The server ends. The stored record must keep saying that the evaluation has not ended.
      if (Exit.hasInterrupts(exit)) return
      yield* Deferred.await(running.noted)
      if (Exit.isFailure(exit) && Exit.hasDies(exit)) yield* Effect.logError(`defect in ${running.handle}`, exit.cause)
      active.delete(running)
      over.push(running.handle)
      if (over.length > mostEnded) all.delete(over.shift()!)
      running.finish(exit, now())
      yield* save(session, { ...running.stored, ended: true })
    })

  /** Gives it a handle. Saved before that is returned: the caller may ask a later server for it, even after a crash of this one. */
  const note = Effect.fnUntraced(function* (running: BackgroundRun, session: ManagedSession) {
    yield* documents.peek((stored) => Effect.sync(() => (running.n = last = lastOf(stored) + 1)))
    all.set(running.handle, running)
    yield* save(session, running.stored)
  })

  /** Uninterruptible: a client's cancel leaves no half-begun evaluation. */
  const begin: Backgrounds["begin"] = Effect.fnUntraced(function* (name, request) {
    const session = yield* get(name)
    if (active.size >= limits.background) return yield* new TooManyBackground({ limit: limits.background })
    const at = clock.currentTimeMillisUnsafe()
    const record = { at, session: name, code: shortened(request.code), ended: false, secret: crypto.randomUUID() }
    const running = new BackgroundRun(record, request.value !== undefined, now())
    const whole = Effect.provideService(run(running, session, request), Caller, yield* Caller)
    const span = yield* Effect.option(Effect.currentParentSpan)
    active.add(running)
    // Before the store is asked: it takes its place in the queue, and the session's later calls run after it.
    fork(Option.isSome(span) ? Effect.withParentSpan(whole, span.value) : whole)
    yield* Effect.onExit(note(running, session), (exit) => Deferred.done(running.noted, exit))
    return running.view(now())
  }, Effect.uninterruptible)

  const find: Backgrounds["find"] = (handle) =>
    Effect.suspend(() => {
      const running = all.get(handle)
      if (running !== undefined) return Effect.succeed(running.view(now()))
      return documents.peek((stored) => {
        const earlier = stored.get(handle.slice(1))
        const isHandle = /^e[1-9]\d*$/.test(handle)
        const dropped = isHandle && earlier === undefined && Number(handle.slice(1)) <= lastOf(stored)
        return Effect.fail(new NoEvaluation({ handle, dropped, known: [...all.keys()], ...(earlier !== undefined && { earlier }) }))
      })
    })

  const goneOn = (handle: string, bytes: number) => Effect.suspend(() => all.get(handle)?.goneOn(bytes) ?? Effect.void)

  const ended: Backgrounds["ended"] = (handle) => goneOn(handle, Number.POSITIVE_INFINITY)

  const stop: Backgrounds["stop"] = Effect.fnUntraced(function* (handle) {
    const { phase } = yield* find(handle)
    if (phase === "ended") return undefined
    const running = all.get(handle)!
    Deferred.doneUnsafe(running.stop, Effect.void)
    yield* ended(handle)
    const error = failureIn(running.end?.exit)
    return error instanceof EvaluationStopped ? error : undefined
  })

  return {
    begin,
    find,
    list: Effect.sync(() => Array.from(all.values(), (running) => running.view(now()))),
    wait: (handle, bytes, ms) => Effect.asVoid(Effect.timeoutOption(goneOn(handle, bytes), ms)),
    ended,
    stop,
  } satisfies Backgrounds
})

/** The failure in an exit; undefined without one, as after a success or a defect. */
export const failureIn = (exit: Exit.Exit<unknown, SessionError> | undefined): SessionError | undefined =>
  exit && Option.getOrUndefined(Exit.findErrorOption(exit))

/** The causes of a failed exit as text; empty for a success. For replies about a defect of the server. */
export const defectIn = (exit: Exit.Exit<unknown, unknown>): string => (Exit.isFailure(exit) ? Cause.pretty(exit.cause) : "")
