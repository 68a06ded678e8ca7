/** Operations on the named snapshots of a session, and their results; `makeSnapshots.ts` implements them. */
import type * as Effect from "effect/Effect"
import type { EngineKind } from "../../engineKinds.ts"
import type { Differences, Lost } from "../../child/Contents.ts"
import type { SessionError } from "../SessionError.ts"
import type { Direction } from "./undo.ts"

export interface SnapshotInfo {
  readonly name: string
  readonly ageMs: number
  readonly generation: number
  readonly engine: EngineKind
  readonly build: string | null
  readonly variables: number
  /** The variables without an exact value, and why. */
  readonly lost: readonly Lost[]
}

/** The store refused the snapshot: until a retry writes it, only the session has it. */
export interface Unwritten {
  readonly isUnwritten: true
}

export interface Saved extends Partial<Unwritten> {
  readonly snapshot: SnapshotInfo
  /** The earlier snapshot of this name. */
  readonly replaced?: SnapshotInfo
  /** In a cluster: the database has the snapshot, but not all of the session's present variables, so a lost machine takes some of them with it. */
  readonly isSessionBehind?: true
}

/** The child whose variables a snapshot is compared with. */
export interface Present {
  readonly generation: number
  readonly engine: EngineKind
  readonly build: string | null
}

export interface ComparedSnapshot extends Differences, Partial<Unwritten> {
  readonly snapshot: SnapshotInfo
  readonly present: Present
  /** Milliseconds since the present variables were captured; 0 when they are up to date. */
  readonly ageMs: number
}

export interface RestoredSnapshot {
  readonly snapshot: SnapshotInfo
  readonly generation: number
  /** Variables that differed and were restored. */
  readonly restored: readonly string[]
  /** Names that did not exist in the goal and were removed. */
  readonly removed: readonly string[]
  /** Variables that could not be restored exactly, and those that were removed or replaced and of which no exact value is held. */
  readonly lost: readonly Lost[]
  /** A new child was given all variables, since the engine cannot remove a name. */
  readonly renewed: boolean
}

/** The result of an undo or a redo. */
export interface Undone extends Omit<RestoredSnapshot, "snapshot"> {
  /** Number of evaluations that made the change; 0 when something else did, such as a restore. */
  readonly evaluations: number
  /** Number of further steps in the same direction. */
  readonly left: number
}

export interface Snapshots {
  /** Saves the present variables. */
  readonly save: (name: string) => Effect.Effect<Saved, SessionError>
  /** Sorted by name. Never waits for the session's queue. */
  readonly list: Effect.Effect<readonly SnapshotInfo[]>
  readonly diff: (name: string) => Effect.Effect<ComparedSnapshot, SessionError>
  /** As `diff`, then saves the present variables as the snapshot. */
  readonly rebase: (name: string) => Effect.Effect<ComparedSnapshot, SessionError>
  readonly restore: (name: string) => Effect.Effect<RestoredSnapshot, SessionError>
  /** Undoes the latest change, or redoes the latest undone one. */
  readonly undo: (direction: Direction) => Effect.Effect<Undone, SessionError>
  readonly rename: (from: string, to: string) => Effect.Effect<Unwritten | undefined, SessionError>
  readonly remove: (name: string) => Effect.Effect<void, SessionError>
}
