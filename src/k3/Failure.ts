/** The type of an error of K, as code outside the language gets it. */
import type { ErrorKind } from "./run/wording.ts"

/** An error of K as data. `line` and `column` count from 1 within the statement given to `evaluate`. */
export interface Failure {
  /** The kind of the error. A program can signal any `name`, but no kind other than `signal`. */
  readonly kind: ErrorKind
  /** `type`, `rank`, …, or the text that a program signalled. */
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
  /** The number of arguments that the verb at the caret was given; absent when there is no verb. */
  readonly valence?: number
  /** Calls from the innermost outwards, bounded: the name of each function, or the beginning of its text. */
  readonly path: readonly string[]
  /** The whole error as the console prints it, ending in a newline. */
  readonly rendered: string
}
