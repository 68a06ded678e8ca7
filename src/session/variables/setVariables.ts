/**
 * Gives a session the variables of a goal: writes the differing ones to its live child, or replaces it where the engine cannot remove a name.
 *
 * Guarantees: when this is interrupted, or ends the child, the session has the variables it had before. Does not: take the session's queue, or
 * choose the goal.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { compare, type Contents, inexactIn } from "../../child/Contents.ts"
import { Settings } from "../../Settings.ts"
import { Caller } from "../Caller.ts"
import { restoredIn } from "../notices.ts"
import { RestoreFailed } from "../SessionError.ts"
import { SessionIdentity } from "../SessionIdentity.ts"
import { type Live, liveOf } from "../state.ts"
import { Supervisor } from "../Supervisor.ts"
import { changeVariables, type RestoreDied } from "./restore.ts"
import type { RestoredSnapshot } from "./Snapshots.ts"
import type { Direction } from "./undo.ts"
import type { Workspace } from "./Workspace.ts"

/** Changes the variables of a live child. */
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

/** `doing`: the name of the work in errors; `done`: the reason of a relaunch in notices. */
interface Words {
  readonly doing: string
  readonly done: string
}

export const makeSetVariables = Effect.gen(function* () {
  const { state, send, connect } = yield* Supervisor
  const changeTo = yield* makeChangeTo

  const takeBack = (workspace: Workspace, doing: string) =>
    Effect.sync(() => {
      const why = `${doing} was cut short`
      send({ _tag: "TakenBack", workspace, why })
      const live = liveOf(state())
      if (live !== undefined) send({ _tag: "Killed", live, why })
    })

  /** Replaces the child by a new one with all variables of `goal`. */
  const renewed = Effect.fnUntraced(function* (goal: Contents, live: Live, { doing, done }: Words, by?: Direction) {
    const { workspace } = state()
    const { differences } = compare(goal.variables, workspace.held.variables, true)
    send({ _tag: "Held", contents: goal, isCurrent: true, at: yield* Clock.currentTimeMillis, by })
    send({ _tag: "Killed", live, why: done })
    const { generation } = yield* Effect.onError(connect, () => takeBack(workspace, doing))
    const lost = restoredIn(state().notices, generation)?.lost ?? []
    send({ _tag: "Noticed", reader: (yield* Caller).reader, generation })
    const notRestored = new Set(lost.map(({ path }) => path))
    return {
      generation,
      restored: differences.flatMap(({ path, before }) => (before === undefined || notRestored.has(path) ? [] : [path])),
      removed: differences.flatMap(({ path, before }) => (before === undefined ? [path] : [])),
      lost,
      renewed: true,
    } satisfies Omit<RestoredSnapshot, "snapshot">
  })

  return Effect.fnUntraced(function* (goal: Contents, live: Live, words: Words, by?: Direction) {
    const before = inexactIn(state().workspace.held.variables.values())
    const changed = yield* changeTo(goal, live, words.doing, by)
    const done = changed === undefined ? yield* renewed(goal, live, words, by) : { generation: live.generation, ...changed, renewed: false }
    // Nothing brings these back: no exact value of them is held.
    const changedPaths = new Set([...done.removed, ...done.restored])
    const gone = before.filter(({ path }) => changedPaths.has(path))
    return { ...done, lost: [...done.lost, ...gone] }
  })
})
