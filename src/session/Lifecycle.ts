/**
 * What goes with the transitions of a session's state (`state.ts`): everything that launches, ends or replaces its child.
 *
 * Guarantees: at most one child that is well at a time; a child is launched while the one before it, which was killed, is still dying, but is
 * nobody's until that one has been reaped; whoever waits for a launch is told how that launch ended, also when more are tried behind it;
 * a kill is sent at once and followed in the background. Does not: order evaluations (the session's turn does), nor evaluate anything.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { Settings } from "../Settings.ts"
import { elapsed } from "../elapsed.ts"
import { type ChildEnded, describeEnd, endsOf } from "../child/Child.ts"
import type { Launched, Program } from "../child/Launcher.ts"
import * as Restart from "./Restart.ts"
import { type Aftermath, BreakerOpen, SessionClosed } from "./SessionError.ts"
import * as Supply from "./Supply.ts"
import { adopted, done, evaluating, failed, givenUp, interrupting, killing, launching } from "./state.ts"
import { type Attempt, type Failed, type LaunchError, type Live, liveOf, type State, workOf } from "./state.ts"
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
    vet: (next: Program, now: Program | undefined) => Effect.Effect<void, E>,
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

interface Parts extends Supply.Parts {
  readonly name: string
}

export const make = Effect.fnUntraced(function* ({ name, ...parts }: Parts) {
  const { scope, giveBack, fell } = parts
  const settings = yield* Settings
  const restart = yield* Restart.make(settings)
  const supply = yield* Supply.make(parts, () => generation + 1)

  let state: State = { _tag: "Down" }
  let generation = 0
  let lastCrash: string | null = null
  let news: string | undefined
  let launcher: Fiber.Fiber<void> | undefined

  const inBackground = Effect.forkIn(scope)
  const logged = (log: Effect.Effect<void>) => Effect.suspend(() => Effect.annotateLogs(log, { session: name, generation }))
  const newAttempt = (): Attempt => Deferred.makeUnsafe<Live, LaunchError>()

  /** From now on it is the session's, of the next generation. */
  const admit = Effect.fnUntraced(function* (launched: Launched): Effect.fn.Return<Live> {
    yield* restart.launched
    const live: Live = { ...launched, generation: ++generation, since: yield* elapsed }
    yield* logged(Effect.logInfo(`${live.engine.kind} launched, pid ${live.child.pid}`))
    yield* live.child.ended.pipe(
      Effect.flatMap((how) => ended(live, how)),
      inBackground,
    )
    return live
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

  const afterCooldown = Effect.fnUntraced(function* ({ crashes, until, last }: Failed) {
    const retryInMs = until - (yield* elapsed)
    if (retryInMs > 0) return yield* new BreakerOpen({ session: name, crashes, windowMs: settings.restartWindow, retryInMs, last })
    yield* restart.probe
    return yield* launchNow
  })

  const launchNow = Effect.suspend(() => {
    const attempt = newAttempt()
    state = launching(state, attempt)
    return Effect.andThen(start(attempt, 0, Effect.void), Deferred.await(attempt))
  })

  /** Launches after `delay`; what is launched is given to nobody before `gone`. */
  const start = Effect.fnUntraced(function* (attempt: Attempt, delay: number, gone: Effect.Effect<void>) {
    launcher = yield* inBackground(Effect.andThen(Effect.sleep(delay), launchUntilWell(attempt, gone)))
  })

  /** Until a child is well or the breaker opens; every attempt is announced, and its end told to whoever waits for it. */
  const launchUntilWell = Effect.fnUntraced(function* (first: Attempt, gone: Effect.Effect<void>) {
    for (let attempt: Attempt | undefined = first; attempt !== undefined;) {
      state = launching(state, attempt)
      const launched: Result.Result<Launched, LaunchError> = yield* Effect.result(supply.next)
      attempt = yield* Result.isSuccess(launched) ? welcome(attempt, launched.success, gone) : notLaunched(attempt, launched.failure)
    }
  })

  /** Gives it what is held, and then to whoever waits; the same attempt is to go on when it ended by that. */
  const welcome = Effect.fnUntraced(function* (attempt: Attempt, launched: Launched, gone: Effect.Effect<void>) {
    const live = yield* admit(launched)
    const given = yield* Effect.result(giveBack(live))
    if (Result.isFailure(given)) {
      lastCrash = describeEnd(given.failure)
      fell({ kind: "ended", how: given.failure, program: live, generation, statement: undefined })
      yield* Supply.close(live)
      return attempt
    }
    yield* gone
    state = adopted(state, live)
    yield* Deferred.succeed(attempt, live)
    yield* supply.adopted(live)
    return undefined
  })

  /** The attempt that follows, when it is time for it; none when there is nothing to launch, or the breaker opened. */
  const notLaunched = Effect.fnUntraced(function* (attempt: Attempt, error: LaunchError) {
    if (error._tag !== "LaunchFailed") {
      state = givenUp(state)
      yield* Deferred.fail(attempt, error)
      return undefined
    }
    lastCrash = describeFailed(error)
    yield* logged(Effect.logWarning(lastCrash))
    const verdict = yield* restart.crashed("launch")
    const next = newAttempt()
    state = verdict._tag === "GiveUp" ? failed(state, { ...verdict, last: lastCrash }) : launching(state, next)
    yield* Deferred.fail(attempt, error)
    if (verdict._tag === "GiveUp") {
      yield* gaveUp(verdict.crashes)
      return undefined
    }
    yield* Effect.sleep(verdict.ms)
    return next
  })

  const gaveUp = (crashes: number) =>
    Effect.andThen(logged(Effect.logError(`not launched any more for now: ${crashes} crashes in a row`)), supply.drop)

  /** From here on the child is nobody's: it is killed, and followed by a new one, which waits for its reaping. */
  const follow = (live: Live, wait: Effect.Effect<Restart.Verdict>) =>
    Effect.suspend(() => {
      const attempt = newAttempt()
      state = killing(state, live, attempt)
      live.child.kill()
      return Effect.gen(function* () {
        const gone = yield* inBackground(Supply.close(live))
        const verdict = yield* wait
        if (verdict._tag === "Wait") return yield* start(attempt, supply.isReady() ? 0 : verdict.ms, Effect.asVoid(Fiber.await(gone)))
        state = failed(state, { ...verdict, last: lastCrash ?? "" })
        yield* gaveUp(verdict.crashes)
      })
    })

  const atOnce = Effect.succeed<Restart.Verdict>({ _tag: "Wait", ms: 0 })

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
    state = interrupting(state)
    live.child.interrupt()
    return yield* Effect.timeoutOption(live.child.owed, settings.interruptGrace).pipe(Effect.orElseSucceed(() => Option.none()))
  })

  const stop: Lifecycle["stop"] = Effect.fnUntraced(function* (live, why) {
    const answered = yield* interrupt(live)
    if (Option.isSome(answered) && liveOf(state) === live) {
      state = done(state, live)
      return { state: "kept", reply: answered.value }
    }
    const reply = live.child.partial()
    if (liveOf(state) === live) {
      news = why
      const statement = workOf(state)?.statement
      fell({ kind: "killed", stderr: live.child.stderr(), program: live, generation: live.generation, statement })
      yield* logged(Effect.logWarning(why))
      yield* follow(live, atOnce)
    }
    return { state: "lost", reply }
  })

  const renew: Lifecycle["renew"] = (live, why) =>
    Effect.suspend(() => {
      if (liveOf(state) !== live) return Effect.void
      news = why
      return follow(live, atOnce)
    })

  const replace: Lifecycle["replace"] = (vet) =>
    Effect.gen(function* () {
      const program = yield* supply.picked
      if (launcher !== undefined) yield* Fiber.interrupt(launcher)
      // A launch cut short leaves nobody waiting: only the holder of the turn waits for one.
      state = givenUp(state)
      yield* vet(program, liveOf(state) ?? supply.lastRun())
      return yield* Effect.uninterruptibleMask((restore) => Effect.flatMap(restore(supply.filled(program)), swap))
    })

  const swap = Effect.fnUntraced(function* (launched: Launched) {
    if (state._tag === "Closed") return yield* Effect.andThen(Supply.close(launched), new SessionClosed({ session: name }))
    const now = yield* admit(launched)
    const before = liveOf(state)
    state = adopted(state, now)
    news = undefined
    yield* restart.forgive
    yield* supply.adopted(now)
    if (before !== undefined) yield* inBackground(Supply.close(before))
    return { before, now }
  })

  const end: Lifecycle["close"] = Effect.gen(function* () {
    if (launcher !== undefined) yield* Fiber.interrupt(launcher)
    yield* supply.drop
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
      state = evaluating(state, { live, statement, nth, since })
    },
    done: (live) => {
      state = done(state, live)
    },
    stop,
    ended,
    replace,
    renew,
    close: end,
    sparePid: supply.sparePid,
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
