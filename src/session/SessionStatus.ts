/** The status of a session, as data. */
import type { EngineKind } from "../engineKinds.ts"
import type { FenceState } from "../child/Fence.ts"
import type { HeldSummary } from "./SessionError.ts"

export type Phase = "down" | "launching" | "ready" | "evaluating" | "interrupting" | "killing" | "failed" | "closed"

export interface SessionStatus {
  readonly name: string
  readonly phase: Phase
  /** Nothing of the session is written to the store. */
  readonly isEphemeral: boolean
  readonly engine: EngineKind
  /** The reason for the choice of the engine, in words. */
  readonly engineWhy: string
  readonly pid: number | null
  readonly generation: number
  readonly fence: FenceState
  /** Folder of the shadow copy; null for the embedded engine. */
  readonly shadow: string | null
  readonly buildFolder: string | null
  /** The reason for the choice of that folder, in words. */
  readonly buildFolderWhy: string | null
  readonly runningHash: string | null
  readonly buildHash: string | null
  /** Null when there is no build on disk. */
  readonly stale: boolean | null
  /** A reload refused the build on disk: it did not launch, or it ended in a check that the running one survives. */
  readonly refused?: "launch" | "check"
  /** Version of the engine that runs, or would be launched; null when its build does not say. */
  readonly engineVersion: string | null
  /** Milliseconds since the child was adopted; null without a child. */
  readonly uptimeMs: number | null
  readonly evaluations: number
  /** Work other than an evaluation, such as a build or a check, in words. */
  readonly doing: string | null
  readonly running: {
    readonly statement: string
    /** Number of the statement, from 1, and the number of statements in the evaluation. */
    readonly nth?: readonly [number: number, of: number]
    /** Milliseconds since the statement began. */
    readonly forMs: number
    /** Number of calls that wait for the session. */
    readonly waiting: number
  } | null
  readonly lastCrash: string | null
  /** Milliseconds since the session was made. */
  readonly ageMs: number
  readonly idleMs: number
  readonly memoryBytes: number | null
  /** The spare child, and its resident memory. */
  readonly spare: { readonly pid: number; readonly memoryBytes: number | null } | null
  /** Number of variables that a restart restores, evaluations since their capture, and variables that cannot be restored. */
  readonly held: HeldSummary
  /** Milliseconds since the session was written to the store, and evaluations since then; null when it was never written. */
  readonly onDisk: { readonly ageMs: number; readonly behind: number } | null
  /** The present problems of the store that has the session, in sentences. Absent when the session was not reached. */
  readonly trouble?: readonly string[]
  /** In a cluster: the machine that owns the session, and the epoch under which that machine writes. */
  readonly owner?: { readonly machine: string; readonly epoch: number }
  /** In a cluster: no machine runs the session now, so its name, owner and `doing` alone are known. */
  readonly isUnreached?: true
}
