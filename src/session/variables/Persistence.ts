/**
 * When a session is written to the store.
 *
 * Guarantees: it is written after evaluations and never before one: `writeDelay` after a capture that has all of them, and at once when there are
 * `persistEvery`. Writes with fewer evaluations take at most a tenth of the time. A due write that the store refuses is retried. Does not: know how
 * to write (`store/Store.ts`), read (`Supervisor.ts`), or order itself with evaluations.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FiberHandle from "effect/FiberHandle"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import { monotonic } from "../../elapsed.ts"
import { loggingDefects } from "../../loggingDefects.ts"
import { type Pace, patient } from "../../child/engines/Tracker.ts"
import { Settings } from "../../Settings.ts"
import { EvaluationRecorder } from "../history/EvaluationRecorder.ts"
import { Store, makeRetry } from "../../store/Store.ts"
import { SessionIdentity } from "../SessionIdentity.ts"
import { Supervisor } from "../Supervisor.ts"
import { isCurrent } from "./Workspace.ts"

/** Time from a capture to the write of fewer than `persistEvery` evaluations, ms. One write has all changes of that time. */
const writeDelay = 1000
/** After a write, the next one of fewer evaluations waits at least this many times as long as that write took. */
const rest = 10

export class Persistence extends Context.Service<
  Persistence,
  {
    /** Called after each capture, and when there is no child to capture from. In the background, the write is made once it is due. */
    readonly captured: () => void
    /** Captures with `capture` for at most `captureMs` milliseconds, then writes the workspace. False when the store does not have it afterwards. */
    readonly write: (capture: (pace: Pace) => Effect.Effect<unknown>, captureMs: number) => Effect.Effect<boolean>
    /** Removes the variables from the store. */
    readonly forget: Effect.Effect<void>
  }
>()("k3-mcp/session/Persistence") {
  static readonly layer = Layer.effect(
    Persistence,
    Effect.gen(function* () {
      const { persistEvery } = yield* Settings
      const store = yield* Store
      const { stored } = yield* SessionIdentity
      const { state, send } = yield* Supervisor
      const recorder = yield* EvaluationRecorder
      const clock = yield* Clock.Clock
      const now = yield* monotonic
      const writing = yield* FiberHandle.make<void, never>()
      const run = yield* FiberHandle.runtime(writing)()
      /** Each capture opens it: `writeDue` then asks again how long to wait. */
      const captured = yield* Latch.make()
      /** Times on the monotonic clock, ms: since when captured evaluations wait for a write, if any do; the end of the rest after the last write. */
      let waitingSince: number | undefined
      let restsUntil = Number.NEGATIVE_INFINITY
      /** The number of the latest history entry whose changes the last capture has. */
      let contains: number | undefined
      const note = (): void => {
        if (isCurrent(state().workspace)) contains = recorder.log()?.last
      }

      const writeWorkspace = Effect.gen(function* () {
        const { workspace } = state()
        const began = now()
        /** Evaluations whose changes the write has: those before it, unless another write that was under way has them. */
        let evaluations = state().kept.behind
        // While the write waits for the store, a reset can begin another epoch, or a restore bring values of another engine.
        let taken = workspace
        let changed: ReadonlySet<string> = new Set()
        const notSaved = (paths: ReadonlySet<string>): void => send({ _tag: "NotSaved", epoch: taken.epoch, paths })
        const persist = stored.persist({
          get engine() {
            return state().workspace.engine
          },
          takeUnsaved: () => {
            taken = state().workspace
            const { held, unsaved } = taken
            note()
            waitingSince = undefined
            changed = unsaved
            evaluations = state().kept.behind
            send({ _tag: "UnsavedTaken" })
            return { held, changed, contains }
          },
          stillUnsaved: notSaved,
        })
        const failed = Effect.sync(() => {
          notSaved(changed)
          return false
        })
        const done = yield* loggingDefects("A session was not written", persist, failed)
        if (!done) {
          waitingSince ??= began
          return false
        }
        const ended = now()
        restsUntil = ended + rest * (ended - began)
        send({ _tag: "Saved", epoch: workspace.epoch, evaluations, at: clock.currentTimeMillisUnsafe() })
        return true
      })

      /** The time until the next write, or until the next look at whether one is due, ms. */
      const untilDue = (): number => {
        // The latest evaluations are not captured yet. A capture ends this wait; a restore, which gives them up, does not.
        if (!isCurrent(state().workspace)) return writeDelay
        waitingSince ??= now()
        return state().kept.behind >= persistEvery ? 0 : Math.max(waitingSince + writeDelay, restsUntil) - now()
      }

      /** The store refused the last due write: a retry makes the next one. */
      let isRefused = false
      /** Makes the due writes, and those that get due meanwhile. */
      const writeDue: Effect.Effect<void> = Effect.gen(function* () {
        while (state().kept.behind > 0) {
          const ms = untilDue()
          if (ms > 0) {
            captured.closeUnsafe()
            yield* Effect.timeoutOption(captured.await, ms)
          } else {
            isRefused = !(yield* writeWorkspace)
            if (isRefused) return yield* retryLater
          }
        }
      })
      const startDue = () => run(writeDue, { onlyIfMissing: true })
      const retry: Effect.Effect<void> = Effect.suspend(() => {
        isRefused = false
        startDue()
        return FiberHandle.awaitEmpty(writing)
      })
      const retryLater = yield* makeRetry(retry)

      return Persistence.of({
        captured: () => {
          note()
          if (isRefused) return
          startDue()
          captured.openUnsafe()
        },
        write: Effect.fnUntraced(function* (capture, captureMs) {
          if (!(yield* store.available)) return false
          const end = now() + captureMs
          if (!isCurrent(state().workspace)) yield* Effect.timeoutOption(capture({ ...patient, hurry: () => now() > end }), captureMs)
          return yield* writeWorkspace
        }),
        forget: Effect.asVoid(stored.forget),
      })
    }),
  )
}
