/**
 * The sessions of a space, as a front end gives them to the tools. Requests go to the machine that has the session; this machine reads the
 * documents and the list of stored sessions from the store.
 *
 * Guarantees: while a session is on its way to another machine, status, history and the lists wait at most `brief` for each request; the status
 * says that the session is on its way. Does not: hold the limit of sessions over all machines; each runner holds the limit for itself.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { initial } from "../child/Contents.ts"
import type { PrincipalSpace } from "../mcp/http/Principal.ts"
import { CrashRecords } from "../session/history/CrashRecord.ts"
import { Definitions } from "../session/Definitions.ts"
import { NoSession } from "../session/SessionError.ts"
import type { Session } from "../session/Session.ts"
import { Plots } from "../session/plots/Plots.ts"
import { RootFiles } from "../session/RootFiles.ts"
import { Sessions } from "../session/Sessions.ts"
import { makeStoredSessions } from "../session/storedSessions.ts"
import { make as makeSubscriptions } from "../session/Subscriptions.ts"
import type { Snapshots } from "../session/variables/Snapshots.ts"
import { Store } from "../store/Store.ts"
import { type Asking, brief, type Known, makeAsking } from "./asking.ts"
import { remoteBackgrounds } from "./remoteBackgrounds.ts"
import { remoteHistory } from "./remoteHistory.ts"
import { remoteOutputs } from "./remoteOutputs.ts"
import { makeStatuses } from "./statuses.ts"

interface Opened extends Known {
  readonly isEphemeral: boolean
}

const snapshotsOf = ({ read, change }: Asking, opened: Known): Snapshots => ({
  list: Effect.orElseSucceed(read("SnapshotList", opened.name, {}), () => []),
  diff: (name) => read("SnapshotDiff", opened.name, { name }),
  save: (name) => change("SnapshotSave", opened, { name }),
  rebase: (name) => change("SnapshotRebase", opened, { name }),
  restore: (name) => change("SnapshotRestore", opened, { name }),
  undo: (direction) => change("SnapshotUndo", opened, { direction }),
  rename: (from, to) => change("SnapshotRename", opened, { from, to }),
  remove: (name) => change("SnapshotRemove", opened, { name }),
})

/**
 * A session on any machine. Every operation is a request to that machine; a request that could change something names the epoch under which the
 * session was opened. `status`: the status of the session, also while no machine answers for it.
 */
const remoteSession = (asking: Asking, opened: Opened, status: Session["status"]): Session => {
  const { read, change, times } = asking
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
    inspect: (path, view) => read("Inspect", name, { path, ...(view !== undefined && { view }) }),
    find: (text, skip = 0) =>
      Effect.orElseSucceed(read("Find", name, { text, skip }), () => ({
        path: ".",
        entries: [],
        omitted: 0,
        generation: 0,
        ageMs: 0,
        unread: 0,
        unknown: true as const,
      })),
    rows: (wanted) => read("Rows", name, { wanted }),
    names: Effect.orElseSucceed(read("Names", name, {}), () => ({
      engine: "embedded" as const,
      names: new Map(),
      directory: initial.directory,
      ageMs: null,
    })),
    script: (most) => read("Script", name, { most }),
    snapshots: snapshotsOf(asking, opened),
  }
}

const make = Effect.fnUntraced(function* (principal: PrincipalSpace) {
  const store = yield* Store
  const asking = yield* makeAsking(principal, store.trouble)
  const { read, changeNow, times } = asking
  const { isOwned, status, list } = yield* makeStatuses(principal.space, asking)

  const get: Sessions["Service"]["get"] = (name, timeoutMs) =>
    Effect.map(read("Open", name, { use: true }, Math.max(times.evaluation(timeoutMs), brief)), (opened) =>
      remoteSession(asking, { name, ...opened }, status(name)),
    )
  const find: Sessions["Service"]["find"] = (name) =>
    Effect.gen(function* () {
      if (!(yield* isOwned(name))) return undefined
      const opened = yield* read("Open", name, { use: false }, brief)
      return opened.isOpen ? remoteSession(asking, { name, ...opened }, status(name)) : undefined
    }).pipe(Effect.orElseSucceed(() => undefined))

  const history = yield* remoteHistory(asking, isOwned)
  const { isStored, disk, named, resetAll } = makeStoredSessions(store, list, history.of)
  const reset: Sessions["Service"]["reset"] = (name) => changeNow("Reset", name, {})

  return Sessions.of({
    get,
    find,
    list,
    status,
    create: ({ name, ...given }) => named(name, (free) => changeNow("Create", free, given)),
    fork: ({ name, ...given }) => named(name, (free) => changeNow("Fork", free, given, times.taking)),
    merge: ({ into, ...given }) => changeNow("Merge", into, given, times.taking),
    interrupt: (name) =>
      Effect.gen(function* () {
        if (yield* isOwned(name)) return yield* changeNow("Interrupt", name, {})
        // Nothing runs in a session that no machine has; it may be on its way to another one.
        if (yield* isStored(name)) return undefined
        return yield* new NoSession({ name, open: (yield* list).map((each) => each.name) })
      }),
    close: (name) => changeNow("Close", name, {}),
    history,
    crashes: yield* CrashRecords,
    definitions: yield* Definitions,
    files: yield* RootFiles,
    disk,
    plots: yield* Plots,
    backgrounds: yield* remoteBackgrounds(asking, list),
    subscriptions: yield* makeSubscriptions,
    outputs: yield* remoteOutputs(principal.space, asking),
    compare: (request) => changeNow("Compare", request.session, { request }, times.comparison(request.timeoutMs)),
    drift: (request) => changeNow("Drift", request.session, { request }, times.comparison(request.timeoutMs)),
    reset,
    resetAll: resetAll(reset),
  })
})

export const layer = (principal: PrincipalSpace) => Layer.effect(Sessions, make(principal))
