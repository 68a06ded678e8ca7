/**
 * The request for an evaluation, its progress, and its result. An error that ends an evaluation names the statement and quotes the output from its
 * progress.
 */
import type * as Effect from "effect/Effect"
import type { EngineKind } from "../engineKinds.ts"
import type { Lost, Difference } from "../child/Contents.ts"
import type { KFailure, EvaluationLimits } from "../child/engines/Engine.ts"
import type { Statement } from "../k3/text/statements.ts"
import type { Output, Truncated } from "./output/Output.ts"
import type { OutputRecording } from "./output/Outputs.ts"
import type { Aftermath } from "./SessionError.ts"

/** A variable that exists during one evaluation only. */
export interface Argument {
  readonly name: string
  /** Its value as K text. */
  readonly text: string
}

export interface EvaluateRequest {
  readonly code: string
  /** Refused by an engine that cannot remove a name, and when a name is in use. */
  readonly args?: readonly Argument[] | undefined
  /** Deadline in milliseconds. The setting `evalTimeout` when absent; at most `evalTimeoutMax`. */
  readonly timeoutMs?: number | undefined
  /** Milliseconds in which the arguments became K, which count towards the deadline. */
  readonly waited?: number | undefined
  readonly expectGeneration?: number | undefined
  /** After an error of K, a deadline or a crash, the variables are as before the evaluation. */
  readonly rollback?: boolean | undefined
  /** Evaluate in a temporary copy of the session. */
  readonly dryRun?: boolean | undefined
  /** Report the names that were added, changed and removed. */
  readonly changes?: boolean | undefined
  /** Refused by an engine without limits. */
  readonly limits?: EvaluationLimits | undefined
  /**
   * Return the value of the last statement, of at most `image` bytes; with `quiet` without printing it. `memory` limits the evaluation's bytes on
   * engines with limits.
   */
  readonly value?: { readonly image: number; readonly memory?: number | undefined; readonly quiet?: boolean } | undefined
}

/** A request with the options that only the server sets. */
export interface RunRequest extends EvaluateRequest {
  /** Set for a background evaluation: it has its own default deadline, and its output is recorded while it runs. */
  readonly background?: Background | undefined
}

interface Background {
  readonly open: () => OutputRecording | undefined
  /** The evaluation, which has its place in the queue, begins after this. */
  readonly noted: Effect.Effect<void>
  /** Called when the evaluation gets the queue. */
  readonly onBegin: () => void
  /** Succeeds when a caller stops the evaluation, which may wait or run. */
  readonly stop: Effect.Effect<void>
}

/** Something the caller should know that is not an error. */
export type Notice =
  | { readonly kind: "fresh"; readonly generation: number; readonly why: string; readonly lost: readonly Lost[] }
  | {
      readonly kind: "restored"
      readonly generation: number
      readonly why: string
      readonly restored: number
      readonly lost: readonly Lost[]
      readonly missed: number
      /** For variables from the store: milliseconds since they were written. */
      readonly savedMsAgo?: number
    }
  /** The evaluations with these numbers ran on a lost machine and were not restored. */
  | { readonly kind: "missing"; readonly from: number; readonly to: number }
  /** The evaluation was a dry run. `missing`: variables that the copy of the session lacked. */
  | { readonly kind: "dry-run"; readonly missing: readonly Lost[] }
  /** Variables that a restore would not bring back. */
  | { readonly kind: "unheld"; readonly variables: readonly Lost[] }
  /** A problem of the state folder. */
  | { readonly kind: "disk"; readonly sentence: string }
  /** A problem of the fence. */
  | { readonly kind: "fence"; readonly sentence: string }
  /** The folder of the settings holds no K3CSharp build, so the embedded engine answers. */
  | { readonly kind: "engine"; readonly sentence: string }
  | { readonly kind: "stale"; readonly runningHash: string; readonly buildHash: string }
  | { readonly kind: "brace"; readonly line: number }
  | { readonly kind: "silent"; readonly statement: string }
  /** Quoted fields of a file were cut at a separator within the quotes. */
  | { readonly kind: "quotes" }
  | { readonly kind: "timeout-capped"; readonly askedMs: number; readonly usedMs: number; readonly setting: string }

const ofCode: ReadonlySet<Notice["kind"]> = new Set(["brace", "silent", "quotes"])

/** Is the notice about the workspace? Such a notice is given once, so its receiver must show it. */
export const isOfWorkspace = ({ kind }: Notice): boolean => !ofCode.has(kind)

export interface AskedValue {
  readonly image: Uint8Array
  readonly engine: EngineKind
  /** The time of the request, as the entry in the history has it, ms since 1970; absent in results of versions that did not say. */
  readonly at?: number
}

export interface Evaluation {
  readonly ok: boolean
  /** The engine that ran the code; absent in results of versions that did not say. */
  readonly engine?: EngineKind
  /** The printed text of all statements, in order. Text longer than `outputShown` is given as head, marker and tail. */
  readonly output: string
  /** Set when `output` was cut. */
  readonly truncated?: Truncated
  readonly error?: KFailure
  /** Number of the failed statement, from 1. */
  readonly failedStatement?: number
  readonly statements: number
  readonly generation: number
  readonly ms: number
  readonly notices: readonly Notice[]
  /** The variables are as before the evaluation. */
  readonly rolledBack?: true
  /** The session did not change. */
  readonly dryRun?: true
  /** Present when requested. Null when the variables could not be compared in time. */
  readonly changes?: readonly Difference[] | null
  /** Present when requested, unless the value is larger than the requested limit or the last statement has none. */
  readonly value?: AskedValue
}

/** The client of an evaluation, and the time of its request. */
interface Asked {
  /** The client that gets the notices, as in `Caller`. */
  readonly reader: string
  /** ms since 1970. */
  readonly at: number
  /** The same time in ms of the monotonic clock. */
  readonly since: number
}

/** The progress of a running evaluation. */
export interface Progress {
  readonly output: Output
  readonly notices: Notice[]
  readonly asked: Asked
  /** Number of the running statement, from 1; 0 while the evaluation waits. */
  number: number
  statement: string
  state: Aftermath
  /** The changes of an evaluation that ended early, if the request asks for them. Null when they are not known. */
  changes?: Evaluation["changes"]
  /** The child answers a request of the server itself, so the answer is no output of the evaluation. */
  isInternal: boolean
  /** The child was asked to mark its state, for `rollback`. An earlier mark is another evaluation's. */
  isMarked: boolean
  /** Paths of the arguments. They are removed when the evaluation ends. */
  bound: readonly string[]
  /** Statements that ran, of an evaluation with `rollback`. */
  readonly ran: Statement[]
  /** The value of the last statement, if the request asks for it. */
  value?: Evaluation["value"]
}

export const makeProgress = (asked: Asked, output: Output): Progress => ({
  output,
  notices: [],
  ran: [],
  bound: [],
  asked,
  number: 0,
  statement: "",
  state: "kept",
  isInternal: false,
  isMarked: false,
})
