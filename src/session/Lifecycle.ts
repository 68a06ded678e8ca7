/**
 * The transitions of a session's state: everything that launches, ends or replaces its child.
 *
 * Guarantees: at most one child that is well at a time; a child is launched while the one before it, which was killed, is still dying, but is
 * nobody's until that one has been reaped; whoever waits for a launch is told how that launch ended, also when more are tried behind it;
 * a kill is sent at once and followed in the background. Does not: order evaluations (the session's turn does), nor evaluate anything.
 *
 * Each child has a scope of its own under the session's, and is launched with that scope and the process port alone: had it the
 * layer's whole context, it would find the layer's scope there, and closing its own would kill nothing.
 */
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import { Settings } from "../Settings.ts"
import { type ChildEnded, launch } from "./Child.ts"
import { type Engine, Engines, type Prepared } from "./Engine.ts"
import { Process } from "./Process.ts"
import * as Restart from "./Restart.ts"
import { type Aftermath, BreakerOpen, type LaunchFailed } from "./SessionError.ts"
import { type Attempt, type LaunchError, type Live, liveOf, type State, workOf } from "./state.ts"
import type { Reply } from "../repl/frame.ts"

export interface Lifecycle {
  readonly state: () => State
  /** The child that is there or on its way, else a new one. */
  readonly connect: Effect.Effect<Live, LaunchError | BreakerOpen>
  readonly begin: (live: Live, statement: string) => Effect.Effect<void>
  readonly done: (live: Live) => Effect.Effect<void>
  /** Ends what the child evaluates: by interrupt, with what it printed until then, else by force. */
  readonly stop: (live: Live, why: string) => Effect.Effect<{ readonly state: Aftermath; readonly reply: Reply }>
  /** The child ended by itself. */
  readonly ended: (live: Live, how: ChildEnded) => Effect.Effect<void>
  /** A new child from the build on disk takes the place of the old one as soon as it is well and has been given what is held. */
  readonly replace: Effect.Effect<{ readonly before: Live | undefined; readonly now: Live }, LaunchError>
  /** A new child of the same build, given what is held, takes the place of this one. */
  readonly renew: (live: Live, why: string) => Effect.Effect<void>
  readonly lastCrash: () => string | null
  /** Generation of the latest child, or of the one on its way. */
  readonly generation: () => number
  /** Why the workspace is fresh, told once; undefined when it is not, or was told. */
  readonly takeNews: () => string | undefined
}

const none: Reply = { bytes: 0, head: new Uint8Array(0), omitted: 0, tail: new Uint8Array(0) }

const describe = ({ reason, exit, stderr }: ChildEnded): string => {
  const how =
    reason === "out-of-step"
      ? "it printed what nobody asked for (its stream was out of step)"
      : `the interpreter ended with ${exit.signal === null ? `exit code ${exit.code}` : `signal ${exit.signal}`}`
  return stderr.trim() === "" ? how : `${how}: ${ends(stderr)}`
}

const ends = (stderr: string): string => {
  const text = stderr.trim()
  return text.length <= 600 ? text : `${text.slice(0, 300)} … ${text.slice(-300)}`
}

const describeFailed = (error: LaunchError): string =>
  error._tag === "LaunchFailed" ? `launch failed (${error.reason}): ${ends(error.stderr)}` : error._tag

/** `giveBack` is done to each new child before anyone else has it; when the child ends by it, the next one is tried. */
export const make = Effect.fnUntraced(function* (
  name: string,
  scope: Scope.Scope,
  giveBack: (live: Live) => Effect.Effect<void, ChildEnded>,
) {
  const settings = yield* Settings
  const engines = yield* Engines
  const process = yield* Process
  const restart = yield* Restart.make(settings)

  let state: State = { _tag: "Down" }
  let generation = 0
  /** What the latest child that was well ran. */
  let lastRun: Pick<Live, "engine" | "prepared"> | undefined
  let lastCrash: string | null = null
  let news: string | undefined
  let launcher: Fiber.Fiber<void> | undefined

  const inBackground = Effect.forkIn(scope)
  const close = (live: Live) => Scope.close(live.scope, Exit.void)

  /** One child, well, of the next generation; or nothing is left of it. */
  const launchOne = Effect.fnUntraced(function* (engine: Engine, prepared: Prepared): Effect.fn.Return<Live, LaunchFailed> {
    const own = yield* Scope.fork(scope)
    const child = yield* launch({
      engine: engine.kind,
      process: prepared.process,
      reports: engine.reports,
      warm: engine.warm,
      timeoutMs: settings.launchTimeout,
      keep: settings.outputKept,
    }).pipe(
      Effect.provideService(Process, process),
      Scope.provide(own),
      Effect.onError(() => inBackground(Scope.close(own, Exit.void))),
    )
    yield* restart.launched
    const live: Live = { child, scope: own, engine, prepared, generation: ++generation, since: yield* Clock.currentTimeMillis }
    yield* child.ended.pipe(
      Effect.flatMap((how) => ended(live, how)),
      inBackground,
    )
    return live
  })

  const give = (attempt: Attempt, live: Live) =>
    Effect.suspend(() => {
      state = { _tag: "Ready", live }
      return Deferred.succeed(attempt, live)
    })

  const fail = (last: string, { crashes, until }: { readonly crashes: number; readonly until: number }): void => {
    state = { _tag: "Failed", crashes, until, last }
  }

  const launchFresh = (engine: Engine) => Effect.flatMap(engine.prepare, (prepared) => launchOne(engine, prepared))

  /** A relaunch runs what ran before, not what was built meanwhile; when that does not run any more, it is prepared anew. */
  const launchAgain = Effect.suspend((): Effect.Effect<Live, LaunchError> => {
    const last = lastRun
    lastRun = undefined
    return last === undefined ? Effect.flatMap(engines.pick, launchFresh) : launchOne(last.engine, last.prepared)
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
        lastCrash = describe(given.failure)
        yield* close(exit.success)
        continue
      }
      const error = exit.failure
      if (error._tag !== "LaunchFailed") {
        state = { _tag: "Down" }
        return yield* Deferred.fail(attempt, error)
      }
      lastCrash = describeFailed(error)
      const verdict = yield* restart.crashed("launch")
      const next = Deferred.makeUnsafe<Live, LaunchError>()
      if (verdict._tag === "GiveUp") fail(lastCrash, verdict)
      else state = { _tag: "Launching", attempt: next }
      yield* Deferred.fail(attempt, error)
      if (verdict._tag === "GiveUp") return
      attempt = next
      yield* Effect.sleep(verdict.ms)
    }
  })

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
      default:
        return Effect.succeed(state.live)
    }
  })

  const afterCooldown = Effect.fnUntraced(function* ({ crashes, until, last }: Extract<State, { _tag: "Failed" }>) {
    const retryInMs = until - (yield* Clock.currentTimeMillis)
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
        if (verdict._tag === "Wait") return yield* start(attempt, verdict.ms, Effect.asVoid(Fiber.await(gone)))
        fail(lastCrash ?? "", verdict)
      })
    })

  const ended: Lifecycle["ended"] = (live, how) =>
    Effect.suspend(() => {
      if (liveOf(state) !== live) return Effect.void
      lastCrash = describe(how)
      const work = workOf(state)
      news = work === undefined ? lastCrash : `${lastCrash}, in "${work.statement.slice(0, 200)}"`
      return follow(live, restart.crashed("run"))
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
      yield* follow(live, Effect.succeed({ _tag: "Wait", ms: 0 }))
    }
    return { state: "lost", reply }
  })

  const launchFilled = Effect.fnUntraced(function* (engine: Engine): Effect.fn.Return<Live, LaunchError> {
    for (;;) {
      const live = yield* launchFresh(engine)
      const given = yield* Effect.result(giveBack(live))
      if (given._tag === "Success") return live
      yield* close(live)
    }
  })

  const renew: Lifecycle["renew"] = (live, why) =>
    Effect.suspend(() => {
      if (liveOf(state) !== live) return Effect.void
      news = why
      return follow(live, Effect.succeed({ _tag: "Wait", ms: 0 }))
    })

  const replace: Lifecycle["replace"] = Effect.gen(function* () {
    const picked = yield* engines.pick
    if (launcher !== undefined) yield* Fiber.interrupt(launcher)
    // A launch cut short leaves nobody waiting: only the holder of the turn waits for one.
    if (state._tag === "Launching" || state._tag === "Killing") state = { _tag: "Down" }
    const now = yield* launchFilled(picked)
    const before = liveOf(state)
    lastRun = now
    state = { _tag: "Ready", live: now }
    news = undefined
    yield* restart.forgive
    if (before !== undefined) yield* inBackground(close(before))
    return { before, now }
  })

  const lifecycle: Lifecycle = {
    state: () => state,
    connect,
    begin: (live, statement) =>
      Effect.map(Clock.currentTimeMillis, (since) => {
        if (liveOf(state) === live) state = { _tag: "Evaluating", live, statement, since }
      }),
    done: (live) =>
      Effect.sync(() => {
        if (liveOf(state) === live) state = { _tag: "Ready", live }
      }),
    stop,
    ended,
    replace,
    renew,
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
