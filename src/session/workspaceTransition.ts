/** The part of the transition function for events that do not concern the child: the workspace, its stored state and the notices. Pure. */
import { initial } from "../child/Contents.ts"
import { defining } from "./variables/uncaptured.ts"
import * as notices from "./notices.ts"
import { type EventOf, type SessionState, type StoredState, updated, type WorkspaceEvent } from "./state.ts"
import * as workspaces from "./variables/Workspace.ts"

export const nothingKept = (kept: StoredState): StoredState => ({ ...kept, isRead: true, behind: 0, savedAt: undefined })

const furtherBehind = ({ isRead, madeWith, savedAt, behind }: StoredState): StoredState => ({
  isRead,
  madeWith,
  savedAt,
  behind: behind + 1,
})

type On<Tag extends WorkspaceEvent["_tag"]> = (state: SessionState, event: EventOf<Tag>) => SessionState

export const workspaceTransition = (state: SessionState, event: WorkspaceEvent): SessionState =>
  (changes[event._tag] as On<typeof event._tag>)(state, event)

/** An event of an earlier epoch of the workspace changes nothing. */
const inEpoch =
  <E extends { readonly epoch: number }>(change: (state: SessionState, event: E) => SessionState) =>
  (state: SessionState, event: E): SessionState =>
    event.epoch === state.workspace.epoch ? change(state, event) : state

/** The next state for each event of the workspace. */
const changes: { readonly [Tag in WorkspaceEvent["_tag"]]: On<Tag> } = {
  Evaluated: (state, { mayChange }) =>
    updated(state, { workspace: workspaces.evaluated(state.workspace, mayChange), kept: furtherBehind(state.kept) }),
  Ran: (state, { statement }) => {
    const { workspace } = state
    const uncaptured = defining(workspace.uncaptured, statement, workspace.held.settings?.directory ?? initial.directory)
    return uncaptured === undefined ? state : { ...state, workspace: { ...workspace, uncaptured } }
  },
  Captured: inEpoch((state, event) => ({ ...state, workspace: workspaces.captured(state.workspace, event) })),
  Held: (state, { contents, engine = state.workspace.engine, isCurrent, at, by }) => {
    const held = { ...workspaces.holding(state.workspace, contents, at, by), engine }
    return updated(state, { workspace: isCurrent ? held : { ...held, missed: 1 }, kept: furtherBehind(state.kept) })
  },
  TakenBack: (state, { workspace, why }) => ({
    ...state,
    notices: notices.post(state.notices, { after: state.generation, why }),
    workspace: workspaces.takenBack(state.workspace, workspace),
    kept: furtherBehind(state.kept),
  }),
  Forgotten: (state) => ({
    ...state,
    notices: notices.withoutValues(state.notices),
    workspace: workspaces.forgotten(state.workspace),
    kept: nothingKept(state.kept),
  }),
  Read: inEpoch((state, { engine, returned, why, msAgo }) => {
    if (state.kept.isRead) return state
    const kept = { ...state.kept, isRead: true }
    const posted = (notice: Omit<notices.Posted, "id" | "after">) => notices.post(state.notices, { after: 0, ...notice })
    if (returned === undefined) return { ...state, kept, notices: why === undefined ? state.notices : posted({ why }) }
    const { held, lost, savedAt } = returned
    const isAny = held.variables.size + lost.length > 0
    return {
      ...state,
      kept: held.variables.size > 0 ? { ...kept, savedAt } : kept,
      notices: isAny ? posted({ why, savedMsAgo: msAgo }) : state.notices,
      workspace: { ...state.workspace, engine, held, unreadable: lost },
    }
  }),
  // Posted before every child, so the next reply reports it.
  Missing: (state, { from, to }) => ({ ...state, notices: notices.post(state.notices, { after: -1, missing: [from, to] }) }),
  MadeWith: (state, { engine }) => ({ ...state, kept: { ...state.kept, madeWith: state.kept.madeWith ?? engine } }),
  UnsavedTaken: (state) => ({ ...state, workspace: { ...state.workspace, unsaved: new Set() } }),
  NotSaved: inEpoch((state, { paths }) => {
    const { workspace } = state
    return { ...state, workspace: { ...workspace, unsaved: new Set([...workspace.unsaved, ...paths]) } }
  }),
  Saved: inEpoch((state, { evaluations, at }) => {
    const { kept, workspace } = state
    const behind = Math.max(0, kept.behind - evaluations)
    return { ...state, kept: { ...kept, behind, savedAt: workspace.engine === undefined ? kept.savedAt : at } }
  }),
  Warned: (state, { paths }) => {
    const { workspace } = state
    return { ...state, workspace: { ...workspace, warned: new Set([...workspace.warned, ...paths]) } }
  },
  Attended: (state, { reader }) => {
    const attended = notices.attended(state.notices, reader)
    return attended === state.notices ? state : { ...state, notices: attended }
  },
  Noticed: (state, { reader, generation }) => ({
    ...state,
    notices: notices.noticed(state.notices, reader, generation),
    workspace: { ...state.workspace, unheld: [] },
  }),
}
