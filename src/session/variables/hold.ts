/**
 * Gives a session the variables of a goal: changes its live child (`changeTo.ts`), or replaces it where the engine cannot remove a name.
 *
 * Guarantees: when this is interrupted, or ends the child, the session has the variables it had before. Does not: take the session's queue, or
 * choose the goal.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { compare, type Contents } from "../../child/Contents.ts"
import { Caller } from "../Caller.ts"
import { restoredIn } from "../notices.ts"
import { type Live, liveOf } from "../state.ts"
import { Supervisor } from "../Supervisor.ts"
import { makeChangeTo } from "./changeTo.ts"
import type { RestoredSnapshot } from "./Snapshots.ts"
import type { Direction } from "./undo.ts"
import type { Workspace } from "./Workspace.ts"

/** `doing`: the name of the work in errors; `done`: the reason of a relaunch in notices. */
interface Words {
  readonly doing: string
  readonly done: string
}

export const makeHold = Effect.gen(function* () {
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
    const changed = yield* changeTo(goal, live, words.doing, by)
    return changed === undefined ? yield* renewed(goal, live, words, by) : { generation: live.generation, ...changed, renewed: false }
  })
})
