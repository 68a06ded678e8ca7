/** The part of the transition function for events that do not concern the child: the workspace, its stored state and the notices. Pure. */
import { initial } from "../child/Contents.ts"
import { defining } from "./variables/uncaptured.ts"
import * as notices from "./notices.ts"
import { type Event, type StoredState, type SessionState, updated } from "./state.ts"
import * as workspaces from "./variables/Workspace.ts"

export const nothingKept = (kept: StoredState): StoredState => ({ ...kept, isRead: true, behind: 0, savedAt: undefined })

const furtherBehind = ({ isRead, madeWith, savedAt, behind }: StoredState): StoredState => ({
  isRead,
  madeWith,
  savedAt,
  behind: behind + 1,
})

/** The next state; the same state for an event that concerns the child. */
export const remembered = (state: SessionState, event: Event): SessionState => {
  const { workspace, kept } = state
  switch (event._tag) {
    case "Evaluated":
      return updated(state, { workspace: workspaces.evaluated(workspace, event.mayChange), kept: furtherBehind(kept) })
    case "Ran": {
      const uncaptured = defining(workspace.uncaptured, event.statement, workspace.held.workspace?.directory ?? initial.directory)
      return uncaptured === undefined ? state : { ...state, workspace: { ...workspace, uncaptured } }
    }
    case "Captured":
      return event.epoch === workspace.epoch ? { ...state, workspace: workspaces.captured(workspace, event) } : state
    case "Warned":
      return { ...state, workspace: { ...workspace, warned: new Set([...workspace.warned, ...event.paths]) } }
    case "Held": {
      const { engine = workspace.engine } = event
      const held = { ...workspaces.holding(workspace, event.contents, event.at, event.by), engine }
      return updated(state, { workspace: event.isCurrent ? held : { ...held, missed: 1 }, kept: furtherBehind(kept) })
    }
    case "TakenBack":
      return {
        ...state,
        notices: notices.post(state.notices, { after: state.generation, why: event.why }),
        workspace: workspaces.takenBack(workspace, event.workspace),
        kept: furtherBehind(kept),
      }
    case "Forgotten":
      return {
        ...state,
        notices: notices.withoutValues(state.notices),
        workspace: workspaces.forgotten(workspace),
        kept: nothingKept(kept),
      }
    case "Read":
      return kept.isRead || event.epoch !== workspace.epoch ? state : read(state, event)
    case "Missing":
      // Posted before every child, so the next reply reports it.
      return { ...state, notices: notices.post(state.notices, { after: -1, missing: [event.from, event.to] }) }
    case "MadeWith":
      return { ...state, kept: { ...kept, madeWith: kept.madeWith ?? event.engine } }
    case "UnsavedTaken":
      return { ...state, workspace: { ...workspace, unsaved: new Set() } }
    case "NotSaved":
      return event.epoch === workspace.epoch
        ? { ...state, workspace: { ...workspace, unsaved: new Set([...workspace.unsaved, ...event.paths]) } }
        : state
    case "Saved":
      return event.epoch === workspace.epoch ? saved(state, event) : state
    case "Attended": {
      const attended = notices.attended(state.notices, event.reader)
      return attended === state.notices ? state : { ...state, notices: attended }
    }
    case "Noticed":
      return {
        ...state,
        notices: notices.noticed(state.notices, event.reader, event.generation),
        workspace: { ...workspace, unheld: [] },
      }
    default:
      return state
  }
}

const saved = (state: SessionState, { evaluations, at }: Extract<Event, { readonly _tag: "Saved" }>): SessionState => {
  const { kept, workspace } = state
  const behind = Math.max(0, kept.behind - evaluations)
  return { ...state, kept: { ...kept, behind, savedAt: workspace.engine === undefined ? kept.savedAt : at } }
}

/** Takes the stored variables of the session into the workspace. */
const read = (state: SessionState, { engine, returned, why, msAgo }: Extract<Event, { readonly _tag: "Read" }>): SessionState => {
  const kept = { ...state.kept, isRead: true }
  const posted = (notice: Omit<notices.Posted, "id" | "after">) => notices.post(state.notices, { after: 0, ...notice })
  if (returned === undefined) return { ...state, kept, notices: why === undefined ? state.notices : posted({ why }) }
  const { held, lost, savedAt } = returned
  const isAny = held.variables.size + lost.length > 0
  return {
    ...state,
    kept: held.variables.size > 0 ? { ...kept, savedAt } : kept,
    notices: isAny ? posted({ why: why ?? "the server was restarted", savedMsAgo: msAgo }) : state.notices,
    workspace: { ...state.workspace, engine, held, unreadable: lost },
  }
}
