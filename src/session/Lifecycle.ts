/**
 * The transitions of a session's state: everything that launches, ends or replaces its child.
 *
 * Guarantees: at most one child that is well at a time; a child is launched while the one before it, which was killed, is still dying, but is
 * nobody's until that one has been reaped; whoever waits for a launch is told how that launch ended, also when more are tried behind it;
 * a kill is sent at once and followed in the background. Does not: order evaluations (the session's turn does), nor evaluate anything.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import { Settings } from "../Settings.ts"
import { elapsed } from "./elapsed.ts"
import { type ChildEnded, describeEnd, endsOf } from "./child/Child.ts"
import type { Engine } from "./engines/Engine.ts"
import type { Fall } from "./history/Fall.ts"
import * as Launcher from "./child/Launcher.ts"
import * as Restart from "./Restart.ts"
import { type Aftermath, BreakerOpen, type LaunchFailed, SessionClosed } from "./SessionError.ts"
import * as Spare from "./child/Spare.ts"
import { type Attempt, type LaunchError, type Live, liveOf, phaseOf, type State, workOf } from "./state.ts"
import type { Reply } from "../repl/frame.ts"

export interface Lifecycle {
  readonly state: () => State
  /** The child that is there or on its way, else a new one. */
  readonly connect: Effect.Effect<Live, LaunchError | BreakerOpen>
  /** The child, when it is there and does nothing. */
  readonly ready: () => Live | undefined
  readonly begin: (live: Live, statement: string, nth: readonly [number: number, of: number], since: number) => void
  readonly done: (live: Live) => void
  /** Ends what the child evaluates: by interrupt, with what it printed until then, else by force. */
  readonly stop: (live: Live, why: string) => Effect.Effect<{ readonly state: Aftermath; readonly reply: Reply }>
  /** The child ended by itself. */
  readonly ended: (live: Live, how: ChildEnded) => Effect.Effect<void>
  /**
   * A new child from the build on disk takes the place of the old one as soon as it is well, did a sum and was given what is held; `vet`
   * may refuse it before, seeing what ran until now. When anything fails the old child stays.
   */
  readonly replace: <E>(
    vet: (next: Launcher.Program, now: Launcher.Program | undefined) => Effect.Effect<void, E>,
  ) => Effect.Effect<{ readonly before: Live | undefined; readonly now: Live }, LaunchError | E>
  /** A new child of the same build, given what is held, takes the place of this one. */
  readonly renew: (live: Live, why: string) => Effect.Effect<void>
  /** Ends the child and whoever waits for one; nothing is launched any more. The scope's closing waits for its end. */
  readonly close: Effect.Effect<void>
  /** Process id of the child that stands by. */
  readonly sparePid: () => number | null
  readonly lastCrash: () => string | null
  /** Generation of the latest child, or of the one on its way. */
  readonly generation: () => number
  /** Why the workspace is fresh, told once; undefined when it is not, or was told. */
  readonly takeNews: () => string | undefined
}

const none: Reply = { bytes: 0, head: new Uint8Array(0), omitted: 0, tail: new Uint8Array(0) }

const describeFailed = (error: LaunchError): string =>
  error._tag === "LaunchFailed" ? `launch failed (${error.reason}): ${endsOf(error.stderr)}` : error._tag

interface Parts {
  readonly name: string
  readonly scope: Scope.Scope
  /** What is launched when nothing ran before. */
  readonly pick: Effect.Effect<Engine>
  /** Done to each new child before anyone else has it; when the child ends by it, the next one is tried. */
  readonly giveBack: (launched: Launcher.Launched) => Effect.Effect<void, ChildEnded>
  /** Hears of an end of a child that nobody asked for. */
  readonly fell: (fall: Fall) => void
}

export const make = Effect.fnUntraced(function* ({ name, scope, pick, giveBack, fell }: Parts) {
  const settings = yield* Settings
  const launch = yield* Launcher.make(scope)
  const restart = yield* Restart.make(settings)
  const spare = settings.spare ? Spare.make(launch, scope, settings.restartMaxDelay) : Spare.none

  let state: State = { _tag: "Down" }
  let generation = 0
  /** What the latest child that was well ran. */
  let lastRun: Launcher.Program | undefined
  let lastCrash: string | null = null
  let news: string | undefined
  let launcher: Fiber.Fiber<void> | undefined

  const inBackground = Effect.forkIn(scope)
  const close = (live: Launcher.Launched) => Scope.close(live.scope, Exit.void)
  const logged = (log: Effect.Effect<void>) => Effect.suspend(() => Effect.annotateLogs(log, { session: name, generation }))

  /** From now on it is the session's, of the next generation. */
  const admit = Effect.fnUntraced(function* (launched: Launcher.Launched): Effect.fn.Return<Live> {
    yield* restart.launched
    const live: Live = { ...launched, generation: ++generation, since: yield* elapsed }
    yield* logged(Effect.logInfo(`${live.engine.kind} launched, pid ${live.child.pid}`))
    yield* live.child.ended.pipe(
      Effect.flatMap((how) => ended(live, how)),
      inBackground,
    )
    return live
  })

  /** The one that stands by, else a new one. */
  const obtain = (program: Launcher.Program) =>
    Effect.suspend((): Effect.Effect<Launcher.Launched, LaunchFailed> => {
      const ready = spare.take(program)
      return ready === undefined ? launch(program) : Effect.succeed(ready)
    }).pipe(
      Effect.tapError((error) =>
        Effect.sync(() => fell({ kind: "launch", error, program, generation: generation + 1, statement: undefined })),
      ),
    )

  const launchOne = (program: Launcher.Program) => Effect.flatMap(obtain(program), admit)

  const give = (attempt: Attempt, live: Live) =>
    Effect.suspend(() => {
      state = { _tag: "Ready", live }
      return Effect.andThen(Deferred.succeed(attempt, live), spare.keep(live))
    })

  const fail = (last: string, { crashes, until }: { readonly crashes: number; readonly until: number }): void => {
    state = { _tag: "Failed", crashes, until, last }
  }

  const programOf = (engine: Engine) => Effect.map(engine.prepare, (prepared): Launcher.Program => ({ engine, prepared }))

  /** A relaunch runs what ran before, not what was built meanwhile; when that does not run any more, it is prepared anew. */
  const launchAgain = Effect.suspend((): Effect.Effect<Live, LaunchError> => {
    const last = lastRun
    lastRun = undefined
    return Effect.flatMap(last === undefined ? Effect.flatMap(pick, programOf) : Effect.succeed(last), launchOne)
  }).pipe(
    Effect.tap((live) =>
      Effect.sync(() => {
        lastRun = live
      }),
    ),
  )

  /** Launches until a child is well or the breaker opens; every attempt is announced, and its end told to who waits for it. */
  const launchUntilWell = Effect.fnUntraced(function* (first: Attempt, gone: Effect.Effect<void>) {
    for (let attempt = first; ;) {
      state = { _tag: "Launching", attempt }
      const exit = yield* Effect.result(launchAgain)
      if (exit._tag === "Success") {
        const given = yield* Effect.result(giveBack(exit.success))
        if (given._tag === "Success") return yield* Effect.andThen(gone, give(attempt, exit.success))
        lastCrash = describeEnd(given.failure)
        fell({ kind: "ended", how: given.failure, program: exit.success, generation, statement: undefined })
        yield* close(exit.success)
        continue
      }
      const error = exit.failure
      if (error._tag !== "LaunchFailed") {
        state = { _tag: "Down" }
        return yield* Deferred.fail(attempt, error)
      }
      lastCrash = describeFailed(error)
      yield* logged(Effect.logWarning(lastCrash))
      const verdict = yield* restart.crashed("launch")
      const next = Deferred.makeUnsafe<Live, LaunchError>()
      if (verdict._tag === "GiveUp") fail(lastCrash, verdict)
      else state = { _tag: "Launching", attempt: next }
      yield* Deferred.fail(attempt, error)
      if (verdict._tag === "GiveUp") return yield* gaveUp(verdict.crashes)
      attempt = next
      yield* Effect.sleep(verdict.ms)
    }
  })

  const gaveUp = (crashes: number) =>
    Effect.andThen(logged(Effect.logError(`not launched any more for now: ${crashes} crashes in a row`)), spare.drop)

  /** Launches after `delay`; what is launched is given to nobody before `gone`. */
  const start = Effect.fnUntraced(function* (attempt: Attempt, delay: number, gone: Effect.Effect<void>) {
    launcher = yield* inBackground(Effect.asVoid(Effect.andThen(Effect.sleep(delay), launchUntilWell(attempt, gone))))
  })

  const launchNow = Effect.suspend(() => {
    const attempt = Deferred.makeUnsafe<Live, LaunchError>()
    state = { _tag: "Launching", attempt }
    return Effect.andThen(start(attempt, 0, Effect.void), Deferred.await(attempt))
  })

  const connect: Lifecycle["connect"] = Effect.suspend(() => {
    switch (state._tag) {
      case "Down":
        return launchNow
      case "Launching":
      case "Killing":
        return Deferred.await(state.attempt)
      case "Failed":
        return afterCooldown(state)
      case "Closed":
        return new SessionClosed({ session: name })
      default:
        return Effect.succeed(state.live)
    }
  })

  const afterCooldown = Effect.fnUntraced(function* ({ crashes, until, last }: Extract<State, { _tag: "Failed" }>) {
    const retryInMs = until - (yield* elapsed)
    if (retryInMs > 0) return yield* new BreakerOpen({ session: name, crashes, windowMs: settings.restartWindow, retryInMs, last })
    yield* restart.probe
    return yield* launchNow
  })

  /** From here on the child is nobody's: it is killed, and followed by a new one, which waits for its reaping. */
  const follow = (live: Live, wait: Effect.Effect<Restart.Verdict>) =>
    Effect.suspend(() => {
      const attempt = Deferred.makeUnsafe<Live, LaunchError>()
      state = { _tag: "Killing", pid: live.child.pid, attempt }
      live.child.kill()
      return Effect.gen(function* () {
        const gone = yield* inBackground(close(live))
        const verdict = yield* wait
        if (verdict._tag === "Wait") {
          const delay = lastRun !== undefined && spare.isReady(lastRun) ? 0 : verdict.ms
          return yield* start(attempt, delay, Effect.asVoid(Fiber.await(gone)))
        }
        fail(lastCrash ?? "", verdict)
        yield* gaveUp(verdict.crashes)
      })
    })

  const ended: Lifecycle["ended"] = (live, how) =>
    Effect.suspend(() => {
      if (liveOf(state) !== live) return Effect.void
      lastCrash = describeEnd(how)
      const work = workOf(state)
      fell({ kind: "ended", how, program: live, generation: live.generation, statement: work?.statement })
      news = work === undefined ? lastCrash : `${lastCrash}, in "${work.statement.slice(0, 200)}"`
      return Effect.andThen(logged(Effect.logWarning(lastCrash)), follow(live, restart.crashed("run")))
    })

  const interrupt = Effect.fnUntraced(function* (live: Live) {
    if (!live.child.busy()) return Option.some(none)
    if (!live.engine.interruptible) return Option.none()
    if (state._tag === "Evaluating") state = { ...state, _tag: "Interrupting" }
    live.child.interrupt()
    return yield* Effect.timeoutOption(live.child.owed, settings.interruptGrace).pipe(Effect.orElseSucceed(() => Option.none()))
  })

  const stop: Lifecycle["stop"] = Effect.fnUntraced(function* (live, why) {
    const answered = yield* interrupt(live)
    if (Option.isSome(answered) && liveOf(state) === live) {
      state = { _tag: "Ready", live }
      return { state: "kept", reply: answered.value }
    }
    const reply = live.child.partial()
    if (liveOf(state) === live) {
      news = why
      const statement = workOf(state)?.statement
      fell({ kind: "killed", stderr: live.child.stderr(), program: live, generation: live.generation, statement })
      yield* logged(Effect.logWarning(why))
      yield* follow(live, Effect.succeed({ _tag: "Wait", ms: 0 }))
    }
    return { state: "lost", reply }
  })

  /** Launches until a child can do a sum and holds what is held; one that does not is ended. */
  const launchFilled = Effect.fnUntraced(function* (program: Launcher.Program): Effect.fn.Return<Launcher.Launched, LaunchError> {
    for (;;) {
      const launched = yield* obtain(program)
      const filled = yield* Launcher.doSum(launched, settings.launchTimeout).pipe(
        Effect.andThen(Effect.result(giveBack(launched))),
        Effect.onError(() => close(launched)),
      )
      if (filled._tag === "Success") return launched
      yield* close(launched)
    }
  })

  const renew: Lifecycle["renew"] = (live, why) =>
    Effect.suspend(() => {
      if (liveOf(state) !== live) return Effect.void
      news = why
      return follow(live, Effect.succeed({ _tag: "Wait", ms: 0 }))
    })

  const replace: Lifecycle["replace"] = (vet) =>
    Effect.gen(function* () {
      const program = yield* Effect.flatMap(pick, programOf)
      if (launcher !== undefined) yield* Fiber.interrupt(launcher)
      // A launch cut short leaves nobody waiting: only the holder of the turn waits for one.
      if (state._tag === "Launching" || state._tag === "Killing") state = { _tag: "Down" }
      yield* vet(program, liveOf(state) ?? lastRun)
      return yield* Effect.uninterruptibleMask((restore) => Effect.flatMap(restore(launchFilled(program)), swap))
    })

  const swap = Effect.fnUntraced(function* (launched: Launcher.Launched) {
    if (phaseOf(state) === "closed") return yield* Effect.andThen(close(launched), new SessionClosed({ session: name }))
    const now = yield* admit(launched)
    const before = liveOf(state)
    lastRun = now
    state = { _tag: "Ready", live: now }
    news = undefined
    yield* restart.forgive
    yield* spare.keep(now)
    if (before !== undefined) yield* inBackground(close(before))
    return { before, now }
  })

  const end: Lifecycle["close"] = Effect.gen(function* () {
    if (launcher !== undefined) yield* Fiber.interrupt(launcher)
    yield* spare.drop
    const before = state
    state = { _tag: "Closed" }
    liveOf(before)?.child.kill()
    if ("attempt" in before) yield* Deferred.fail(before.attempt, new SessionClosed({ session: name }))
  })

  const lifecycle: Lifecycle = {
    state: () => state,
    connect,
    ready: () => (state._tag === "Ready" ? state.live : undefined),
    begin: (live, statement, nth, since) => {
      if (liveOf(state) === live) state = { _tag: "Evaluating", live, statement, nth, since }
    },
    done: (live) => {
      if (liveOf(state) === live) state = { _tag: "Ready", live }
    },
    stop,
    ended,
    replace,
    renew,
    close: end,
    sparePid: spare.pid,
    lastCrash: () => lastCrash,
    generation: () => (state._tag === "Killing" || state._tag === "Launching" ? generation + 1 : generation),
    takeNews: () => {
      const told = news
      news = undefined
      return told
    },
  }
  return lifecycle
})
