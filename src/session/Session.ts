/** The interface of one persistent session, as the tools use it. `makeSession.ts` implements it. */
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { EngineKind } from "../engineKinds.ts"
import type { Built, BuildFailed } from "./builds/Build.ts"
import type { BadCaseFile } from "./builds/caseFile.ts"
import type { Comparison } from "./builds/compare.ts"
import type { Listing, View } from "../child/engines/Listing.ts"
import type { WorkspaceScript } from "./variables/workspaceScript.ts"
import type { EvaluateRequest, Evaluation } from "./Evaluation.ts"
import type { EvaluationStopped, SessionError } from "./SessionError.ts"
import type { SessionStatus } from "./SessionStatus.ts"
import type { Snapshots } from "./variables/Snapshots.ts"
import type { RestoredVariables } from "./variables/Workspace.ts"

export interface Inspection extends Listing {
  readonly generation: number
  /** Milliseconds since the child was read; 0 when this call read it. */
  readonly ageMs: number
  /** An evaluation runs and no earlier inspection read this path, so the answer has no content. */
  readonly unknown?: true
}

/** The names that a session holds, for checking code against them. */
export interface HeldNames {
  readonly engine: EngineKind
  /** Absolute paths with K's type codes. */
  readonly names: ReadonlyMap<string, number>
  readonly directory: string
  /** Milliseconds since the capture that saw these names; 0 when they are up to date; null when there was no capture yet. */
  readonly ageMs: number | null
}

/** A request for rows of an array, or of a dictionary whose columns have equal lengths. */
export interface RowsWanted {
  /** An absolute path. */
  readonly path: string
  /** The columns to read, when `path` is a dictionary. */
  readonly names?: readonly string[] | undefined
  readonly from: number
  readonly count: number
}

export interface Rows {
  readonly total: number
  readonly columns: readonly string[]
  /** For each column, its values as K prints them, each cut to the size of a cell. */
  readonly cells: readonly (readonly string[])[]
  /** The values exceed the size limit of one read or, on K3CSharp, contain characters beyond Latin-1. `cells` is empty then. */
  readonly isUnreadable: boolean
}

export interface ReloadRequest {
  readonly preserveState: boolean
  /** Run the build command first. When the command fails, nothing changes. */
  readonly build?: boolean | undefined
  /** Expressions to run on both builds. Each build runs them in a separate child that begins with the session's variables. */
  readonly check?: readonly string[] | undefined
  /** Report the variables that the expressions changed on each build. */
  readonly changes?: boolean | undefined
  /** A file of cases, each run in a clean workspace of both builds. */
  readonly checkFile?: string | undefined
  /** Deadline of each statement or step of a check, in ms. */
  readonly timeoutMs?: number | undefined
}

export interface Reloaded {
  readonly engine: SessionStatus["engine"]
  readonly oldHash: string | null
  readonly newHash: string | null
  readonly generation: number
  /** Duration of the switch to the new child, without the build and the checks. */
  readonly ms: number
  /** The result of the restore in the new child; null when the request did not ask to preserve the variables. */
  readonly variables: RestoredVariables | null
  readonly built?: Built
  /** Side a is the old build. Null when there was no old build to compare with. */
  readonly check?: Comparison | null
}

/** In a check, the child of the new build died or exceeded its deadline, and the child of the old build did not. The reload is refused. */
export class CheckFailed extends Data.TaggedError("CheckFailed")<{ readonly check: Comparison }> {}

export type ReloadError = SessionError | BuildFailed | BadCaseFile | CheckFailed

/** The result of a reset: the child cleared itself, or a new one replaced it. */
export interface Reset {
  readonly how: "cleared" | "relaunched"
  readonly generation: number
}

export interface Session {
  readonly name: string
  /** Nothing of an ephemeral session is written to the store. */
  readonly isEphemeral: boolean
  /** Runs code. The deadline of the request includes the time in the queue. A client's cancel interrupts the fiber. */
  readonly evaluate: (request: EvaluateRequest) => Effect.Effect<Evaluation, SessionError>
  /** Stops the running evaluation in the same way as its caller's cancel does. Undefined when no evaluation runs. */
  readonly interrupt: Effect.Effect<EvaluationStopped | undefined>
  /** The current status. Never waits for an evaluation. */
  readonly status: Effect.Effect<SessionStatus>
  /** Removes all variables: the child clears itself with `\9` and confirms it, else a new child replaces it. */
  readonly reset: Effect.Effect<Reset, SessionError>
  /** Replaces the child by a new one from the build on disk. The old child stays when the new one fails its checks. */
  readonly reload: (request: ReloadRequest) => Effect.Effect<Reloaded, ReloadError>
  /**
   * Writes the workspace to the store now, after a capture if the session is idle. False when the workspace could not be written, or not all of it
   * can be restored.
   */
  readonly persist: Effect.Effect<boolean>
  /** Reads a path. While an evaluation runs, answers from the last inspection of this path, with its age. */
  readonly inspect: (path: string, view?: View) => Effect.Effect<Inspection, SessionError>
  /** Lists the captured places whose name or text contains `text`, without the first `skip` of them. `unread` counts values too large to search. */
  readonly find: (text: string, skip?: number) => Effect.Effect<Inspection & { readonly unread: number }>
  /** Never waits. None while an evaluation runs or when the child does not answer in time. Undefined when the path holds no array. */
  readonly rows: (wanted: RowsWanted) => Effect.Effect<Option.Option<Rows | undefined>, SessionError>
  readonly snapshots: Snapshots
  /** All names at once, as of the last capture. Launches no child. */
  readonly names: Effect.Effect<HeldNames>
  /** The workspace as a K script of at most `most` characters. While an evaluation runs, it comes from the last capture. */
  readonly script: (most: number) => Effect.Effect<
    WorkspaceScript & {
      /** Number of evaluations since the capture. */
      readonly missed: number
    },
    SessionError
  >
}
