/** What a session is and does now, as data. */
import type { FenceState } from "../child/Fence.ts"
import type { Lost } from "../child/Contents.ts"

export type Phase = "down" | "launching" | "ready" | "evaluating" | "interrupting" | "killing" | "failed" | "closed"

export interface SessionStatus {
  readonly name: string
  readonly phase: Phase
  /** Nothing of it is kept. */
  readonly isEphemeral: boolean
  readonly engine: "k3csharp" | "embedded"
  /** Why this engine, in words. */
  readonly engineWhy: string
  readonly pid: number | null
  readonly generation: number
  readonly fence: FenceState
  /** The shadow copy's folder, null for the embedded engine. */
  readonly shadow: string | null
  readonly buildFolder: string | null
  /** Why that folder is taken. */
  readonly buildFolderWhy: string | null
  readonly runningHash: string | null
  readonly buildHash: string | null
  /** Null when there is no build on disk. */
  readonly stale: boolean | null
  /** Of the engine that runs, or would be launched; null when its build does not say. */
  readonly engineVersion: string | null
  /** Of the child; null when none runs. */
  readonly uptimeMs: number | null
  readonly evaluations: number
  /** What it is at beside evaluating: building, checking. */
  readonly doing: string | null
  readonly running: {
    readonly statement: string
    /** Which of how many of its evaluation, from 1. */
    readonly nth?: readonly [number: number, of: number]
    readonly forMs: number
    readonly waiting: number
  } | null
  readonly lastCrash: string | null
  /** Since it was made. */
  readonly ageMs: number
  readonly idleMs: number
  readonly memoryBytes: number | null
  /** The child that stands by, and what it takes while idle. */
  readonly spare: { readonly pid: number; readonly memoryBytes: number | null } | null
  /** What would be given back now, and whether it is all of what there is. */
  readonly held: { readonly variables: number; readonly missed: number; readonly lost: readonly Lost[] }
  /** How old what is on disk is, and how many evaluations came after; null when nothing is. */
  readonly onDisk: { readonly ageMs: number; readonly behind: number } | null
  /** In a cluster: the machine that has it, and the epoch under which that one writes. */
  readonly owner?: { readonly machine: string; readonly epoch: number }
}
