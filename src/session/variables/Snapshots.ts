/** Operations on the named snapshots of a session, and their results; `makeSnapshots.ts` implements them. */
import type * as Effect from "effect/Effect"
import type { Comparison, Lost } from "../../child/Contents.ts"
import type { SessionError } from "../SessionError.ts"
import type { Direction } from "./undo.ts"

export interface SnapshotInfo {
  readonly name: string
  readonly ageMs: number
  readonly generation: number
  readonly engine: "k3csharp" | "embedded"
  readonly build: string | null
  readonly variables: number
  /** Those of them that have no exact value, and why. */
  readonly lost: readonly Lost[]
}

/** What a snapshot is compared with. */
export interface Present {
  readonly generation: number
  readonly engine: "k3csharp" | "embedded"
  readonly build: string | null
}

export interface Compared extends Comparison {
  readonly snapshot: SnapshotInfo
  readonly present: Present
  /** Milliseconds since the present was captured; 0 when it was just now. */
  readonly ageMs: number
}

export interface Restored {
  readonly snapshot: SnapshotInfo
  readonly generation: number
  /** Variables that differed and were put back. */
  readonly restored: readonly string[]
  /** Names that were made since. */
  readonly removed: readonly string[]
  /** Those that are not as they were. */
  readonly lost: readonly Lost[]
  /** By a new child, to which all was given: this engine cannot remove a name. */
  readonly renewed: boolean
}

/** The latest change was taken back, or an undo of it. */
export interface Undone extends Omit<Restored, "snapshot"> {
  /** Whose changes those were; 0 when it was no evaluation. */
  readonly evaluations: number
  /** More steps there are in that direction. */
  readonly left: number
}

export interface Snapshots {
  /** Takes the place of one of that name, and gives it. */
  readonly save: (name: string) => Effect.Effect<{ readonly snapshot: SnapshotInfo; readonly replaced?: SnapshotInfo }, SessionError>
  /** By name; never waits. */
  readonly list: Effect.Effect<readonly SnapshotInfo[]>
  readonly diff: (name: string) => Effect.Effect<Compared, SessionError>
  /** The difference; from then on the present is the snapshot. */
  readonly rebase: (name: string) => Effect.Effect<Compared, SessionError>
  readonly restore: (name: string) => Effect.Effect<Restored, SessionError>
  /** Goes back to before the latest change, or forward again. */
  readonly undo: (direction: Direction) => Effect.Effect<Undone, SessionError>
  readonly rename: (from: string, to: string) => Effect.Effect<void, SessionError>
  readonly remove: (name: string) => Effect.Effect<void, SessionError>
}
