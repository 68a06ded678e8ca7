/**
 * Wraps `Sessions` for a caller with read-only access.
 *
 * Guarantees: no K of the caller runs, no session is made, and the only stored data that changes is the list of the addresses it watches. All members
 * are listed by name, so the compiler asks for a decision about each new one. Does not: prevent the launch of a child to show the variables of a
 * session.
 */
import * as Effect from "effect/Effect"
import { FileRefused } from "./RootFiles.ts"
import type { Session } from "./Session.ts"
import { NoSession, NotAllowed } from "./SessionError.ts"
import type { Sessions } from "./Sessions.ts"

const no = Effect.suspend(() => new NotAllowed())
const refuse = () => no

const readOnlySession = (session: Session): Session => {
  const { name, isEphemeral, status, persist, inspect, rows, find, names, script, snapshots } = session
  const { list, diff } = snapshots
  return {
    name,
    isEphemeral,
    status,
    persist,
    inspect,
    rows,
    find,
    names,
    script,
    snapshots: { list, diff, save: refuse, rebase: refuse, restore: refuse, undo: refuse, rename: refuse, remove: refuse },
    evaluate: refuse,
    interrupt: Effect.undefined,
    reset: no,
    reload: refuse,
  }
}

export const readOnly = (sessions: Sessions["Service"]): Sessions["Service"] => {
  const { list, status, history, crashes, definitions, files, disk, outputs, plots, backgrounds, subscriptions } = sessions
  // A session on its way to another machine of a cluster is listed, and not found for now.
  const isThere = (name: string) =>
    Effect.flatMap(sessions.find(name), (open) =>
      open === undefined
        ? Effect.zipWith(list, disk, (all, { stored }) => [...all, ...stored].some((each) => each.name === name))
        : Effect.succeed(true),
    )
  const { all, known, versions, listen } = definitions
  return {
    get: Effect.fnUntraced(function* (name, timeoutMs) {
      if (yield* isThere(name)) return readOnlySession(yield* sessions.get(name, timeoutMs))
      return yield* new NoSession({ name, open: (yield* list).map((each) => each.name) })
    }),
    find: (name) => Effect.map(sessions.find(name), (session) => session && readOnlySession(session)),
    list,
    status,
    create: refuse,
    fork: refuse,
    merge: refuse,
    interrupt: refuse,
    close: refuse,
    history,
    crashes,
    definitions: { all, known, versions, listen, add: refuse, remove: refuse },
    files: { ...files, write: (file) => new FileRefused({ file, reason: "read-only", detail: "", roots: [] }) },
    disk,
    outputs,
    plots: { ...plots, draw: refuse },
    backgrounds: { ...backgrounds, begin: refuse, stop: refuse },
    subscriptions,
    compare: refuse,
    drift: refuse,
    reset: refuse,
    resetAll: no,
  }
}
