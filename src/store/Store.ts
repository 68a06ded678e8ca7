/**
 * The port to the store, which outlives the process: workspaces, snapshots, histories, and small documents such as tool definitions and crash
 * records.
 *
 * Guarantees of every implementation: no operation fails. An operation that cannot be done gives `false`, `undefined` or an empty list, and adds
 * a sentence to `trouble`. After `true`, a write is durable; when the process or the machine ends earlier, the data are the old or the new ones,
 * whole. Data are validated when read, whoever wrote them; unusable data are set aside and never overwritten. At most one server writes. A
 * refused removal of a session's variables, or of all its snapshots, is retried; its data count as removed at once. The store is opened on first
 * use, so an unused server leaves no trace.
 *
 * Does not: keep data in memory. A service that must work without a store keeps its data itself.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import type * as Scope from "effect/Scope"
import type { EngineKind } from "../engineKinds.ts"
import type { Contents, Lost } from "../child/Contents.ts"
import { loggingDefects } from "../loggingDefects.ts"
import type { OfEachKind } from "./documentKinds.ts"

/** A stored workspace in a list. */
export interface StoredSession {
  readonly name: string
  readonly engine: EngineKind
  /** ms since 1970. */
  readonly savedAt: number
  readonly variables: number
}

/** A workspace read from the store. */
export interface Returned {
  readonly held: Contents
  /** When the variables were written, or the lost ones when there are no others; ms since 1970. */
  readonly savedAt: number
  /** Variables that another engine saved. */
  readonly lost: readonly Lost[]
}

/** A session's variables to write, as its owner gives them. */
export interface WorkspaceSource {
  /** The engine whose encoding the values have now. Undefined before the first capture; the stored variables stay then. */
  readonly engine: EngineKind | undefined
  /**
   * All held variables, and the paths that may have changed since the last call. `contains`: the number of the latest history entry whose
   * changes they have, if that is known.
   */
  readonly takeUnsaved: () => { readonly held: Contents; readonly changed: ReadonlySet<string>; readonly contains?: number | undefined }
  /** Called with the paths that could not be written. */
  readonly stillUnsaved: (changed: ReadonlySet<string>) => void
}

/**
 * The stored variables of one session. For all `WorkspaceStore`s of one name, one operation runs at a time. The latest of them that loaded, wrote
 * or forgot owns the name; `persist` of an earlier one writes nothing.
 */
export interface WorkspaceStore {
  /** The engine that a call chose for the session, if the latest stored state has that engine. */
  readonly chosen: Effect.Effect<EngineKind | undefined>
  /** The variables stored for this engine. */
  readonly load: (engine: EngineKind) => Effect.Effect<Returned | undefined>
  /** Writes the changes since the last time. True when the store has all held variables now. */
  readonly persist: (source: WorkspaceSource) => Effect.Effect<boolean>
  /** Removes all stored variables of the session. */
  readonly forget: Effect.Effect<boolean>
}

/** A named copy of a workspace. */
export interface Snapshot extends Contents {
  readonly name: string
  /** ms since 1970. */
  readonly at: number
  /** Generation of the child; 0 for a snapshot of an earlier server. */
  readonly generation: number
  readonly engine: EngineKind
  /** Hash of the build that the child ran. */
  readonly build: string | null
  /** The working folder of the server. An earlier version stored none. */
  readonly cwd?: string | undefined
}

/** The named snapshots of one session. */
export interface SnapshotStore {
  /** All snapshots. Equal variables of several snapshots, and of `present`, are one object. */
  readonly load: (present: Contents) => Effect.Effect<readonly Snapshot[]>
  readonly save: (snapshot: Snapshot) => Effect.Effect<boolean>
  readonly remove: (name: string) => Effect.Effect<boolean>
  readonly clear: Effect.Effect<boolean>
}

/** The history of one session: segments of lines, each a JSON object in ASCII, named by the number of its first entry. */
export interface HistoryStore {
  /** Oldest first. */
  readonly segments: Effect.Effect<readonly { readonly first: number; readonly bytes: number }[]>
  readonly lines: (first: number) => Effect.Effect<readonly string[]>
  /** Adds all of the lines or none, and makes the segment if necessary. A last line that a crash cut short is dropped. */
  readonly append: (first: number, lines: readonly string[]) => Effect.Effect<boolean>
  readonly remove: (first: number) => Effect.Effect<boolean>
  /** Sets a segment aside. `why` completes "it …". */
  readonly setAside: (first: number, why: string) => Effect.Effect<void>
}

/** Small documents of one kind, each a few lines under a key of letters, digits and `_`. */
export interface DocumentStore {
  /** False when nothing was ever stored. In a database it is true also when only documents of other kinds were. Does not open the store. */
  readonly mayHaveAny: Effect.Effect<boolean>
  readonly keys: Effect.Effect<readonly string[]>
  readonly load: (key: string) => Effect.Effect<readonly string[] | undefined>
  readonly save: (key: string, lines: readonly string[]) => Effect.Effect<boolean>
  readonly remove: (key: string) => Effect.Effect<boolean>
  /** Sets a document aside. `why` completes "it …". */
  readonly setAside: (key: string, why: string) => Effect.Effect<void>
}

export class Store extends Context.Service<
  Store,
  {
    /** The place of the store in words; null when the settings turn the store off. */
    readonly place: string | null
    readonly available: Effect.Effect<boolean>
    /** All stored workspaces. */
    readonly sessions: Effect.Effect<readonly StoredSession[]>
    /** The stored workspaces of one session, without reading those of others. */
    readonly session: (name: string) => Effect.Effect<readonly StoredSession[]>
    /** `cwd`: the working folder of this server. `madeWith`: the engine that a call chose for the session. */
    readonly workspace: (session: string, cwd: string, madeWith?: EngineKind) => Effect.Effect<WorkspaceStore, never, Scope.Scope>
    readonly snapshots: (session: string) => SnapshotStore
    readonly history: (session: string) => HistoryStore
    readonly documents: OfEachKind<DocumentStore>
    /** Number of takeovers from another server. After each one, earlier readings are incomplete. */
    readonly takeovers: () => number
    /** Waits for the next takeover. */
    readonly takenOver: Effect.Effect<void>
    /** The present problems in sentences, for status. */
    readonly trouble: Effect.Effect<readonly string[]>
    /** Takes the problems that no reply has reported yet. */
    readonly takeTrouble: () => readonly string[]
  }
>()("k3-mcp/store/Store") {}

/** Time from a refused write until its retry, ms. It doubles with each retry that is refused, since a write may be large. */
const firstPause = 5000
export const longestPause = 60_000

/**
 * Returns an effect to run when the store has refused a write. `retry` then runs once, in the scope: after the pause, or earlier at a takeover of
 * the store. `retry` runs the returned effect if the store refuses once more. Without a store, `retry` never runs.
 */
export const makeRetry = Effect.fnUntraced(function* (retry: Effect.Effect<unknown>) {
  const { place, takenOver } = yield* Store
  const refused = yield* Latch.make()
  let pause = firstPause
  const round = Effect.gen(function* () {
    yield* refused.await
    yield* Effect.timeoutOption(takenOver, pause)
    yield* refused.close
    yield* loggingDefects("A write to the store failed", retry, refused.open)
    pause = refused.isOpen() ? Math.min(2 * pause, longestPause) : firstPause
  })
  yield* Effect.forkScoped(Effect.forever(round))
  return place === null ? Effect.void : Effect.asVoid(refused.open)
})

/** Runs an effect after each takeover until the scope closes, but not again for a takeover that happens while it runs. */
export const afterTakeover = <R>(effect: Effect.Effect<unknown, never, R>) =>
  Store.use(({ takenOver }) =>
    takenOver.pipe(
      Effect.andThen(loggingDefects("Work after a takeover of the store failed", effect, Effect.void)),
      Effect.forever,
      Effect.forkScoped,
    ),
  )
