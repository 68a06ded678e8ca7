/**
 * The errors of a session: one class for each failure that a caller treats differently. They carry data; `mcp/render/sessionFailure.ts`
 * makes the prose. Does not: contain errors of K. Such an error is a normal `Evaluation` with `ok: false`.
 */
import * as Schema from "effect/Schema"
import { BuildNotFound, BuildUnusable, FenceMissing, LaunchFailed, Refused } from "../child/ChildError.ts"
import { FileRefused } from "./RootFiles.ts"

/** The state of the variables after an evaluation ended early. */
export const Aftermath = Schema.Literals(["kept", "restored", "lost", "rolled-back"])
export type Aftermath = typeof Aftermath.Type

/** The variables that the next child is to restore, as known when the old child has ended. */
export const HeldSummary = Schema.Struct({
  variables: Schema.Finite,
  /** Number of evaluations since the capture. Their changes are not in it. */
  missed: Schema.Finite,
  lost: Schema.Array(Schema.Struct({ path: Schema.String, why: Schema.String })),
})
export type HeldSummary = typeof HeldSummary.Type

const Shape = Schema.optional(Schema.Struct({ type: Schema.Finite, shape: Schema.String }))
/** A `Difference` without the values. */
export const Change = Schema.Struct({ path: Schema.String, before: Shape, after: Shape })
export type Change = typeof Change.Type

/** Fields of an error that ends an evaluation: the evaluation, and the session after it. */
const ended = {
  session: Schema.String,
  state: Aftermath,
  /** Absent when nothing is held. */
  held: Schema.optionalKey(HeldSummary),
  /** Present when requested. Null when they are not known. */
  changes: Schema.optionalKey(Schema.NullOr(Schema.Array(Change))),
  /** Generation of the child that answers the next evaluation. */
  generation: Schema.Finite,
  /** The statement that ran, cut to 200 characters, and its number from 1; 0 when none had begun. */
  statement: Schema.String,
  statementNumber: Schema.Finite,
  /** The output of the earlier statements and of this one. */
  output: Schema.String,
}

/** The deadline passed. */
export class DeadlineExceeded extends Schema.TaggedError<DeadlineExceeded>()("DeadlineExceeded", {
  ...ended,
  timeoutMs: Schema.Finite,
  /** True when the call never began: it waited for the evaluation `statement` belongs to, or for a launch when that is empty. */
  waiting: Schema.Boolean,
  /** The reason of the wait, when the call did not wait for its own session. */
  place: Schema.optionalKey(Schema.String),
  /** The name of the work, when it was no evaluation. */
  doing: Schema.optionalKey(Schema.String),
}) {}

/** Another call stopped the evaluation. */
export class EvaluationStopped extends Schema.TaggedError<EvaluationStopped>()("EvaluationStopped", ended) {}

/** The child ended by itself during an evaluation, or was killed because its replies no longer matched the requests, or could not be read. */
export class ChildDied extends Schema.TaggedError<ChildDied>()("ChildDied", {
  session: Schema.String,
  reason: Schema.Literals(["exit", "memory", "out-of-step", "unread"]),
  exitCode: Schema.NullOr(Schema.Finite),
  signal: Schema.NullOr(Schema.String),
  stderr: Schema.String,
  statement: Schema.String,
  statementNumber: Schema.Finite,
  held: Schema.optionalKey(HeldSummary),
  /** Generation of the child that answers the next evaluation. */
  generation: Schema.Finite,
  output: Schema.String,
}) {}

/** The breaker is open after several crashes. No child is launched until `retryInMs` has passed, or the session is reset or reloaded. */
export class BreakerOpen extends Schema.TaggedError<BreakerOpen>()("BreakerOpen", {
  session: Schema.String,
  crashes: Schema.Finite,
  windowMs: Schema.Finite,
  retryInMs: Schema.Finite,
  last: Schema.String,
}) {}

/** The child's generation differs from the one that the caller expected. */
export class GenerationMismatch extends Schema.TaggedError<GenerationMismatch>()("GenerationMismatch", {
  session: Schema.String,
  expected: Schema.Finite,
  actual: Schema.Finite,
}) {}

/** The session's queue is full: `limit` calls wait in it. */
export class QueueFull extends Schema.TaggedError<QueueFull>()("QueueFull", { limit: Schema.Finite }) {}

/** The limit of open sessions is reached. */
export class TooManySessions extends Schema.TaggedError<TooManySessions>()("TooManySessions", {
  limit: Schema.Finite,
  /** Idle sessions, which could be closed; the longest idle first. */
  idle: Schema.Array(Schema.Struct({ name: Schema.String, idleMs: Schema.Finite })),
  busy: Schema.Array(Schema.String),
}) {}

/** There is no session of this name, and the call makes none. */
export class NoSession extends Schema.TaggedError<NoSession>()("NoSession", {
  name: Schema.String,
  open: Schema.Array(Schema.String),
}) {}

/** The new name is in use. */
export class NameTaken extends Schema.TaggedError<NameTaken>()("NameTaken", {
  what: Schema.Literals(["session", "snapshot"]),
  name: Schema.String,
  taken: Schema.Array(Schema.String),
}) {}

/** The session or snapshot to copy from has no variables of these names. */
export class NoVariable extends Schema.TaggedError<NoVariable>()("NoVariable", {
  session: Schema.String,
  snapshot: Schema.optionalKey(Schema.String),
  names: Schema.Array(Schema.String),
  held: Schema.Array(Schema.String),
}) {}

const Summary = Schema.optional(Schema.Struct({ type: Schema.Finite, shape: Schema.String, text: Schema.String }))

/** A merge without `overwrite` would replace existing variables. Nothing is changed. */
export class WouldOverwrite extends Schema.TaggedError<WouldOverwrite>()("WouldOverwrite", {
  session: Schema.String,
  /** The existing variables, and their values after the merge. */
  variables: Schema.Array(Schema.Struct({ path: Schema.String, before: Summary, after: Summary })),
  /** False when `overwrite` would not help: the engine cannot remove a value to make room for a directory, or a directory for a value. */
  isPossible: Schema.Boolean,
}) {}

/** The session was closed while the call ran or waited. */
export class SessionClosed extends Schema.TaggedError<SessionClosed>()("SessionClosed", { session: Schema.String }) {}

/** The session has no snapshot of that name. */
export class NoSnapshot extends Schema.TaggedError<NoSnapshot>()("NoSnapshot", {
  session: Schema.String,
  name: Schema.String,
  snapshots: Schema.Array(Schema.String),
  /** Problems with stored snapshots, in sentences. */
  trouble: Schema.optionalKey(Schema.Array(Schema.String)),
}) {}

/** The limit of snapshots is reached. `frees`: the bytes that deleting a snapshot frees. */
export class SnapshotsFull extends Schema.TaggedError<SnapshotsFull>()("SnapshotsFull", {
  session: Schema.String,
  reason: Schema.Literals(["count", "bytes"]),
  limit: Schema.Finite,
  snapshots: Schema.Array(Schema.Struct({ name: Schema.String, frees: Schema.Finite })),
}) {}

/** The child of a dry run ended; the session is as it was. */
export class DryRunEnded extends Schema.TaggedError<DryRunEnded>()("DryRunEnded", {
  session: Schema.String,
  why: Schema.String,
  statement: Schema.String,
  statementNumber: Schema.Finite,
  output: Schema.String,
}) {}

/** There is no change to undo, or no undo to redo. */
export class NothingToUndo extends Schema.TaggedError<NothingToUndo>()("NothingToUndo", {
  session: Schema.String,
  direction: Schema.Literals(["undo", "redo"]),
  /** The latest change exceeds the limit of values kept for undo. */
  tooLarge: Schema.Boolean,
}) {}

/** The snapshot was made by another engine, whose encoding of values differs. */
export class OtherEngine extends Schema.TaggedError<OtherEngine>()("OtherEngine", {
  session: Schema.String,
  name: Schema.String,
  was: Schema.String,
  is: Schema.String,
}) {}

/** The child ended while variables were restored in it. The next child gets the variables held before. */
export class RestoreFailed extends Schema.TaggedError<RestoreFailed>()("RestoreFailed", {
  session: Schema.String,
  /** The work in words, such as `the restore of snapshot a`. */
  doing: Schema.String,
  exitCode: Schema.NullOr(Schema.Finite),
  signal: Schema.NullOr(Schema.String),
}) {}

/** The variables of the child could not be read. */
export class StateUnread extends Schema.TaggedError<StateUnread>()("StateUnread", { session: Schema.String }) {}

/** No output has this handle, or it was dropped. */
export class NoOutput extends Schema.TaggedError<NoOutput>()("NoOutput", {
  handle: Schema.String,
  /** The output was dropped to make room. */
  dropped: Schema.Boolean,
  kept: Schema.Array(Schema.String),
}) {}

/** No background evaluation has this handle, or its result is no longer kept. */
export class NoEvaluation extends Schema.TaggedError<NoEvaluation>()("NoEvaluation", {
  handle: Schema.String,
  /** The result was dropped, since many later evaluations have ended. */
  dropped: Schema.Boolean,
  known: Schema.Array(Schema.String),
  /** Set for an evaluation of an earlier server. `ended`: it ended before that server did. */
  earlier: Schema.optionalKey(
    Schema.Struct({
      session: Schema.String,
      code: Schema.String,
      at: Schema.Finite,
      ended: Schema.Boolean,
      secret: Schema.optionalKey(Schema.String),
    }),
  ),
}) {}

/** The limit of background evaluations is reached. */
export class TooManyBackground extends Schema.TaggedError<TooManyBackground>()("TooManyBackground", { limit: Schema.Finite }) {}

/** The caller has read-only access. */
export class NotAllowed extends Schema.TaggedError<NotAllowed>()("NotAllowed", {}) {}

/** The principal's limit of running and waiting evaluations is reached. */
export class TooManyEvaluations extends Schema.TaggedError<TooManyEvaluations>()("TooManyEvaluations", { limit: Schema.Finite }) {}

/** In a cluster: the machine that received the call has ended or does not answer. The call may have run in part, and is not run again. */
export class MachineLost extends Schema.TaggedError<MachineLost>()("MachineLost", {
  session: Schema.String,
  /** True when another machine owns the session now; false when the same machine did not answer in time. */
  isReplaced: Schema.Boolean,
  /** The beginning of the code. */
  code: Schema.String,
}) {}

/** In a cluster: no machine owned the session within `waitedMs`. The call was not begun. */
export class SessionMoves extends Schema.TaggedError<SessionMoves>()("SessionMoves", {
  session: Schema.String,
  waitedMs: Schema.Finite,
  /** Problems of the database, in sentences. */
  trouble: Schema.optionalKey(Schema.Array(Schema.String)),
}) {}

/** In a cluster: the machine that has the session cannot use the root of its principal. The call was not begun. */
export class RootUnusable extends Schema.TaggedError<RootUnusable>()("RootUnusable", {
  session: Schema.String,
  machine: Schema.String,
  /** A sentence. */
  why: Schema.String,
}) {}

/** In a cluster: an ephemeral session ended with its machine, or because it was idle. The use of its name makes no new session. */
export class EphemeralEnded extends Schema.TaggedError<EphemeralEnded>()("EphemeralEnded", { session: Schema.String }) {}

/** In a cluster: the session holds more than one message to another machine may carry. */
export class TooMuchToMove extends Schema.TaggedError<TooMuchToMove>()("TooMuchToMove", {
  session: Schema.String,
  bytes: Schema.Finite,
  limit: Schema.Finite,
}) {}

/** Every error of a session. */
const all = Schema.Union([
  DeadlineExceeded,
  EvaluationStopped,
  ChildDied,
  LaunchFailed,
  BreakerOpen,
  BuildNotFound,
  BuildUnusable,
  FenceMissing,
  GenerationMismatch,
  QueueFull,
  TooManySessions,
  NoSession,
  NameTaken,
  SessionClosed,
  NoSnapshot,
  NoVariable,
  WouldOverwrite,
  SnapshotsFull,
  NothingToUndo,
  DryRunEnded,
  OtherEngine,
  RestoreFailed,
  StateUnread,
  NoOutput,
  NoEvaluation,
  TooManyBackground,
  NotAllowed,
  TooManyEvaluations,
  MachineLost,
  SessionMoves,
  RootUnusable,
  EphemeralEnded,
  TooMuchToMove,
  Refused,
  FileRefused,
])
export type SessionError = typeof all.Type
export const SessionError: Schema.Codec<SessionError, unknown> = all
