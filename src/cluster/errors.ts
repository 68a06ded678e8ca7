/** Every error of a session, as it crosses between machines. */
import * as Schema from "effect/Schema"
import * as Child from "../child/ChildError.ts"
import { FileRefused } from "../session/RootFiles.ts"
import * as Failure from "../session/SessionError.ts"

export const SessionError: Schema.Codec<Failure.SessionError, unknown> = Schema.Union([
  Failure.DeadlineExceeded,
  Failure.EvaluationStopped,
  Failure.ChildDied,
  Child.LaunchFailed,
  Failure.BreakerOpen,
  Child.BuildNotFound,
  Child.BuildUnusable,
  Child.FenceMissing,
  Failure.GenerationMismatch,
  Failure.QueueFull,
  Failure.TooManySessions,
  Failure.NoSession,
  Failure.NameTaken,
  Failure.SessionClosed,
  Failure.NoSnapshot,
  Failure.NoVariable,
  Failure.WouldOverwrite,
  Failure.SnapshotsFull,
  Failure.NothingToUndo,
  Failure.DryRunEnded,
  Failure.OtherEngine,
  Failure.RestoreFailed,
  Failure.StateUnread,
  Failure.NoOutput,
  Failure.NoEvaluation,
  Failure.TooManyBackground,
  Failure.NotAllowed,
  Failure.TooManyEvaluations,
  Failure.MachineLost,
  Failure.SessionMoves,
  Failure.NotInCluster,
  Child.Refused,
  FileRefused,
])
