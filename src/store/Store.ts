/**
 * The port to what outlives a process: workspaces, snapshots, histories, and small documents such as tool definitions and crash records.
 *
 * Guarantees, of every implementation: nothing here fails. What cannot be done is `false`, `undefined` or an empty list, and becomes a
 * sentence of `trouble`. What was written is durable when `true` comes back, and it is whole or as before whenever the process or the
 * machine ended earlier. What is read is judged as if a stranger had sent it; what cannot be used is set aside, never overwritten. At most
 * one server writes. Opening happens on first use, so a server that is never used leaves no trace.
 *
 * Does not: hold anything in memory for others. What must work without a store is kept by its owner.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Contents, Holdings, Lost } from "../child/Contents.ts"

export type EngineKind = "k3csharp" | "embedded"
export const engineKinds: readonly EngineKind[] = ["embedded", "k3csharp"]

/** A workspace that is kept, as a list shows it. */
export interface StoredSession {
  readonly name: string
  readonly engine: EngineKind
  /** ms since 1970. */
  readonly savedAt: number
  readonly variables: number
}

/** What comes back of a workspace. */
export interface Returned {
  readonly held: Holdings
  /** When it was written, or what is lost, when that is all; ms since 1970. */
  readonly savedAt: number
  /** What another engine holds. */
  readonly lost: readonly Lost[]
}

/** What a session holds, as its owner tells it. */
export interface Source {
  /** The engine whose values are held; without one nothing was held yet, and what is kept stays. */
  readonly engine: EngineKind | undefined
  /** All that is held now, and the names that may differ since this was last asked. */
  readonly takeUnsaved: () => { readonly held: Holdings; readonly changed: ReadonlySet<string> }
  /** These were not written. */
  readonly stillUnsaved: (changed: ReadonlySet<string>) => void
}

/**
 * The variables of one session. Operations of all stores of one name run one at a time. The latest one that loaded, wrote or forgot owns
 * the name: `persist` of an earlier one writes nothing.
 */
export interface WorkspaceStore {
  /** The engine that the session was made with, whatever the settings say, when that was the last to be written. */
  readonly chosen: Effect.Effect<EngineKind | undefined>
  /** What is kept for this engine. */
  readonly load: (engine: EngineKind) => Effect.Effect<Returned | undefined>
  /** Writes what changed since the last time; true when all that is held is kept now. */
  readonly persist: (source: Source) => Effect.Effect<boolean>
  /** Nothing of it is kept any more. */
  readonly forget: Effect.Effect<boolean>
}

/** A named copy of a workspace. */
export interface Snapshot extends Contents {
  readonly name: string
  /** ms since 1970. */
  readonly at: number
  /** 0 when it is of an earlier server. */
  readonly generation: number
  readonly engine: EngineKind
  /** Hash of the build that ran then. */
  readonly build: string | null
}

/** The named snapshots of one session. */
export interface SnapshotStore {
  /** All there are. Variables that are the same in several, or in `present`, come back as one. */
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
  /** Adds all of the lines or none. Makes the segment. A last line that a crash cut short is dropped. */
  readonly append: (first: number, lines: readonly string[]) => Effect.Effect<boolean>
  readonly remove: (first: number) => Effect.Effect<boolean>
  /** Completes "it …". */
  readonly setAside: (first: number, why: string) => Effect.Effect<void>
}

/** Small documents of one kind, each a few lines under a key of letters, digits and `_`. */
export interface DocumentStore {
  /** False when nothing is kept and nothing was ever opened to keep it. */
  readonly mayHaveAny: Effect.Effect<boolean>
  readonly keys: Effect.Effect<readonly string[]>
  readonly load: (key: string) => Effect.Effect<readonly string[] | undefined>
  readonly save: (key: string, lines: readonly string[]) => Effect.Effect<boolean>
  readonly remove: (key: string) => Effect.Effect<boolean>
  /** Completes "it …". */
  readonly setAside: (key: string, why: string) => Effect.Effect<void>
}

export class Store extends Context.Service<
  Store,
  {
    /** Where things are kept, for people to read; null when nothing is to be kept. */
    readonly place: string | null
    readonly available: Effect.Effect<boolean>
    /** Every workspace that is kept. */
    readonly sessions: Effect.Effect<readonly StoredSession[]>
    /** `cwd`: the working folder of this server. `madeWith`: the engine the session was asked to have. */
    readonly workspace: (session: string, cwd: string, madeWith?: EngineKind) => Effect.Effect<WorkspaceStore, never, Scope.Scope>
    readonly snapshots: (session: string) => SnapshotStore
    readonly history: (session: string) => HistoryStore
    readonly definitions: DocumentStore
    readonly crashes: DocumentStore
    /** Evaluations in the background. */
    readonly evaluations: DocumentStore
    /** How often the place was taken over from another server: what was read before is not all there is. */
    readonly takeovers: () => number
    /** Waits for the next time. */
    readonly takenOver: Effect.Effect<void>
    /** What is wrong now, in sentences: for status. */
    readonly trouble: Effect.Effect<readonly string[]>
    /** Those that nobody has taken yet: for the next reply. */
    readonly takeTrouble: () => readonly string[]
  }
>()("k3-mcp/store/Store") {}
