/** An error of K as data, as it leaves the language. A type only. */
import type { ErrorKind } from "./run/wording.ts"

/** An error of K as data. `line` and `column` count from 1 within the statement given to `evaluate`. */
export interface Failure {
  /** The kind of the error. A program can signal any `name`, but no kind other than `signal`. */
  readonly kind: ErrorKind
  /** `type`, `rank`, … */
  readonly name: string
  /** A sentence, or the empty string. */
  readonly hint: string
  readonly line: number
  readonly column: number
  /** The source line and the caret line below it, of the innermost frame. */
  readonly source: string
  readonly caret: string
  /** The verb or name at the caret, as written. */
  readonly at: string
  /** How many arguments the verb at the caret was given, where it is one. */
  readonly valence?: number
  /** Calls from the innermost outwards, bounded: function name or its text cut short. */
  readonly path: readonly string[]
  /** All of it as the console prints it, ending in a newline. */
  readonly rendered: string
}
