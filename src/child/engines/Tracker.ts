/** The interface for reading the variables of one child and restoring them; each engine implements it. */
import type * as Effect from "effect/Effect"
import type { ChildEnded } from "../Child.ts"
import type { Lost, Update, Variable, WorkspaceSettings } from "../Contents.ts"

export interface Pace {
  /** Asked between two requests to the child: whether to stop now and continue at the next read. */
  readonly hurry: () => boolean
  /** Bytes of a variable; larger ones are left for a later read. */
  readonly mostBytes: number
}

/** No limits. */
export const patient: Pace = { hurry: () => false, mostBytes: Number.MAX_SAFE_INTEGER }

export interface Tracker {
  /** The changes since the last complete read. Undefined when it was stopped; the next read continues with the changes found so far. */
  readonly read: (pace: Pace) => Effect.Effect<Update | undefined, ChildEnded>
  /** Assigns variables, and gives those that are not equal afterwards. `precision`: the precision of their printed texts. */
  readonly restore: (variables: readonly Variable[], precision: number) => Effect.Effect<readonly Lost[], ChildEnded>
  /** Variables too large to be captured, as far as one quick request tells. `code`: the evaluated code. */
  readonly large: (code: string) => Effect.Effect<readonly Lost[], ChildEnded>
  /** Whether one of the last `statements` statements cut quoted fields of a file at a separator. False when the engine does not tell. */
  readonly cutQuotes: (statements: number) => Effect.Effect<boolean, ChildEnded>
  /** Removes names; null for an engine that cannot. */
  readonly remove: ((paths: readonly string[]) => Effect.Effect<void, ChildEnded>) | null
  /** Restores precision, seed, directory and folder, after all variables. */
  readonly settle: (settings: WorkspaceSettings) => Effect.Effect<readonly Lost[], ChildEnded>
  /** Marks the state inside the child, and goes back to the mark; null for an engine that cannot. */
  readonly marks: { readonly mark: Effect.Effect<void, ChildEnded>; readonly back: Effect.Effect<void, ChildEnded> } | null
  /** Notes an evaluated statement, for an engine that does not print functions in their original text. */
  readonly onStatement: (statement: string) => void
  /** Makes the next read report all variables. */
  readonly forget: () => void
}
