/**
 * The store, the history and the crash records of an ephemeral session.
 *
 * Guarantees: each answers as an empty one does and keeps nothing. Does not: cover long outputs. They are kept for `k_output` in a private,
 * unnamed file that ends with the server.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { type DocumentStore, Store } from "../store/Store.ts"
import { CrashRecords } from "./history/CrashRecord.ts"
import { History } from "./history/History.ts"

const no = Effect.succeed(false)
const none = Effect.succeed([])

const documents: DocumentStore = {
  mayHaveAny: no,
  keys: none,
  load: () => Effect.undefined,
  save: () => no,
  remove: () => no,
  setAside: () => Effect.void,
}

const store = Store.of({
  place: null,
  available: no,
  sessions: none,
  session: () => none,
  workspace: (_session, _cwd, madeWith) =>
    Effect.succeed({ chosen: Effect.succeed(madeWith), load: () => Effect.undefined, persist: () => no, forget: no }),
  snapshots: () => ({ load: () => none, save: () => no, remove: () => no, clear: no }),
  history: () => ({
    segments: none,
    lines: () => none,
    append: () => no,
    remove: () => no,
    setAside: () => Effect.void,
  }),
  documents: { definitions: documents, crashes: documents, evaluations: documents, subscriptions: documents },
  trouble: none,
  takeovers: () => 0,
  takenOver: Effect.never,
  takeTrouble: () => [],
})

const history = History.of({
  of: () =>
    Effect.succeed({
      record: (entry) => ({ ...entry, n: 1 }),
      last: 0,
      reach: () => {},
      view: () => ({ first: 0, last: 0, page: () => Effect.succeed({ entries: [], damaged: 0 }) }),
    }),
  using: () => Effect.void,
  leave: () => Effect.void,
})

export const ephemeral = Context.make(Store, store).pipe(
  Context.add(History, history),
  Context.add(CrashRecords, CrashRecords.of({ note: () => {}, all: none })),
)
