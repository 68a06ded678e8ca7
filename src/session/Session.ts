/** One persistent session, as the tools see it; `makeSession.ts` makes one. */
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type { Built, BuildFailed } from "./builds/Build.ts"
import type { BadCaseFile } from "./builds/caseFile.ts"
import type { Comparison } from "./builds/compare.ts"
import type { Wanted } from "../child/engines/Engine.ts"
import type { FunctionFacts } from "../child/engines/functionText.ts"
import type { View } from "../child/engines/view.ts"
import type { Difference, Lost } from "../child/Contents.ts"
import type { Script } from "./variables/script.ts"
import type { SessionError } from "./SessionError.ts"
import type { Snapshots } from "./variables/snapshots.ts"

export interface EvaluateRequest {
  readonly code: string
  /** Milliseconds; the setting when absent, capped by the ceiling. */
  readonly timeoutMs?: number | undefined
  readonly expectGeneration?: number | undefined
  /** On an error of K, a deadline or a crash the variables are as before. */
  readonly rollback?: boolean | undefined
  /** Say which names were added, changed, removed. */
  readonly changes?: boolean | undefined
  /** Tell the value of the last statement, too. */
  readonly value?: Wanted | undefined
}

/** An error of K. */
export interface KFailure {
  /** K's own name where known (`type`, `length`, `value`, …), else `error`. */
  readonly name: string
  /** The engine's own text, whole. */
  readonly text: string
  /** In the code as the caller sent it, from 1; absent when the engine does not say. */
  readonly line?: number
  readonly column?: number
  readonly source?: string
  readonly caret?: string
  /** The verb or name that failed, as written. */
  readonly at?: string
  /** How many arguments that verb was given, where it is known. */
  readonly valence?: number | undefined
}

/** Something the caller should know that is not an error. */
export type Notice =
  | { readonly kind: "fresh"; readonly generation: number; readonly why: string }
  | {
      readonly kind: "restored"
      readonly generation: number
      readonly why: string
      readonly restored: number
      readonly lost: readonly Lost[]
      readonly missed: number
      /** When they come from disk: how long ago they were written. */
      readonly savedMsAgo?: number
    }
  /** Something is wrong with the state folder. */
  | { readonly kind: "disk"; readonly sentence: string }
  | { readonly kind: "stale"; readonly runningHash: string; readonly buildHash: string }
  | { readonly kind: "brace"; readonly line: number }
  | { readonly kind: "silent"; readonly statement: string }
  | { readonly kind: "timeout-capped"; readonly askedMs: number; readonly usedMs: number }

export interface Evaluation {
  readonly ok: boolean
  /** Everything the statements printed, in order: the whole when it fits `outputShown`, else head, marker and tail. */
  readonly output: string
  /** Set when `output` was cut: bytes printed in all, bytes kept, and the name `Outputs` keeps them under. */
  readonly truncated?: { readonly bytes: number; readonly kept: number; readonly handle?: string }
  readonly error?: KFailure
  /** Number (from 1) of the statement that failed, and how many there were. */
  readonly failedStatement?: number
  readonly statements: number
  readonly generation: number
  readonly ms: number
  readonly notices: readonly Notice[]
  /** The variables are as before the evaluation. */
  readonly rolledBack?: true
  /** When it was asked for; null when it could not be told in time. */
  readonly changes?: readonly Difference[] | null
  /** When it was wanted: absent when it takes too much, or there is none. */
  readonly value?: { readonly image: Uint8Array; readonly engine: SessionStatus["engine"] }
}

export type Phase = "down" | "launching" | "ready" | "evaluating" | "interrupting" | "killing" | "failed" | "closed"

export interface SessionStatus {
  readonly name: string
  readonly phase: Phase
  readonly engine: "k3csharp" | "embedded"
  /** Why this engine, in words. */
  readonly engineWhy: string
  readonly pid: number | null
  readonly generation: number
  /** The shadow copy's folder, null for the embedded engine. */
  readonly shadow: string | null
  readonly buildFolder: string | null
  readonly runningHash: string | null
  readonly buildHash: string | null
  readonly stale: boolean
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
}

/** A name below a K-tree path as `k_inspect` shows it. */
export interface Entry {
  readonly name: string
  /** K's type code. */
  readonly type: number
  readonly kind: string
  readonly shape: string
  readonly preview: string
}

/** One value: its beginning is the preview. */
export interface Detail extends Entry {
  /** Of the data, with all that is nested; of a list of K3CSharp not known. */
  readonly bytes?: number
  /** Of what was counted of very much that is nested. */
  readonly bytesAtLeast?: number
  /** The end of a long one. */
  readonly tail?: string
  /** Of numbers, nulls left out. */
  readonly least?: number
  readonly greatest?: number
  readonly mean?: number
  /** How many different symbols. */
  readonly distinct?: number
  /** The figures are of so many items, evenly spread. */
  readonly sampled?: number
  readonly function?: FunctionFacts & { readonly text: string; readonly usedBy: readonly string[] }
}

export interface Inspection {
  readonly path: string
  readonly entries: readonly Entry[]
  /** For a value that is no directory: what is known of itself. */
  readonly value?: Detail
  /** Where to go on when there are more entries. */
  readonly next?: number
  /** Why the slice shows nothing. */
  readonly problem?: string
  readonly generation: number
  /** Milliseconds since this was read; 0 when just now. */
  readonly ageMs: number
  /** Names left out for the size of the reply. */
  readonly omitted: number
  /** An evaluation runs, and this path was never looked at before: nothing is known of it yet. */
  readonly unknown?: true
}

/** What a session holds, for checking code against it. */
export interface HeldNames {
  readonly engine: "k3csharp" | "embedded"
  /** Absolute paths with K's type codes. */
  readonly names: ReadonlyMap<string, number>
  readonly directory: string
  /** Milliseconds since it was so; 0 when it is so now; null when evaluations were never followed by a look. */
  readonly ageMs: number | null
}

export interface ReloadRequest {
  readonly preserveState: boolean
  /** Run the build command first; when it fails nothing changes. */
  readonly build?: boolean | undefined
  /** Expressions to run on both builds, each on a child beside the session that is given its state. */
  readonly check?: readonly string[] | undefined
  /** A file of cases, each run in a clean workspace of both builds. */
  readonly checkFile?: string | undefined
}

export interface Reloaded {
  readonly engine: SessionStatus["engine"]
  readonly oldHash: string | null
  readonly newHash: string | null
  readonly generation: number
  /** Of the switch, without the build and the checks. */
  readonly ms: number
  /** Null when the state was not to be preserved. */
  readonly givenBack: { readonly restored: number; readonly lost: readonly Lost[]; readonly missed: number } | null
  readonly built?: Built
  /** Side a is the old build; null when there was none to compare with. */
  readonly check?: Comparison | null
}

/** A check ended the new build, or ran out of time on it, and did not on the old one. */
export class NewBuildFell extends Data.TaggedError("NewBuildFell")<{ readonly check: Comparison }> {}

export type ReloadError = SessionError | BuildFailed | BadCaseFile | NewBuildFell

export interface Session {
  readonly name: string
  /** Runs code; interruption of the fiber is the client's cancel. Waits its turn within its own deadline. */
  readonly evaluate: (request: EvaluateRequest) => Effect.Effect<Evaluation, SessionError>
  /** What the session runs or waits for now; never waits. For progress and status. */
  readonly status: Effect.Effect<SessionStatus>
  /** A clean session: `\9` and checked, else a relaunch. Says which. */
  readonly reset: Effect.Effect<{ readonly how: "cleared" | "relaunched"; readonly generation: number }, SessionError>
  /** A new child from the build on disk; the old one stays when the new one is not well. */
  readonly reload: (request: ReloadRequest) => Effect.Effect<Reloaded, ReloadError>
  /** Writes what is held to disk now, after a last look when nothing runs; false when it is not there afterwards. */
  readonly persist: Effect.Effect<boolean>
  /** Never waits for a running evaluation: answers from what was last seen then, and says how old it is. */
  readonly inspect: (path: string, view?: View) => Effect.Effect<Inspection, SessionError>
  readonly snapshots: Snapshots
  /** As `inspect`, of all names at once; launches nothing. */
  readonly names: Effect.Effect<HeldNames>
  /** What it holds as a K script of at most so many characters; from the last capture when something runs. */
  readonly script: (most: number) => Effect.Effect<
    Script & {
      /** Evaluations that came after the capture. */
      readonly missed: number
    },
    SessionError
  >
}
