/**
 * The reply for each failure of a session. Guarantees: every text ends in the call to make next. Does not: render errors of K, which are
 * answers (`evaluation.ts`).
 */
import type { SessionError } from "../../session/SessionError.ts"
import { mostBytes, mostSteps } from "../../session/variables/undo.ts"
import type { SettingValues } from "../../Settings.ts"
import { shortened } from "../../shortened.ts"
import { failed, type FailureFields, type Reply, type WordedFailure } from "./Reply.ts"
import { deadline, died, inStatement, type Of, stderrTail, stopped } from "./ended.ts"
import { differenceLine } from "./variables.ts"
import { duration, howEnded, indent, paragraphs, plural, size, some } from "./words.ts"

/** Tools that launch interpreters of their own, which no reload of a session reaches. */
const launches: ReadonlySet<string> = new Set(["k_session", "k_compare", "k_define"])
const tryAgain = (tool: string): string => (launches.has(tool) ? `call ${tool} again` : "call k_reload")

const notLaunched = (error: Of<"LaunchFailed">, settings: SettingValues, tool: string): WordedFailure => {
  const what = {
    spawn: "could not be started",
    exit: `ended ${howEnded(error.exitCode, error.signal)} before it was ready`,
    timeout: `was not ready within ${error.timeoutMs} ms (K3_LAUNCH_TIMEOUT)`,
    answer: `answered 1+1 with ${JSON.stringify(error.answer ?? "")}`,
  }[error.reason]
  return [
    "launch",
    paragraphs(
      `The interpreter (${error.engine}) ${what}: ${error.command}`,
      // A program that was not started has no standard error: the text is the system's reason, or the lease's.
      error.reason === "spawn" ? indent(error.stderr) : stderrTail(error.stderr),
      tool === "k_reset" ? "Not reset: the old interpreter, if it runs, keeps its variables. With all, the other sessions are reset." : "",
      error.engine !== "embedded"
        ? `Put that right${error.reason === "spawn" ? "" : ` (the build command is: ${settings.buildCommand})`}, then ${tryAgain(tool)}.`
        : launches.has(tool)
          ? `Call ${tool} again.`
          : "Call k_reload to try again: it restores the variables.",
    ),
  ]
}

const noEvaluation = ({ handle, dropped, known, earlier }: Of<"NoEvaluation">): string => {
  if (earlier !== undefined)
    return paragraphs(
      earlier.ended
        ? `${handle} ended in an earlier run of the server, in session ${earlier.session}:`
        : `${handle} ran in session ${earlier.session} when the server ended. It was stopped then and is not run again:`,
      indent(earlier.code),
      earlier.ended
        ? `Call k_history with session ${earlier.session} to see what it printed.`
        : `Call k_inspect with session ${earlier.session} to see the variables, and k_eval if it is still wanted.`,
    )
  if (dropped) return `${handle} ended too long ago: its result was dropped. Call k_history to see what it printed.`
  return `There is no evaluation ${handle}; known: ${known.length === 0 ? "none" : some(known)}.\nk_eval with background true gives a handle; call k_output with that.`
}

type Tell<Error> = (error: Error, settings: SettingValues, tool: string, deadline?: number) => WordedFailure

interface FailedCall {
  readonly generation?: number
  /** The tool that was called. */
  readonly tool?: string
  /** The deadline of a defined tool, ms. */
  readonly deadline?: number | undefined
}

/** The words of each kind of failure. `deadline`: that of the tool itself. */
const tell: { readonly [Tag in SessionError["_tag"]]: Tell<Of<Tag>> } = {
  DeadlineExceeded: deadline,
  EvaluationStopped: (error, _, tool) => stopped(error, tool),
  ChildDied: died,
  LaunchFailed: notLaunched,
  BreakerOpen: (error) => [
    "breaker",
    paragraphs(
      `The interpreter of session ${error.session} is not launched: ${plural(error.crashes, "crash", "crashes")} within ${duration(error.windowMs)}.`,
      `The last one: ${error.last}`,
      `It is tried again in ${duration(error.retryInMs)}. To try now, call k_reload, which restores the variables. k_reset would erase them.`,
    ),
  ],
  BuildNotFound: (error, settings, tool) => [
    "no-build",
    `No K3CSharp build in ${error.folder}: ${error.missing} is missing.\nMake one (${settings.buildCommand}), then ${tryAgain(tool)}. Or start the server anew with K3_BUILD_DIR set to where one is${launches.has(tool) ? "" : ", or with K3_ENGINE=embedded to do without"}.`,
  ],
  BuildUnusable: (error, _, tool) => [
    "build",
    `The K3CSharp build in ${error.folder} cannot be used: ${error.reason}.\nWhen the build is done, ${tryAgain(tool)}.`,
  ],
  FenceMissing: (error) => ["fence", `No interpreter is launched: ${error.why}`],
  GenerationMismatch: (error) => [
    "generation",
    error.expected > error.actual || error.expected < 1
      ? `Generation ${error.expected} has not existed in session ${error.session}; this is generation ${error.actual}. Nothing was evaluated.\nCall k_eval with expect_generation ${error.actual}, or without it.`
      : `Session ${error.session} is at generation ${error.actual}, not ${error.expected}: the interpreter was relaunched since, and variables of then may be gone. Nothing was evaluated.\nCall k_inspect to see the variables, then k_eval with expect_generation ${error.actual}.`,
    { generation: error.actual },
  ],
  QueueFull: ({ limit }) => [
    "waiting",
    `${limit} calls wait for this session, which is the limit. Call again when some have been answered, or in another session (k_session with action create).`,
  ],
  TooManySessions: (error) => [
    "sessions",
    paragraphs(
      `The limit is reached: ${plural(error.limit, "open session")} (K3_MAX_SESSIONS, or sessions of the token).`,
      error.busy.length === 0 ? undefined : `In use: ${some(error.busy)}`,
      error.idle.length === 0
        ? "All are in use; call k_session to list them, or k_eval in one of them."
        : `Not in use: ${some(error.idle.map(({ name, idleMs }) => `${name} (idle ${duration(idleMs)})`))}\nCall k_session with action close and one of these as name, or k_eval in it.`,
    ),
  ],
  NoSession: (error) => [
    "session",
    `There is no session ${error.name}; open: ${error.open.length === 0 ? "none" : some(error.open)}.\nCall k_session to list them; k_eval makes one by its first use.`,
  ],
  SessionClosed: (error) => [
    "closed",
    `Session ${error.session} was closed while this call ran or waited.\nCall k_eval with that name to make a new, empty one.`,
  ],
  NameTaken: (error) => [
    "name",
    error.what === "session"
      ? `There is a session ${error.name} already. Call k_session again with another name; taken: ${some(error.taken)}.`
      : `There is a snapshot ${error.name} already. Call k_snapshot again with another name, or delete that one; taken: ${some(error.taken)}.`,
  ],
  NoSnapshot: (error) => [
    "snapshot",
    paragraphs(
      ...(error.trouble ?? []),
      error.snapshots.length === 0
        ? `Session ${error.session} has no snapshot. Call k_snapshot with action save first.`
        : `Session ${error.session} has no snapshot ${error.name}; it has ${some(error.snapshots)}. Call this again with one of these; k_snapshot list tells more.`,
    ),
  ],
  NoVariable: (error) => {
    const of = error.snapshot === undefined ? `Session ${error.session}` : `Snapshot ${error.snapshot} of session ${error.session}`
    const held = error.held.length === 0 ? "no variable" : `these: ${some(error.held)}`
    return [
      "names",
      `${of} has no ${some(error.names)}; it has ${held}.\nOf a merge, session is the source and name the target. Call k_session merge again with ${error.held.length === 0 ? "another source" : "names of these"}.`,
    ]
  },
  WouldOverwrite: (error) => [
    "overwrite",
    paragraphs(
      error.isPossible
        ? `Nothing is merged: in session ${error.session} it would overwrite ${plural(error.variables.length, "variable")}.`
        : `Nothing is merged: in session ${error.session} these are in the way, and K3CSharp cannot remove a name.`,
      some(error.variables.map(differenceLine), 20, "\n"),
      error.isPossible
        ? "Call k_session merge again with overwrite true, or with other names."
        : "Call k_session merge again with other names.",
    ),
  ],
  SnapshotsFull: (error) => [
    "snapshots",
    paragraphs(
      error.reason === "count"
        ? `Session ${error.session} has ${error.limit} snapshots, which is the limit.`
        : `The snapshots of session ${error.session} would keep more than ${size(error.limit)} (K3_CAPTURE_TOTAL).`,
      error.snapshots.length === 0
        ? undefined
        : `Deleting frees: ${some(error.snapshots.map(({ name, frees }) => `${name} ${size(frees)}`))}`,
      error.snapshots.length === 0
        ? "Remove large variables with k_eval, then call k_snapshot again."
        : "Call k_snapshot with action delete and one of these.",
    ),
  ],
  DryRunEnded: ({ why, statement, statementNumber, output, session }) => [
    "crash",
    paragraphs(
      statementNumber === 0
        ? `The dry run ended while it made ${statement}.`
        : `The dry run ended ${inStatement(statementNumber, statement)}`,
      `There ${why}`,
      `Session ${session} is as it was. Call k_eval with dry_run again without what ended it.`,
    ),
    output === "" ? {} : { output },
  ],
  NothingToUndo: ({ session, direction, tooLarge }) => [
    direction,
    direction === "redo"
      ? `No undo of session ${session} can be taken back: there was none, or something changed since.\nCall k_snapshot undo to go back.`
      : tooLarge
        ? `The latest change of session ${session} cannot be undone: what it replaced takes more than ${size(mostBytes)}.\nCall k_snapshot save before such a change, and restore to go back.`
        : `Nothing is left to undo in session ${session}; at most ${mostSteps} changes since it began or was reset are held.\nCall k_snapshot list for snapshots to restore.`,
  ],
  OtherEngine: (error) => [
    "engine",
    `Snapshot ${error.name} is of engine ${error.was}, session ${error.session} runs ${error.is}: it is not restored there.\nCall k_session with action fork, session ${error.session}, snapshot ${error.name}, engine ${error.is} and a new name: that session gets its variables.`,
  ],
  RestoreFailed: (error) => [
    "crash",
    `The interpreter ended ${howEnded(error.exitCode, error.signal)} during ${error.doing}; session ${error.session} gets back what it held before.\nCall k_snapshot with action diff to see what differs; a value that ends the interpreter by itself is left out the next time.`,
  ],
  NoOutput: (error) => [
    "output",
    error.dropped
      ? `Output ${error.handle} was dropped: the oldest make room for new ones (K3_OUTPUT_KEPT).\nPrint less of it again with k_eval, or ${error.kept.length === 0 ? "keep it in a variable" : `call k_output with one that is kept: ${some(error.kept)}`}.`
      : `There is no output ${error.handle}; kept: ${error.kept.length === 0 ? "none" : some(error.kept)}.\nA reply of k_eval that is cut names its handle; call k_output with that.`,
  ],
  NoEvaluation: (error) => ["handle", noEvaluation(error)],
  TooManyBackground: ({ limit }) => [
    "background",
    `${limit} evaluations run or wait in the background, which is the limit. Call k_status to list them, k_output with wait_ms to wait for one, or k_session with action interrupt and its handle as name to stop one.`,
  ],
  NotAllowed: () => [
    "read-only",
    "This token is read-only: nothing is evaluated or changed with it. Call k_session list, k_inspect, k_history or k_output to see what there is.",
  ],
  TooManyEvaluations: ({ limit }) => [
    "evaluations",
    `The limit of this token is reached: ${plural(limit, "evaluation")} at once (evaluations), those that wait included. Call again when one has ended; k_status lists them, k_session with action interrupt stops one.`,
  ],
  MachineLost: ({ session, isReplaced, code }) => [
    "machine",
    paragraphs(
      isReplaced
        ? `The machine that ran this was lost; it may have run in part, and is not run again:`
        : `The machine that was to run this does not answer; it may have run in part, and is not run again:`,
      indent(code),
      `Session ${session} goes on elsewhere with the variables that were last written to the database. Call k_inspect to see them, then k_eval with what is still wanted.`,
    ),
  ],
  SessionMoves: ({ session, waitedMs, trouble = [] }) => [
    "moving",
    paragraphs(
      `Session ${session} is on its way to another machine: none answered for it within ${duration(waitedMs)}. Nothing was begun.`,
      ...trouble,
      "Call again in a few seconds; k_status and k_history answer meanwhile.",
    ),
  ],
  RootUnusable: ({ session, machine, why }) => [
    "root",
    `Session ${session} cannot run on ${machine}: ${why} Nothing was begun.\nAsk the operator to put that folder right on that machine (K3_PRINCIPALS), then call again.`,
  ],
  EphemeralEnded: ({ session }) => [
    "machine",
    `Session ${session} was ephemeral and has ended: its machine is gone, or gave it up while it was idle. Nothing of it was kept.\nCall k_session with action create and name ${session} to begin anew (ephemeral true for another such one), then k_eval with what it needs.`,
  ],
  TooMuchToMove: ({ session, bytes, limit }) => [
    "cluster",
    `Session ${session} holds ${bytes} bytes; ${limit} at most go from one machine of the cluster to another.\nWrite the variables to a file in K3_ROOTS with k_eval (1: or 5:), and read it in the other session.`,
  ],
  StateUnread: (error) => [
    "busy",
    `The variables of session ${error.session} could not be read now.\nCall k_status to see what it does, then make this call again.`,
  ],
  FileRefused: (error) => [
    "file",
    {
      outside: `${error.detail}. Call again with a file inside of K3_ROOTS (${error.roots.join(", ")}) that is not the server's own.`,
      system: `${JSON.stringify(shortened(error.file))} cannot be used: ${error.detail}. Put that right, or call again with another file, in a folder that is there.`,
      protected: `${JSON.stringify(shortened(error.file))} is not written: programs outside of the fence heed ${error.detail}. Call again with a file of another name, in another folder of K3_ROOTS.`,
      "read-only": `${error.file} is not written: this token is read-only. Call again without file.`,
      large: `${error.file} cannot be used: ${error.detail}. Call again with a smaller file.`,
    }[error.reason],
  ],
  Refused: (error, _, tool) => [
    "refused",
    paragraphs(
      `Refused: ${error.detail}\n${indent(error.statement)}`,
      {
        shell: "Shell commands are off (K3_SHELL is deny). Call k_eval without this one.",
        size:
          tool === "k_compare"
            ? "Call k_compare with less code."
            : "Call k_eval with code and args in smaller parts, or load them from a file with \\l.",
        limits: "Call k_eval without steps and memory_mb; timeout_ms is what stops it there.",
        args: "Call k_eval without args, or with other names; k_define run takes code and arguments on both engines.",
        "dry-run": "Call k_eval with rollback true, which undoes all after an error, or k_snapshot save before it and restore behind it.",
        exit: "Use k_reset to empty the session, or k_session close to end it.",
      }[error.reason],
    ),
  ],
}

/** A failure of a session; the text ends in the call to make next. */
export const failure = (
  error: SessionError,
  settings: SettingValues,
  { generation, tool = "k_eval", deadline }: FailedCall = {},
): Reply<FailureFields> => {
  const [name, text, left] = (tell[error._tag] as Tell<SessionError>)(error, settings, tool, deadline)
  return failed(name, text, { ...(generation !== undefined && { generation }), ...left })
}
