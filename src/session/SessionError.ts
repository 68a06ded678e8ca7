/**
 * What can go wrong with a session, one class per failure that a caller treats differently. They carry data; `mcp/render/sessionFailure.ts`
 * makes the prose. An error of K is none of these: it is a normal `Evaluation` with `ok: false`.
 */
import * as Schema from "effect/Schema"
import type { BuildNotFound, BuildUnusable, FenceMissing, LaunchFailed, Refused } from "../child/ChildError.ts"
import type { FileRefused } from "./RootFiles.ts"

/** What became of the variables when an evaluation was ended by force. */
export const Aftermath = Schema.Literals(["kept", "restored", "lost", "rolled-back"])
export type Aftermath = typeof Aftermath.Type

/** What the next child is given back, as far as it is known when the old one is gone. */
export const Held = Schema.Struct({
  variables: Schema.Finite,
  /** Evaluations done after the capture: what they changed is not in it. */
  missed: Schema.Finite,
  lost: Schema.Array(Schema.Struct({ path: Schema.String, why: Schema.String })),
})
export type Held = typeof Held.Type

/** An evaluation that was ended, and the session after it. */
const ended = {
  session: Schema.String,
  /** What became of the variables. */
  state: Aftermath,
  /** Absent when nothing is held. */
  held: Schema.optionalKey(Held),
  /** The one that answers next. */
  generation: Schema.Finite,
  /** The statement that ran, cut to 200 characters, and its number from 1; 0 when none had begun. */
  statement: Schema.String,
  statementNumber: Schema.Finite,
  /** What earlier statements, and this one, had printed. */
  output: Schema.String,
}

/** The deadline passed. */
export class DeadlineExceeded extends Schema.TaggedError<DeadlineExceeded>()("DeadlineExceeded", {
  ...ended,
  timeoutMs: Schema.Finite,
  /** True when the call never began: it waited for the evaluation `statement` belongs to, or for a launch when that is empty. */
  waiting: Schema.Boolean,
  /** What it waited for, when that was nothing of its session. */
  place: Schema.optionalKey(Schema.String),
  /** What was to be done, when that was no evaluation. */
  doing: Schema.optionalKey(Schema.String),
}) {}

/** Another caller stopped it. */
export class EvaluationStopped extends Schema.TaggedError<EvaluationStopped>()("EvaluationStopped", ended) {}

/** The child ended by itself in the middle of an evaluation, or the stream fell out of step and it was ended. */
export class ChildDied extends Schema.TaggedError<ChildDied>()("ChildDied", {
  session: Schema.String,
  reason: Schema.Literals(["exit", "memory", "out-of-step"]),
  exitCode: Schema.NullOr(Schema.Finite),
  signal: Schema.NullOr(Schema.String),
  stderr: Schema.String,
  statement: Schema.String,
  statementNumber: Schema.Finite,
  held: Schema.optionalKey(Held),
  /** The one that answers next. */
  generation: Schema.Finite,
  output: Schema.String,
}) {}

/** The restart schedule gave up; nothing is launched until `retryInMs` has passed, or the session is reset or reloaded. */
export class BreakerOpen extends Schema.TaggedError<BreakerOpen>()("BreakerOpen", {
  session: Schema.String,
  crashes: Schema.Finite,
  windowMs: Schema.Finite,
  retryInMs: Schema.Finite,
  last: Schema.String,
}) {}

/** The caller expected another generation than the one there is. */
export class GenerationMismatch extends Schema.TaggedError<GenerationMismatch>()("GenerationMismatch", {
  session: Schema.String,
  expected: Schema.Finite,
  actual: Schema.Finite,
}) {}

/** As many calls as there may be wait for the session. */
export class QueueFull extends Schema.TaggedError<QueueFull>()("QueueFull", { limit: Schema.Finite }) {}

/** As many sessions as the settings allow are open. */
export class TooManySessions extends Schema.TaggedError<TooManySessions>()("TooManySessions", {
  limit: Schema.Finite,
  /** In which nothing runs or waits: those that could be closed, the longest idle first. */
  idle: Schema.Array(Schema.Struct({ name: Schema.String, idleMs: Schema.Finite })),
  busy: Schema.Array(Schema.String),
}) {}

/** There is no such session; nothing is made. */
export class NoSession extends Schema.TaggedError<NoSession>()("NoSession", {
  name: Schema.String,
  open: Schema.Array(Schema.String),
}) {}

/** A new name that something of its kind has already. */
export class NameTaken extends Schema.TaggedError<NameTaken>()("NameTaken", {
  what: Schema.Literals(["session", "snapshot"]),
  name: Schema.String,
  taken: Schema.Array(Schema.String),
}) {}

/** These are no variables of the session that they were to be taken from. */
export class NoVariable extends Schema.TaggedError<NoVariable>()("NoVariable", {
  session: Schema.String,
  snapshot: Schema.optionalKey(Schema.String),
  names: Schema.Array(Schema.String),
  held: Schema.Array(Schema.String),
}) {}

const Look = Schema.optionalKey(Schema.Struct({ type: Schema.Finite, shape: Schema.String, text: Schema.String }))

/** A merge would write over variables that are there, which was not asked for: nothing is done. */
export class WouldOverwrite extends Schema.TaggedError<WouldOverwrite>()("WouldOverwrite", {
  session: Schema.String,
  /** What they are, and what they would be. */
  variables: Schema.Array(Schema.Struct({ path: Schema.String, before: Look, after: Look })),
  /** The engine cannot take away a value that stands in the way of a directory, or a directory in that of a value. */
  isPossible: Schema.Boolean,
}) {}

/** The session was closed while this ran or waited. */
export class SessionClosed extends Schema.TaggedError<SessionClosed>()("SessionClosed", { session: Schema.String }) {}

/** The session has no snapshot of that name. */
export class NoSnapshot extends Schema.TaggedError<NoSnapshot>()("NoSnapshot", {
  session: Schema.String,
  name: Schema.String,
  snapshots: Schema.Array(Schema.String),
  /** What is wrong with those on disk, in sentences. */
  trouble: Schema.optionalKey(Schema.Array(Schema.String)),
}) {}

/** No room for another snapshot; `frees` are the bytes that deleting one gives. */
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

/** There is no change to take back, or none that was taken back. */
export class NothingToUndo extends Schema.TaggedError<NothingToUndo>()("NothingToUndo", {
  session: Schema.String,
  direction: Schema.Literals(["undo", "redo"]),
  /** The latest change replaced more than is held. */
  tooLarge: Schema.Boolean,
}) {}

/** A snapshot of one engine cannot be put back into another: they code values differently. */
export class OtherEngine extends Schema.TaggedError<OtherEngine>()("OtherEngine", {
  session: Schema.String,
  name: Schema.String,
  was: Schema.String,
  is: Schema.String,
}) {}

/** The child ended while it was given variables; the next one has what was held before. */
export class RestoreFailed extends Schema.TaggedError<RestoreFailed>()("RestoreFailed", {
  session: Schema.String,
  /** In words: `the restore of snapshot a`. */
  doing: Schema.String,
  exitCode: Schema.NullOr(Schema.Finite),
  signal: Schema.NullOr(Schema.String),
}) {}

/** The variables could not be read now. */
export class StateUnread extends Schema.TaggedError<StateUnread>()("StateUnread", { session: Schema.String }) {}

/** There is no output of that name, or not any more. */
export class NoOutput extends Schema.TaggedError<NoOutput>()("NoOutput", {
  handle: Schema.String,
  /** It was dropped for the room it took. */
  dropped: Schema.Boolean,
  kept: Schema.Array(Schema.String),
}) {}

/** There is no evaluation in the background of that name, or its result is not here any more. */
export class NoEvaluation extends Schema.TaggedError<NoEvaluation>()("NoEvaluation", {
  handle: Schema.String,
  /** Many others have ended since. */
  dropped: Schema.Boolean,
  known: Schema.Array(Schema.String),
  /** It was of an earlier server; had it ended when that one did? */
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

/** As many evaluations as there may be are in the background. */
export class TooManyBackground extends Schema.TaggedError<TooManyBackground>()("TooManyBackground", { limit: Schema.Finite }) {}

/** The caller may only look. */
export class NotAllowed extends Schema.TaggedError<NotAllowed>()("NotAllowed", {}) {}

/** As many evaluations of the principal run or wait as may. */
export class TooManyEvaluations extends Schema.TaggedError<TooManyEvaluations>()("TooManyEvaluations", { limit: Schema.Finite }) {}

/** In a cluster: the machine that the call was given to is gone, or does not answer; it may have run there in part, and is not run again. */
export class MachineLost extends Schema.TaggedError<MachineLost>()("MachineLost", {
  session: Schema.String,
  /** Another machine has the session now; if not, this one has not answered in time. */
  isReplaced: Schema.Boolean,
  /** What was to run, cut short. */
  code: Schema.String,
}) {}

/** In a cluster: no machine answered for the session in that time, and nothing was begun. */
export class SessionMoves extends Schema.TaggedError<SessionMoves>()("SessionMoves", {
  session: Schema.String,
  waitedMs: Schema.Finite,
}) {}

/** A cluster does not do that yet. */
export class NotInCluster extends Schema.TaggedError<NotInCluster>()("NotInCluster", { what: Schema.String }) {}

export type SessionError =
  | DeadlineExceeded
  | EvaluationStopped
  | ChildDied
  | LaunchFailed
  | BreakerOpen
  | BuildNotFound
  | BuildUnusable
  | FenceMissing
  | GenerationMismatch
  | QueueFull
  | TooManySessions
  | NoSession
  | NameTaken
  | SessionClosed
  | NoSnapshot
  | NoVariable
  | WouldOverwrite
  | SnapshotsFull
  | NothingToUndo
  | DryRunEnded
  | OtherEngine
  | RestoreFailed
  | StateUnread
  | NoOutput
  | NoEvaluation
  | TooManyBackground
  | NotAllowed
  | TooManyEvaluations
  | MachineLost
  | SessionMoves
  | NotInCluster
  | Refused
  | FileRefused
