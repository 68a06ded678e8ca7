/**
 * A session on any machine, as the tools see it. Every operation is a request to that machine; a request that could change something names the
 * epoch under which the session was opened.
 */
import * as Effect from "effect/Effect"
import type { Session } from "../session/Session.ts"
import type { Snapshots } from "../session/variables/Snapshots.ts"
import type { Asking, Known } from "./asking.ts"

interface Opened extends Known {
  readonly isEphemeral: boolean
}

const snapshotsOf = ({ look, change }: Asking, opened: Known): Snapshots => ({
  list: Effect.orElseSucceed(look("SnapshotList", opened.name, {}), () => []),
  diff: (name) => look("SnapshotDiff", opened.name, { name }),
  save: (name) => change("SnapshotSave", opened, { name }),
  rebase: (name) => change("SnapshotRebase", opened, { name }),
  restore: (name) => change("SnapshotRestore", opened, { name }),
  undo: (direction) => change("SnapshotUndo", opened, { direction }),
  rename: (from, to) => change("SnapshotRename", opened, { from, to }),
  remove: (name) => change("SnapshotRemove", opened, { name }),
})

/** `status`: the status of the session, also while no machine answers for it. */
export const remoteSession = (asking: Asking, opened: Opened, status: Session["status"]): Session => {
  const { look, change, times } = asking
  const { name, isEphemeral } = opened
  return {
    name,
    isEphemeral,
    status,
    evaluate: (request) => change("Evaluate", opened, { request }, times.evaluation(request.timeoutMs)),
    interrupt: Effect.orElseSucceed(change("Interrupt", opened, {}), () => undefined),
    reset: change("Reset", opened, {}),
    reload: (request) => change("Reload", opened, { request }, times.reload(request)),
    persist: Effect.orElseSucceed(change("Persist", opened, {}), () => false),
    inspect: (path, view) => look("Inspect", name, { path, ...(view !== undefined && { view }) }),
    find: (text, skip = 0) =>
      Effect.orElseSucceed(look("Find", name, { text, skip }), () => ({
        path: ".",
        entries: [],
        omitted: 0,
        generation: 0,
        ageMs: 0,
        unread: 0,
        unknown: true as const,
      })),
    rows: (wanted) => look("Rows", name, { wanted }),
    names: Effect.orElseSucceed(look("Names", name, {}), () => ({
      engine: "embedded" as const,
      names: new Map(),
      directory: ".k",
      ageMs: null,
    })),
    script: (most) => look("Script", name, { most }),
    snapshots: snapshotsOf(asking, opened),
  }
}
