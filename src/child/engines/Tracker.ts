/** What an engine offers for keeping the state of one child: looking at what changed, and putting it back. */
import type * as Effect from "effect/Effect"
import type { ChildEnded } from "../Child.ts"
import type { Lost, Update, Variable, Workspace } from "../Contents.ts"

export interface Pace {
  /** Somebody waits for the child: give up, and go on another time. Asked between two questions to the child. */
  readonly hurry: () => boolean
  /** Bytes of a variable that is worth the time now. */
  readonly soon: number
}

/** Takes all the time it needs. */
export const patient: Pace = { hurry: () => false, soon: Number.MAX_SAFE_INTEGER }

export interface Tracker {
  /** What changed since the last complete look; `undefined` when it was given up. What was found stays found for the next one. */
  readonly look: (pace: Pace) => Effect.Effect<Update | undefined, ChildEnded>
  /** Puts these back and says which of them did not come back equal. `precision`: that of their texts. */
  readonly restore: (variables: readonly Variable[], precision: number) => Effect.Effect<readonly Lost[], ChildEnded>
  /** Variables that no look will have the image of, since they are too large, as far as that is told at once; `code`: what was evaluated. */
  readonly large: (code: string) => Effect.Effect<readonly Lost[], ChildEnded>
  /** Did one of the last so many statements cut fields of a file that stood in quotes? False where it cannot be told. */
  readonly cutQuotes: (statements: number) => Effect.Effect<boolean, ChildEnded>
  /** Takes these names away; null for an engine that cannot. */
  readonly remove: ((paths: readonly string[]) => Effect.Effect<void, ChildEnded>) | null
  /** After all variables: precision, seed, directory, folder. */
  readonly settle: (workspace: Workspace) => Effect.Effect<readonly Lost[], ChildEnded>
  /** Remembering the state inside the child and going back to it; null for an engine that has to be given it anew. */
  readonly marks: { readonly mark: Effect.Effect<void, ChildEnded>; readonly back: Effect.Effect<void, ChildEnded> } | null
  /** A statement that was evaluated, for an engine that does not show the text of functions as it was written. */
  readonly heard: (statement: string) => void
  /** The next look sees all there is. */
  readonly forget: () => void
}
