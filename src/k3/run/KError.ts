/**
 * An error of K: its kind, its data, and the calls it came through.
 *
 * Guarantees: throwing one costs little, since its sentence is made when it is read (`wording.ts`). Primitives throw it without a place;
 * the compiled code that called them adds the places. Whatever else is thrown inside the interpreter is a defect of ours.
 */
import { type Detail, type ErrorKind, hintOf, nameOf } from "./wording.ts"

export type { ErrorKind, FileKind } from "./wording.ts"

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
  /** K's name: `type`, `rank`, …; of a signal its text. */
  readonly kname: string
  constructor(
    readonly kind: ErrorKind,
    /** A rule, as the verb states it, or data. */
    readonly detail?: string | Detail,
  ) {
    // A JavaScript stack would cost more than the rest of a loop of traps, and tells nothing about K.
    const { stackTraceLimit } = V8Error
    V8Error.stackTraceLimit = 0
    const kname = nameOf(kind, detail)
    super(kname)
    V8Error.stackTraceLimit = stackTraceLimit
    this.kname = kname
  }

  /** A sentence for a person; empty when the name says enough. */
  get hint(): string {
    return hintOf(this.detail)
  }

  /** Is its detail of this kind? */
  says(what: Detail["what"]): boolean {
    return typeof this.detail === "object" && this.detail.what === what
  }

  /** The evaluation must end: no trap and no default takes the place of its value. */
  get isFinal(): boolean {
    return this.kind === "break" || this.kind === "steps"
  }

  /** The last frame is always the outermost. In front of it a line of a script stays. */
  add(frame: Frame): void {
    const { trace } = this
    const last = trace[FRAMES - 1]
    if (last === undefined) return void trace.push(frame)
    this.omitted++
    if (last.isScript === true) trace[FRAMES - 2] = last
    trace[FRAMES - 1] = frame
  }
}
