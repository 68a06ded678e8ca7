/** A session as `OpenSessions.ts` and `Sessions.ts` see it: beyond what the tools see, how it begins, is copied, expires and is closed. */
import type * as Effect from "effect/Effect"
import type { Engine } from "../child/engines/Engine.ts"
import type { Program } from "../child/Launcher.ts"
import type { Session } from "./Session.ts"
import type { Evaluation, RunRequest } from "./Evaluation.ts"
import type { SessionError } from "./SessionError.ts"
import type { Begun } from "./Origin.ts"
import type { Workspace } from "./variables/Workspace.ts"
import type { Contents, Variable } from "../child/Contents.ts"
import type { Merged } from "./variables/merge.ts"

export interface OpenSession extends Session {
  readonly evaluate: (request: RunRequest) => Effect.Effect<Evaluation, SessionError>
  /** Milliseconds since it was last used; 0 while something runs or waits. */
  readonly idleMs: Effect.Effect<number>
  readonly busy: () => boolean
  /** Is there anything that would be given back? */
  readonly holds: () => boolean
  /** As `persist`, with what can be captured in that many milliseconds. */
  readonly persistWithin: (ms: number) => Effect.Effect<boolean>
  readonly touch: () => void
  /** That client asks something of it: from now on it hears every notice. */
  readonly attend: (reader: string) => void
  /** A child is there, with what was to be given to it. */
  readonly begin: Effect.Effect<Begun, SessionError>
  /** What it holds now, or what a snapshot of it does, in the coding of its engine. */
  readonly state: (
    snapshot: string | undefined,
  ) => Effect.Effect<{ readonly contents: Contents; readonly engine: Engine["kind"] }, SessionError>
  /** Takes these among its own; those there are only with `overwrite`. */
  readonly merge: (chosen: ReadonlyMap<string, Variable>, from: Engine["kind"], overwrite: boolean) => Effect.Effect<Merged, SessionError>
  /** What its child runs, when there is one. */
  readonly program: () => Program | undefined
  /** What it would give back; up to date when it is idle. */
  readonly held: Effect.Effect<Workspace>
  /** Whatever runs or waits in it fails, and nothing runs any more; its scope is to be closed next. */
  readonly close: Effect.Effect<void>
}
