/**
 * An error of K, by K's own name. Primitives throw it with a name alone (and a sentence where the name does not say enough); the
 * compiled code that called them adds the place. Everything else that is thrown inside the interpreter is a defect of ours.
 */

export type KErrorName =
  | "type"
  | "rank"
  | "length"
  | "index"
  | "domain"
  | "int"
  | "value"
  | "valence"
  | "nonce"
  | "syntax"
  | "parse"
  | "reserved"
  | "limit"
  | "stack"
  | "wsfull"
  | "nest"
  | "unmatched"
  | "open"
  | "character"
  | "break"
  | "access"
  | (string & {})

/** A place in a source text: offsets in characters, `end` exclusive. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** Where an error happened: innermost first in `KError.trace`. */
export interface Frame {
  /** The statement's or the function's own text. */
  readonly source: string
  readonly span: Span
  /** The name the function was called by, when it had one. */
  readonly name?: string | undefined
  /** The name is the line of a script. */
  readonly isScript?: boolean
}

/** Frames kept of one error. */
const FRAMES = 16

const V8Error = Error as { stackTraceLimit?: number | undefined }

export class KError extends Error {
  readonly trace: Frame[] = []
  /** Frames left out before the last, when calls went deep. */
  omitted = 0
  constructor(
    /** `type`, `rank`, …; for `'"text"` the signalled text. */
    readonly kname: KErrorName,
    /** A sentence for a person, when the name alone is not enough. */
    readonly hint?: string,
  ) {
    // A JavaScript stack would cost more than all else in a loop of traps, and tells nothing about K.
    const { stackTraceLimit } = V8Error
    V8Error.stackTraceLimit = 0
    super(kname)
    V8Error.stackTraceLimit = stackTraceLimit
  }

  /** The last frame is always the outermost, and the line of a script in front of what loads it stays. */
  add(frame: Frame): void {
    const { trace } = this
    const last = trace[FRAMES - 1]
    if (last === undefined) return void trace.push(frame)
    this.omitted++
    if (last.isScript === true) trace[FRAMES - 2] = last
    trace[FRAMES - 1] = frame
  }
}
