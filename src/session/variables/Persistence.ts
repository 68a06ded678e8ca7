/**
 * When a session is written to the store.
 *
 * Guarantees: it is written after evaluations and never before one, every `persistEvery` evaluations, as soon as a capture has all of them. A
 * large workspace is written earlier, since the end of the server has little time, but writing takes at most a tenth of the time. Does not:
 * know how to write (`store/Store.ts`), read (`Supervisor.ts`), or order itself with evaluations.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FiberHandle from "effect/FiberHandle"
import * as Layer from "effect/Layer"
import { elapsedMs } from "../../elapsed.ts"
import { type Pace, patient } from "../../child/engines/Tracker.ts"
import { Settings } from "../../Settings.ts"
import { Recording } from "../history/Recording.ts"
import { Store } from "../../store/Store.ts"
import { Self } from "../Self.ts"
import type { SessionState } from "../state.ts"
import { Supervisor } from "../Supervisor.ts"
import { bytesOf } from "./bytesOf.ts"
import { isCurrent } from "./Workspace.ts"

/** Bytes that take long to write. */
const longWrite = 4 * 1024 ** 2
/** After a long write, the next one waits this many times as long as the write took. */
const rest = 10

const unsavedBytes = ({ workspace: { held, unsaved } }: SessionState): number =>
  bytesOf(Array.from(unsaved).flatMap((path) => held.variables.get(path) ?? []))

export class Persistence extends Context.Service<
  Persistence,
  {
    /** Called after each capture. Starts a write in the background when one is due. */
    readonly captured: () => void
    /** Captures with `look` for at most `lookMs` milliseconds, then writes the workspace. False when the store does not have it afterwards. */
    readonly now: (look: (pace: Pace) => Effect.Effect<unknown>, lookMs: number) => Effect.Effect<boolean>
    /** Removes the variables from the store. */
    readonly forget: Effect.Effect<void>
  }
>()("k3-mcp/session/Persistence") {
  static readonly layer = Layer.effect(
    Persistence,
    Effect.gen(function* () {
      const { persistEvery } = yield* Settings
      const store = yield* Store
      const { stored } = yield* Self
      const { state, send } = yield* Supervisor
      const recording = yield* Recording
      const clock = yield* Clock.Clock
      const run = yield* FiberHandle.makeRuntime<never>()
      /** When a long write may begin, on the monotonic clock, ms. */
      let free = Number.NEGATIVE_INFINITY
      /** The number of the latest history entry whose changes the last capture has. */
      let contains: number | undefined
      const note = (): void => {
        if (isCurrent(state().workspace)) contains = recording.log()?.last()
      }

      const write = Effect.gen(function* () {
        const { kept: onDisk, workspace } = state()
        const { epoch, engine } = workspace
        const done = yield* stored.persist({
          engine,
          takeUnsaved: () => {
            const { held, unsaved } = state().workspace
            note()
            send({ _tag: "UnsavedTaken" })
            return { held, changed: unsaved, contains }
          },
          stillUnsaved: (paths) => send({ _tag: "NotSaved", epoch, paths }),
        })
        if (done) send({ _tag: "Saved", epoch, evaluations: onDisk.behind, at: clock.currentTimeMillisUnsafe() })
        return done
      })

      const writeLong = Effect.gen(function* () {
        yield* Effect.sleep(Math.max(0, free - elapsedMs(clock)))
        if (unsavedBytes(state()) < longWrite) return
        const began = elapsedMs(clock)
        yield* write
        free = elapsedMs(clock) + rest * (elapsedMs(clock) - began)
      })

      return Persistence.of({
        captured: () => {
          const { kept: onDisk, workspace } = state()
          note()
          if (!isCurrent(workspace)) return
          if (onDisk.behind >= persistEvery) run(write, { onlyIfMissing: true })
          else if (unsavedBytes(state()) >= longWrite) run(writeLong, { onlyIfMissing: true })
        },
        now: Effect.fnUntraced(function* (look, lookMs) {
          if (!(yield* store.available)) return false
          const end = elapsedMs(clock) + lookMs
          if (!isCurrent(state().workspace)) yield* Effect.timeoutOption(look({ ...patient, hurry: () => elapsedMs(clock) > end }), lookMs)
          return yield* write
        }),
        forget: Effect.asVoid(stored.forget),
      })
    }),
  )
}
