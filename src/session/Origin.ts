/** The beginning of a session: its engine and its first variables. */
import type { EngineKind } from "../engineKinds.ts"
import type { Contents } from "../child/Contents.ts"
import type { RestoredVariables } from "./variables/Workspace.ts"

export interface Begun {
  readonly engine: EngineKind
  readonly generation: number
  /** The result of the restore in the first child; undefined when it was given no variables. */
  readonly variables: RestoredVariables | undefined
}

/** A session that a call made. */
export interface Made extends Begun {
  readonly name: string
  readonly isEphemeral: boolean
}

/** The beginning of a session; each absent field has its default. */
export interface Origin {
  /** The engine of the session for its whole life, and the reason for the choice. */
  readonly engine?: EngineKind | undefined
  readonly why?: string
  /** The variables for its first child. */
  readonly contents?: Contents
  /** Neither its variables nor its history are written to the store. */
  readonly isEphemeral?: boolean | undefined
}
