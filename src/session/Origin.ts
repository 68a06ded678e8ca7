/** How a session begins when a call asks for more than an empty one, and what it begins with. */
import type { Contents } from "../child/Contents.ts"
import type { Engine } from "../child/engines/Engine.ts"
import type { Restored } from "./variables/Workspace.ts"

export interface Begun {
  readonly engine: Engine["kind"]
  readonly generation: number
  readonly givenBack: Restored | undefined
}

/** One that was made because a call asked for it. */
export interface Made extends Begun {
  readonly name: string
  readonly isEphemeral: boolean
}

/** How a session begins that is not just one more. */
export interface Origin {
  /** Its engine for good, and why. */
  readonly engine?: Engine["kind"] | undefined
  readonly why?: string
  /** Given to its first child. */
  readonly contents?: Contents
  /** Nothing of it is kept on disk, nor what is asked of it. */
  readonly isEphemeral?: boolean | undefined
}
