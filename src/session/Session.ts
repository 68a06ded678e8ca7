/** One persistent session, as the tools see it; `makeSession.ts` makes one. */
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { Built, BuildFailed } from "./builds/Build.ts"
import type { BadCaseFile } from "./builds/caseFile.ts"
import type { Comparison } from "./builds/compare.ts"
import type { Sight } from "../child/engines/Sight.ts"
import type { View } from "../child/engines/view.ts"
import type { Lost } from "../child/Contents.ts"
import type { Script } from "./variables/script.ts"
import type { EvaluateRequest, Evaluation } from "./Evaluation.ts"
import type { EvaluationStopped, SessionError } from "./SessionError.ts"
import type { SessionStatus } from "./SessionStatus.ts"
import type { Snapshots } from "./variables/Snapshots.ts"

export interface Inspection extends Sight {
  readonly generation: number
  /** Milliseconds since this was read; 0 when just now. */
  readonly ageMs: number
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

/** Rows of an array, or of a dictionary of columns as long as each other. */
export interface RowsWanted {
  /** Absolute. */
  readonly path: string
  /** Of the columns of a dictionary. */
  readonly names?: readonly string[] | undefined
  readonly from: number
  readonly count: number
}

export interface Rows {
  readonly total: number
  readonly columns: readonly string[]
  /** Of each column, as K prints them, cut to what a cell has room for. */
  readonly cells: readonly (readonly string[])[]
  /** They take more than a look reads; on K3CSharp also letters beyond Latin-1. */
  readonly isUnreadable: boolean
}

export interface ReloadRequest {
  readonly preserveState: boolean
  /** Run the build command first; when it fails nothing changes. */
  readonly build?: boolean | undefined
  /** Expressions to run on both builds, each on a child beside the session that is given its state. */
  readonly check?: readonly string[] | undefined
  /** Tell what the expressions changed on each build. */
  readonly changes?: boolean | undefined
  /** A file of cases, each run in a clean workspace of both builds. */
  readonly checkFile?: string | undefined
  /** Deadline of each statement or step of a check, ms. */
  readonly timeoutMs?: number | undefined
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
  /** Nothing of it is kept. */
  readonly isEphemeral: boolean
  /** Runs code; interruption of the fiber is the client's cancel. Waits its turn within its own deadline. */
  readonly evaluate: (request: EvaluateRequest) => Effect.Effect<Evaluation, SessionError>
  /** Ends the evaluation that runs, as its caller's cancel would; undefined when none does. */
  readonly interrupt: Effect.Effect<EvaluationStopped | undefined>
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
  /** As `inspect`, of all places whose name or text holds a text; `skip`: places to pass over. */
  readonly find: (text: string, skip?: number) => Effect.Effect<Inspection & { readonly unread: number }>
  /** Never waits: none while an evaluation runs, and where the child was not there in time; undefined for what is no array. */
  readonly rows: (wanted: RowsWanted) => Effect.Effect<Option.Option<Rows | undefined>, SessionError>
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
