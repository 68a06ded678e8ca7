/**
 * Changes the variables of a live child to a goal. Only differing variables are written.
 *
 * Guarantees: when the change is interrupted or ends the child, the session has the variables it had before. Does not: take the session's
 * queue, or choose the goal.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { Settings } from "../../Settings.ts"
import type { Contents } from "../../child/Contents.ts"
import { SessionIdentity } from "../SessionIdentity.ts"
import { RestoreFailed } from "../SessionError.ts"
import type { Live } from "../state.ts"
import { Supervisor } from "../Supervisor.ts"
import type { Direction } from "./undo.ts"
import { changeVariables, type RestoreDied } from "./restore.ts"

export const makeChangeTo = Effect.gen(function* () {
  const { launchTimeout } = yield* Settings
  const { name: session } = yield* SessionIdentity
  const { state, send, ended, stop } = yield* Supervisor

  const died = (doing: string, live: Live) =>
    Effect.fnUntraced(function* ({ how, given }: RestoreDied) {
      send({ _tag: "RestoreDied", how, given })
      ended(live, how)
      return yield* new RestoreFailed({ session, doing, exitCode: how.exit.code, signal: how.exit.signal })
    })

  /** After an interruption: stops the child, and takes it back to its mark if it lives. */
  const abandon = Effect.fnUntraced(function* (live: Live, doing: string) {
    const { how } = yield* stop(live, `${doing} was cut short`)
    // The next child gets the last capture, which lacks nothing.
    if (how === "killed") return
    send({ _tag: "Evaluated", mayChange: true })
    if (live.tracker.marks !== null) yield* Effect.ignore(live.tracker.marks.back)
  })

  /** `doing`: the name of the work in errors. Undefined, with nothing done, when the goal lacks names that the engine cannot remove. */
  return Effect.fnUntraced(function* (goal: Contents, live: Live, doing: string, by?: Direction) {
    const put = yield* Effect.ignore(live.tracker.marks?.mark ?? Effect.void).pipe(
      Effect.andThen(changeVariables(state().workspace, live, goal, launchTimeout)),
      Effect.onInterrupt(() => abandon(live, doing)),
      Effect.catchTag("RestoreDied", died(doing, live)),
    )
    if (put === undefined) return undefined
    const { contents, ...changed } = put
    send({ _tag: "Held", contents, engine: live.engine.kind, isCurrent: put.lost.length === 0, at: yield* Clock.currentTimeMillis, by })
    return changed
  })
})
