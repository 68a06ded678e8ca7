/**
 * An error of K: its kind, its data, and the calls it came through.
 *
 * Guarantees: throwing one costs little, since its sentence is made only when it is read (`wording.ts`). Primitives throw it without a place; the
 * compiled code that called them adds places. Anything else thrown inside the interpreter is a defect of ours.
 */
import { type ErrorDetail, type ErrorKind, hintOf, nameOf } from "./wording.ts"

export type { ErrorKind, FileKind } from "./wording.ts"

/** A place in a source text: offsets in characters, `end` exclusive. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** A place that an error came through; `KError.trace` has the innermost first. */
export interface TraceFrame {
  /** The text of the statement or function. */
  readonly source: string
  readonly span: Span
  /** The name by which the function was called, when it had one. */
  readonly name?: string | undefined
  /** True: `name` is the file and line of a script. */
  readonly isScript?: boolean
}

/** Frames that an error keeps. */
const FRAMES = 16

const V8Error = Error as { stackTraceLimit?: number | undefined }

export class KError extends Error {
  readonly trace: TraceFrame[] = []
  /** Frames left out before the last, when calls went deep. */
  omitted = 0
  /** K's name: `type`, `rank`, …; of a signal its text. */
  readonly kname: string
  constructor(
    readonly kind: ErrorKind,
    /** A rule, as the verb words it, or data. */
    readonly detail?: string | ErrorDetail,
  ) {
    // A JavaScript stack costs more than all else in a loop of traps, and shows no K.
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

  /** Is the detail of this kind? */
  says(what: ErrorDetail["what"]): boolean {
    return typeof this.detail === "object" && this.detail.what === what
  }

  /** Must the evaluation end? Then no trap and no default may replace its value. */
  get isFinal(): boolean {
    return this.kind === "break" || this.kind === "steps"
  }

  /** Adds a frame. The last frame kept is always the outermost; the line of a script before it stays. */
  add(frame: TraceFrame): void {
    const { trace } = this
    const last = trace[FRAMES - 1]
    if (last === undefined) return void trace.push(frame)
    this.omitted++
    if (last.isScript === true) trace[FRAMES - 2] = last
    trace[FRAMES - 1] = frame
  }
}
