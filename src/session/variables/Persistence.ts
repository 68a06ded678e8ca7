/**
 * When a session is written to the store.
 *
 * Guarantees: it is written after evaluations and never before one, every `persistEvery` evaluations, as soon as a capture has all of them. A
 * large workspace is written earlier, since the server has little time at its end. Such writes take at most a tenth of the time. A due write
 * that the store refuses is retried. Does not: know how to write (`store/Store.ts`), read (`Supervisor.ts`), or order itself with evaluations.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FiberHandle from "effect/FiberHandle"
import * as Layer from "effect/Layer"
import { keptIn } from "../../child/Contents.ts"
import { elapsedMs } from "../../elapsed.ts"
import { type Pace, patient } from "../../child/engines/Tracker.ts"
import { Settings } from "../../Settings.ts"
import { EvaluationRecorder } from "../history/EvaluationRecorder.ts"
import { Store, makeRetry } from "../../store/Store.ts"
import { SessionIdentity } from "../SessionIdentity.ts"
import type { SessionState } from "../state.ts"
import { Supervisor } from "../Supervisor.ts"
import { isCurrent } from "./Workspace.ts"

/** Bytes that take long to write. */
const longWrite = 4 * 1024 ** 2
/** After a long write, the next one waits this many times as long as the write took. */
const rest = 10

const unsavedBytes = ({ workspace: { held, unsaved } }: SessionState): number =>
  keptIn(Array.from(unsaved).flatMap((path) => held.variables.get(path) ?? []))

export class Persistence extends Context.Service<
  Persistence,
  {
    /** Called after each capture. Starts a write in the background when one is due. */
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
      const writing = yield* FiberHandle.make<void, never>()
      const run = yield* FiberHandle.runtime(writing)()
      /** When a long write may begin, on the monotonic clock, ms. */
      let nextLongWriteAt = Number.NEGATIVE_INFINITY
      /** The number of the latest history entry whose changes the last capture has. */
      let contains: number | undefined
      const note = (): void => {
        if (isCurrent(state().workspace)) contains = recorder.log()?.last
      }

      const writeWorkspace = Effect.gen(function* () {
        const { kept: onDisk, workspace } = state()
        // While the write waits for the store, a reset can begin another epoch, or a restore bring values of another engine.
        let taken = workspace
        const done = yield* stored.persist({
          get engine() {
            return state().workspace.engine
          },
          takeUnsaved: () => {
            taken = state().workspace
            const { held, unsaved } = taken
            note()
            send({ _tag: "UnsavedTaken" })
            return { held, changed: unsaved, contains }
          },
          stillUnsaved: (paths) => send({ _tag: "NotSaved", epoch: taken.epoch, paths }),
        })
        if (done) send({ _tag: "Saved", epoch: workspace.epoch, evaluations: onDisk.behind, at: clock.currentTimeMillisUnsafe() })
        return done
      })

      /** True when the store has the workspace, or there was no long write to make any more. */
      const writeLong = Effect.gen(function* () {
        yield* Effect.sleep(Math.max(0, nextLongWriteAt - elapsedMs(clock)))
        if (unsavedBytes(state()) < longWrite) return true
        const began = elapsedMs(clock)
        const done = yield* writeWorkspace
        nextLongWriteAt = elapsedMs(clock) + rest * (elapsedMs(clock) - began)
        return done
      })

      /** The write that is due now; undefined without one. */
      const due = (): Effect.Effect<boolean> | undefined => {
        const { kept: onDisk, workspace } = state()
        if (!isCurrent(workspace)) return undefined
        if (onDisk.behind >= persistEvery) return writeWorkspace
        return unsavedBytes(state()) >= longWrite ? writeLong : undefined
      }

      /** The store refused the last due write: a retry makes the next one. */
      let isRefused = false
      /** Makes the due writes, and those that get due meanwhile. */
      const writeDue: Effect.Effect<void> = Effect.gen(function* () {
        for (let write = due(); write !== undefined; write = due()) {
          isRefused = !(yield* write)
          if (isRefused) return yield* retryLater
        }
      })
      const startDue = () => run(writeDue, { onlyIfMissing: true })
      const retry: Effect.Effect<void> = Effect.suspend(() => {
        isRefused = false
        // A restore may be under way. No capture follows it, so only another retry can make the write.
        if (due() === undefined && !isCurrent(state().workspace)) return retryLater
        startDue()
        return FiberHandle.awaitEmpty(writing)
      })
      const retryLater = yield* makeRetry(retry)

      return Persistence.of({
        captured: () => {
          note()
          if (!isRefused && due() !== undefined) startDue()
        },
        write: Effect.fnUntraced(function* (capture, captureMs) {
          if (!(yield* store.available)) return false
          const end = elapsedMs(clock) + captureMs
          if (!isCurrent(state().workspace))
            yield* Effect.timeoutOption(capture({ ...patient, hurry: () => elapsedMs(clock) > end }), captureMs)
          return yield* writeWorkspace
        }),
        forget: Effect.asVoid(stored.forget),
      })
    }),
  )
}
