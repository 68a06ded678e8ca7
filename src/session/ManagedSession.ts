/**
 * The interface of a session as `SessionPool.ts` and `Sessions.ts` use it: that of the tools, and the operations to begin, copy, expire and close
 * it. Also the data of its beginning: `Origin`, and then `Begun`.
 */
import type * as Effect from "effect/Effect"
import type { EngineKind } from "../engineKinds.ts"
import type { ChildProgram } from "../child/Launcher.ts"
import type { Session } from "./Session.ts"
import type { Evaluation, RunRequest } from "./Evaluation.ts"
import type { SessionError } from "./SessionError.ts"
import type { RestoredVariables, Workspace } from "./variables/Workspace.ts"
import type { Contents, Variable } from "../child/Contents.ts"
import type { MergedIn } from "./variables/merge.ts"

/** The beginning of a session; each absent field has its default. */
export interface Origin {
  /** The engine of the session for its whole life, and the reason for the choice. */
  readonly engine?: EngineKind | undefined
  readonly why?: string
  /** The variables for its first child. */
  readonly contents?: Contents
  /** Neither its variables nor its history are written to the store. */
  readonly isEphemeral?: boolean | undefined
  /** For work of the server itself that ends soon: a few more than the limit of sessions are made. */
  readonly isBrief?: boolean | undefined
}

/** A session with its first child. */
export interface Begun {
  readonly engine: EngineKind
  readonly generation: number
  /** The result of the restore in the first child; undefined when it was given no variables. */
  readonly variables: RestoredVariables | undefined
}

/** A session that a call made. */
export interface MadeSession extends Begun {
  readonly name: string
  readonly isEphemeral: boolean
}

/** Contents in the encoding of an engine. */
export interface EncodedContents {
  readonly contents: Contents
  readonly engine: EngineKind
}

export interface ManagedSession extends Session {
  readonly evaluate: (request: RunRequest) => Effect.Effect<Evaluation, SessionError>
  /** Milliseconds since the last use; 0 while a call runs or waits. */
  readonly idleMs: () => number
  readonly busy: () => boolean
  /** True when there are variables or snapshots that a restart would have to restore. */
  readonly holds: () => boolean
  /** As `persist`, but the capture before it takes at most this many milliseconds. */
  readonly persistWithin: (ms: number) => Effect.Effect<boolean>
  readonly touch: () => void
  /** Registers a client as a reader of notices. From now on its replies contain every notice. */
  readonly attend: (reader: string) => void
  /** The next replies report that these evaluations ran on a lost machine and were not restored. */
  readonly missing: (from: number, to: number) => void
  /** Launches the child and restores the variables that the session begins with. */
  readonly begin: Effect.Effect<Begun, SessionError>
  /** The current contents, or those of a snapshot, in the encoding of the engine that is returned with them. */
  readonly contents: (snapshot: string | undefined) => Effect.Effect<EncodedContents, SessionError>
  /** Adds variables of another session. Replaces existing ones only with `overwrite`. */
  readonly merge: (chosen: ReadonlyMap<string, Variable>, from: EngineKind, overwrite: boolean) => Effect.Effect<MergedIn, SessionError>
  /** The engine and the build that the child runs; undefined without a child. */
  readonly program: () => ChildProgram | undefined
  /** The workspace that a restart would restore. It is up to date when the session is idle. */
  readonly held: Effect.Effect<Workspace>
  /** Fails all running and waiting calls, and refuses later ones. The caller closes the session's scope next. */
  readonly close: Effect.Effect<void>
}
