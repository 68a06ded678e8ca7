/** Every error that a request can end with, as it crosses between machines. */
import * as Schema from "effect/Schema"
import * as Child from "../child/ChildError.ts"
import { FileRefused } from "../session/RootFiles.ts"
import * as Of from "../session/SessionError.ts"

export type Failure = Of.SessionError

export const Failure: Schema.Codec<Failure, unknown> = Schema.Union([
  Of.DeadlineExceeded,
  Of.EvaluationStopped,
  Of.ChildDied,
  Child.LaunchFailed,
  Of.BreakerOpen,
  Child.BuildNotFound,
  Child.BuildUnusable,
  Child.FenceMissing,
  Of.GenerationMismatch,
  Of.QueueFull,
  Of.TooManySessions,
  Of.NoSession,
  Of.NameTaken,
  Of.SessionClosed,
  Of.NoSnapshot,
  Of.NoVariable,
  Of.WouldOverwrite,
  Of.SnapshotsFull,
  Of.NothingToUndo,
  Of.DryRunEnded,
  Of.OtherEngine,
  Of.RestoreFailed,
  Of.StateUnread,
  Of.NoOutput,
  Of.NoEvaluation,
  Of.TooManyBackground,
  Of.NotAllowed,
  Of.TooManyEvaluations,
  Of.MachineLost,
  Of.SessionMoves,
  Of.NotInCluster,
  Child.Refused,
  FileRefused,
])
