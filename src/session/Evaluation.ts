/** One evaluation as its caller sees it: what is asked, and what comes back. */
import type * as Effect from "effect/Effect"
import type { Lost, Difference } from "../child/Contents.ts"
import type { Engine, KFailure, Limited } from "../child/engines/Engine.ts"
import type { Recording } from "./output/Outputs.ts"

/** A variable that is there for one evaluation. */
export interface Argument {
  readonly name: string
  /** Its value as K. */
  readonly text: string
}

export interface EvaluateRequest {
  readonly code: string
  /** Refused by an engine that cannot take a name away, and where one of the names is in use. */
  readonly args?: readonly Argument[] | undefined
  /** Milliseconds; the setting when absent, capped by the ceiling. */
  readonly timeoutMs?: number | undefined
  readonly expectGeneration?: number | undefined
  /** On an error of K, a deadline or a crash the variables are as before. */
  readonly rollback?: boolean | undefined
  /** In a copy of the session that is thrown away. */
  readonly dryRun?: boolean | undefined
  /** Say which names were added, changed, removed. */
  readonly changes?: boolean | undefined
  /** Refused by an engine that cannot keep to it. */
  readonly limits?: Limited | undefined
  /** Tell the value of the last statement, too, or instead of printing it (`quiet`); `memory` is kept to where the engine can. */
  readonly value?: { readonly image: number; readonly memory?: number | undefined; readonly quiet?: boolean } | undefined
}

/** As a session runs it. */
export interface RunRequest extends EvaluateRequest {
  /** Nobody waits for it, so it has a deadline of its own; what it prints is recorded while it runs. */
  readonly background?: Background | undefined
}

export interface Background {
  readonly open: () => Recording | undefined
  /** It has the queue. */
  readonly onBegin: () => void
  /** Succeeds when it is to be stopped, whether it waits or runs. */
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
      /** When they come from disk: how long ago they were written. */
      readonly savedMsAgo?: number
    }
  /** Nothing was changed; variables that the copy of the session did not have. */
  | { readonly kind: "dry-run"; readonly missing: readonly Lost[] }
  /** Variables that a restore would not bring back. */
  | { readonly kind: "unheld"; readonly variables: readonly Lost[] }
  /** Something is wrong with the state folder. */
  | { readonly kind: "disk" | "fence"; readonly sentence: string }
  /** Another engine than the one that was asked for answers. */
  | { readonly kind: "engine"; readonly sentence: string }
  | { readonly kind: "stale"; readonly runningHash: string; readonly buildHash: string }
  | { readonly kind: "brace"; readonly line: number }
  | { readonly kind: "silent"; readonly statement: string }
  /** Fields of a file that stood in quotes were cut. */
  | { readonly kind: "quotes" }
  | { readonly kind: "timeout-capped"; readonly askedMs: number; readonly usedMs: number; readonly setting: string }

export interface Evaluation {
  readonly ok: boolean
  /** Everything the statements printed, in order: the whole when it fits `outputShown`, else head, marker and tail. */
  readonly output: string
  /** Set when `output` was cut: bytes printed in all, bytes kept, and the name `Outputs` keeps them under. */
  readonly truncated?: { readonly bytes: number; readonly kept: number; readonly handle?: string }
  readonly error?: KFailure
  /** Number (from 1) of the statement that failed, and how many there were. */
  readonly failedStatement?: number
  readonly statements: number
  readonly generation: number
  readonly ms: number
  readonly notices: readonly Notice[]
  /** The variables are as before the evaluation. */
  readonly rolledBack?: true
  /** The session is as before. */
  readonly dryRun?: true
  /** When it was asked for; null when it could not be told in time. */
  readonly changes?: readonly Difference[] | null
  /** When it was wanted: absent when it takes too much, or there is none. */
  readonly value?: { readonly image: Uint8Array; readonly engine: Engine["kind"] }
}
