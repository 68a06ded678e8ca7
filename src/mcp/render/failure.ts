/**
 * Everything that keeps a tool from doing its work, as a reply. Guarantees: the text of each ends in the call to make next. An error of K
 * is none of these.
 */
import { shortStack } from "../../child/standardError.ts"
import { shortened } from "../../shortened.ts"
import * as Schema from "effect/Schema"
import { mostBytes, mostSteps } from "../../session/variables/undo.ts"
import type { Held, SessionError } from "../../session/SessionError.ts"
import type { SettingValues } from "../../Settings.ts"
import type { Reply } from "../Reply.ts"
import { differenceLine, LostOutput, lostLine, lostOutput, willCome } from "./variables.ts"
import { prefix } from "../../define/definition.ts"
import { duration, howEnded, indent, paragraphs, plural, size, some } from "./words.ts"

/** What every tool answers when it could not do its work. */
export interface Failure {
  readonly ok: false
  readonly error: { readonly name: string; readonly text: string }
  readonly output?: string
  readonly generation?: number
  readonly lost?: typeof LostOutput.Type
}

/** The fields of `Failure` that an output schema adds to its own. */
export const Failed = { error: Schema.optionalKey(Schema.Struct({ name: Schema.String, text: Schema.String })), lost: LostOutput }

/** What is known beside the failure: of the session, and the tool that was called when it is none of the server's own. */
type At = { readonly generation?: number; readonly tool?: string }

const failed = (name: string, text: string, { output, generation, lost }: Omit<Failure, "ok" | "error"> = {}): Reply<Failure> => ({
  text: paragraphs(output?.trimEnd(), text),
  structured: {
    ok: false,
    error: { name, text },
    ...(output !== undefined && { output }),
    ...(generation !== undefined && { generation }),
    ...(lost !== undefined && { lost }),
  },
  isError: true,
})

export const unknownArguments = (tool: string, unknown: readonly string[], known: readonly string[]): Reply<Failure> =>
  failed(
    "arguments",
    `${tool} has no argument ${shortened(
      some(unknown.map((each) => JSON.stringify(shortened(each, 80)))),
      1000,
    )}; it takes ${known.join(", ")}. Call ${tool} again with those.`,
  )

/** `problems` as the schema words them. */
export const badArguments = (tool: string, problems: string): Reply<Failure> =>
  failed("arguments", `The arguments of ${tool} are not right:\n${indent(problems)}\nCall ${tool} again with these put right.`)

/** A call that cannot be done as it was made; `text` says which can. */
export const refused = (name: string, text: string, at: At = {}): Reply<Failure> => failed(name, text, at)

/** A defect of the server itself. */
export const defect = (tool: string, message: string): Reply<Failure> =>
  failed(
    "internal",
    `k3-mcp failed inside ${tool}: ${message}. This is a defect of the server, not of your code. Call k_status to see the session.`,
  )

const inStatement = (number: number, statement: string): string => `in statement ${number}:\n${indent(statement)}`

const stderrTail = (stderr: string): string | undefined =>
  stderr.trim() === "" ? undefined : `Its standard error ended:\n${indent(shortStack(stderr))}`

type Of<Tag extends SessionError["_tag"]> = Extract<SessionError, { readonly _tag: Tag }>
const notDone = (error: Of<"DeadlineExceeded">): string =>
  paragraphs(
    `The deadline of ${error.timeoutMs} ms (K3_EVAL_TIMEOUT) passed before the ${error.doing} in session ${error.session} was done; nothing was changed.`,
    error.statement === "" ? undefined : `It waited for:\n${indent(error.statement)}`,
    error.statement === ""
      ? "Call k_status to see what runs, and this again when it has ended."
      : "Call this again when that has ended, or k_session with action interrupt to stop it.",
  )

const notBegun = ({ timeoutMs, session, statement }: Of<"DeadlineExceeded">, { name, longer }: Call): string =>
  statement === ""
    ? `The deadline of ${timeoutMs} ms passed while the interpreter of session ${session} was being launched; nothing of this call ran.\nCall ${name} again: the launch goes on.`
    : `The deadline of ${timeoutMs} ms passed while this call waited for another evaluation in session ${session}; nothing of it ran. It waited for:\n${indent(statement)}\nCall k_session with action interrupt to stop that, with action fork to go on beside it, or ${longer}.`

/** Will anything come back? */
const isAnyLeft = (held: Held | undefined): held is Held => held !== undefined && held.variables > 0

const variablesAfter = ({ state, held, generation }: Of<"DeadlineExceeded" | "EvaluationStopped">): string => {
  if (state === "kept") return "Interrupted. All variables are kept."
  if (state === "rolled-back") return "Rolled back. The variables are as they were before this call."
  return isAnyLeft(held)
    ? `The interpreter was killed. ${willCome(held)} Generation ${generation} answers next.`
    : `The interpreter was killed. All variables are lost. Generation ${generation} answers next.`
}

/** How the call is made again, and how with more time: as a sentence of its own, and behind "or". */
interface Call {
  readonly name: string
  readonly longer: string
  readonly orLonger: string
}

const callOf = ({ tool }: At, { evalTimeoutMax, backgroundTimeout }: SettingValues): Call => {
  const orLater = (backgroundTimeout ?? Number.MAX_SAFE_INTEGER) > evalTimeoutMax ? " or background true" : ""
  const larger = `a larger timeout_ms (up to ${evalTimeoutMax})`
  if (tool?.startsWith(prefix) !== true) {
    const name = tool ?? "k_eval"
    const longer = `${larger}${name === "k_eval" ? orLater : ""}`
    return { name, longer: `call ${name} with ${longer}`, orLonger: `with ${longer}` }
  }
  const longer = `give ${tool} ${larger} with k_define`
  return { name: tool, longer, orLonger: longer }
}

const late = (error: Of<"DeadlineExceeded">, { name, longer, orLonger }: Call): string =>
  paragraphs(
    `Stopped at the deadline of ${error.timeoutMs} ms ${inStatement(error.statementNumber, error.statement)}`,
    variablesAfter(error),
    lostLine(error.held?.lost ?? []),
    error.state !== "lost"
      ? `Call ${name} with something smaller, or ${orLonger}.`
      : `Define again what you need with k_eval. For a longer run, ${longer}.`,
  )

const deadline = (error: Of<"DeadlineExceeded">, settings: SettingValues, at: At): Reply<Failure> => {
  const call = callOf(at, settings)
  return failed("deadline", error.doing !== undefined ? notDone(error) : error.waiting ? notBegun(error, call) : late(error, call), {
    ...(error.output !== "" && { output: error.output }),
    generation: error.generation,
    ...lostOutput(error.held?.lost ?? []),
  })
}

const stopped = (error: Of<"EvaluationStopped">, { tool }: At): Reply<Failure> =>
  failed(
    "interrupt",
    paragraphs(
      error.statementNumber === 0
        ? "Another caller stopped this with k_session interrupt before any statement had begun."
        : `Another caller stopped this with k_session interrupt ${inStatement(error.statementNumber, error.statement)}`,
      variablesAfter(error),
      lostLine(error.held?.lost ?? []),
      `Call ${tool ?? "k_eval"} again only if it is still wanted.`,
    ),
    { ...(error.output !== "" && { output: error.output }), generation: error.generation, ...lostOutput(error.held?.lost ?? []) },
  )

/** The reply of who stopped an evaluation. */
export const interruption = (error: Of<"EvaluationStopped">): string =>
  paragraphs(
    error.statementNumber === 0
      ? `Stopped an evaluation in session ${error.session} before any statement had begun.`
      : `Stopped the evaluation in session ${error.session} ${inStatement(error.statementNumber, error.statement)}`,
    variablesAfter(error),
    lostLine(error.held?.lost ?? []),
  )

const died = (error: Of<"ChildDied">, settings: SettingValues, { tool }: At): Reply<Failure> => {
  const what = {
    exit: `The interpreter ended ${howEnded(error.exitCode, error.signal)}`,
    memory: `The interpreter ran out of memory (K3_CHILD_MEMORY is ${Math.round(settings.childMemory / 2 ** 20)} MiB) and ended ${howEnded(error.exitCode, error.signal)}`,
    "out-of-step": "The interpreter was ended, because it sent output that nobody had asked for,",
  }[error.reason]
  return failed(
    error.reason === "memory" ? "memory" : "crash",
    paragraphs(
      `${what} ${inStatement(error.statementNumber, error.statement)}`,
      stderrTail(error.stderr),
      isAnyLeft(error.held)
        ? `${willCome(error.held)} That statement is not run again by itself.`
        : "All variables are lost; that statement is not run again by itself.",
      lostLine(error.held?.lost ?? []),
      isAnyLeft(error.held)
        ? `Call ${tool ?? "k_eval"} again: its reply says what came back.`
        : "The next k_eval gets a fresh interpreter: define again what you need.",
    ),
    { ...(error.output !== "" && { output: error.output }), generation: error.generation, ...lostOutput(error.held?.lost ?? []) },
  )
}

const notLaunched = (error: Of<"LaunchFailed">, settings: SettingValues, at: At): Reply<Failure> => {
  const what = {
    spawn: "could not be started",
    exit: `ended ${howEnded(error.exitCode, error.signal)} before it was ready`,
    timeout: `was not ready within ${error.timeoutMs} ms (K3_LAUNCH_TIMEOUT)`,
    answer: `answered 1+1 with ${JSON.stringify(error.answer ?? "")}`,
  }[error.reason]
  return failed(
    "launch",
    paragraphs(
      `The interpreter (${error.engine}) ${what}: ${error.command}`,
      stderrTail(error.stderr),
      error.engine === "embedded"
        ? "Call k_reload to try again: it restores the variables."
        : `Put that right (the build command is: ${settings.buildCommand}), then call k_reload.`,
    ),
    at,
  )
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

/** Each failure in words. */
const tell: { readonly [Tag in SessionError["_tag"]]: (error: Of<Tag>, settings: SettingValues, at: At) => Reply<Failure> } = {
  DeadlineExceeded: deadline,
  EvaluationStopped: (error, _, at) => stopped(error, at),
  ChildDied: died,
  LaunchFailed: notLaunched,
  BreakerOpen: (error, _, at) =>
    failed(
      "breaker",
      paragraphs(
        `The interpreter of session ${error.session} is not launched: ${plural(error.crashes, "crash", "crashes")} within ${duration(error.windowMs)}.`,
        `The last one: ${error.last}`,
        `It is tried again in ${duration(error.retryInMs)}. To try now, call k_reload, which restores the variables. k_reset would erase them.`,
      ),
      at,
    ),
  BuildNotFound: (error, settings, at) =>
    failed(
      "no-build",
      `No K3CSharp build in ${error.folder}: ${error.missing} is missing.\nMake one (${settings.buildCommand}), or set K3_BUILD_DIR to where it is, or K3_ENGINE=embedded to do without; then call k_reload.`,
      at,
    ),
  BuildUnusable: (error, _, at) =>
    failed("build", `The K3CSharp build in ${error.folder} cannot be used: ${error.reason}.\nWhen the build is done, call k_reload.`, at),
  FenceMissing: (error, _, at) =>
    failed(
      "fence",
      `No interpreter is launched: ${error.why}\nThe server tries its fence once: start it anew when that is put right. With K3_FENCE=auto it runs without a fence where there is none.`,
      at,
    ),
  GenerationMismatch: (error) =>
    failed(
      "generation",
      error.expected > error.actual
        ? `Generation ${error.expected} has not existed in session ${error.session}; this is generation ${error.actual}. Nothing was evaluated.\nCall k_eval with expect_generation ${error.actual}, or without it.`
        : `Session ${error.session} is at generation ${error.actual}, not ${error.expected}: the interpreter was relaunched since, and variables of then may be gone. Nothing was evaluated.\nCall k_inspect to see the variables, then k_eval with expect_generation ${error.actual}.`,
      { generation: error.actual },
    ),
  QueueFull: ({ limit }, _, at) =>
    failed(
      "waiting",
      `${limit} calls wait for this session, which is the limit. Call again when some have been answered, or in another session (k_session with action create).`,
      at,
    ),
  TooManySessions: (error, _, at) =>
    failed(
      "sessions",
      paragraphs(
        `${plural(error.limit, "session")} are open, which is the limit (K3_MAX_SESSIONS).`,
        error.busy.length === 0 ? undefined : `In use: ${some(error.busy)}`,
        error.idle.length === 0
          ? "All are in use; call k_session to list them, or k_eval in one of them."
          : `Not in use: ${some(error.idle.map(({ name, idleMs }) => `${name} (idle ${duration(idleMs)})`))}\nCall k_session with action close and one of these as session, or k_eval in it.`,
      ),
      at,
    ),
  NoSession: (error, _, at) =>
    failed(
      "session",
      `There is no session ${error.name}; open: ${error.open.length === 0 ? "none" : some(error.open)}.\nCall k_session to list them; k_eval makes one by its first use.`,
      at,
    ),
  SessionClosed: (error, _, at) =>
    failed(
      "closed",
      `Session ${error.session} was closed while this call ran or waited.\nCall k_eval with that name to make a new, empty one.`,
      at,
    ),
  NameTaken: (error, _, at) =>
    failed(
      "name",
      error.what === "session"
        ? `There is a session ${error.name} already. Call k_session again with another name; taken: ${some(error.taken)}.`
        : `There is a snapshot ${error.name} already. Call k_snapshot again with another name, or delete that one; taken: ${some(error.taken)}.`,
      at,
    ),
  NoSnapshot: (error, _, at) =>
    failed(
      "snapshot",
      paragraphs(
        ...(error.trouble ?? []),
        error.snapshots.length === 0
          ? `Session ${error.session} has no snapshot. Call k_snapshot with action save first.`
          : `Session ${error.session} has no snapshot ${error.name}; it has ${some(error.snapshots)}. Call k_snapshot again with one of these.`,
      ),
      at,
    ),
  NoVariable: (error, _, at) => {
    const of = error.snapshot === undefined ? `Session ${error.session}` : `Snapshot ${error.snapshot} of session ${error.session}`
    const held = error.held.length === 0 ? "no variable" : `these: ${some(error.held)}`
    return failed("names", `${of} has no ${some(error.names)}; it has ${held}.\nCall k_session merge again with names of these.`, at)
  },
  WouldOverwrite: (error, _, at) =>
    failed(
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
      at,
    ),
  SnapshotsFull: (error, _, at) =>
    failed(
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
      at,
    ),
  DryRunEnded: ({ why, statement, statementNumber, output, session }, _, at) =>
    failed(
      "crash",
      paragraphs(
        `The dry run ended ${inStatement(statementNumber, statement)}`,
        `There ${why}`,
        `Session ${session} is as it was. Call k_eval with dry_run again without what ended it.`,
      ),
      { ...at, ...(output !== "" && { output }) },
    ),
  NothingToUndo: ({ session, direction, tooLarge }, _, at) =>
    failed(
      direction,
      direction === "redo"
        ? `No undo of session ${session} can be taken back: there was none, or something changed since.\nCall k_snapshot undo to go back.`
        : tooLarge
          ? `The latest change of session ${session} cannot be undone: what it replaced takes more than ${size(mostBytes)}.\nCall k_snapshot save before such a change, and restore to go back.`
          : `Nothing is left to undo in session ${session}; at most ${mostSteps} changes since it began or was reset are held.\nCall k_snapshot list for snapshots to restore.`,
      at,
    ),
  OtherEngine: (error, _, at) =>
    failed(
      "engine",
      `Snapshot ${error.name} is of engine ${error.was}, session ${error.session} runs ${error.is}: it is not restored there.\nCall k_session with action fork, session ${error.session}, snapshot ${error.name}, engine ${error.is} and a new name: that session gets its variables.`,
      at,
    ),
  RestoreFailed: (error, _, at) =>
    failed(
      "crash",
      `The interpreter ended ${howEnded(error.exitCode, error.signal)} during ${error.doing}; session ${error.session} gets back what it held before.\nCall k_snapshot with action diff to see what differs; a value that ends the interpreter by itself is left out the next time.`,
      at,
    ),
  NoOutput: (error, _, at) =>
    failed(
      "output",
      error.dropped
        ? `Output ${error.handle} was dropped: the oldest make room for new ones (K3_OUTPUT_KEPT).\nPrint less of it again with k_eval, or ${error.kept.length === 0 ? "keep it in a variable" : `call k_output with one that is kept: ${some(error.kept)}`}.`
        : `There is no output ${error.handle}; kept: ${error.kept.length === 0 ? "none" : some(error.kept)}.\nA reply of k_eval that is cut names its handle; call k_output with that.`,
      at,
    ),
  NoEvaluation: (error, _, at) => failed("handle", noEvaluation(error), at),
  TooManyBackground: ({ limit }, _, at) =>
    failed(
      "background",
      `${limit} evaluations run or wait in the background, which is the limit. Call k_status to list them, k_output with wait_ms to wait for one, or k_session with action interrupt to stop one.`,
      at,
    ),
  StateUnread: (error, _, at) =>
    failed(
      "busy",
      `The variables of session ${error.session} could not be read now.\nCall k_status to see what it does, then this again.`,
      at,
    ),
  FileRefused: (error, _, at) =>
    failed(
      "file",
      {
        outside: `${error.detail}. Call again with a file inside of K3_ROOTS (${error.roots.join(", ")}) that is not the server's own.`,
        system: `${error.file} cannot be used: ${error.detail}. Call again with a file in a folder that is there.`,
        large: `${error.file} cannot be used: ${error.detail}. Call again with a smaller file.`,
      }[error.reason],
      at,
    ),
  Refused: (error, _, at) =>
    failed(
      "refused",
      paragraphs(
        `Refused: ${error.detail}\n${indent(error.statement)}`,
        {
          shell: "Shell commands are off (K3_SHELL is deny). Call k_eval without this one.",
          size: "Call k_eval with the code in smaller parts, or load it from a file with \\l.",
          limits: "Call k_eval without steps and memory_mb; timeout_ms is what stops it there.",
          args: "Call k_eval without args, or with other names; k_define run takes code and arguments on both engines.",
          "dry-run": "Call k_eval with rollback true, which undoes all after an error, or k_snapshot save before it and restore behind it.",
          exit: "Use k_reset to empty the session, or k_session close to end it.",
        }[error.reason],
      ),
      at,
    ),
}

/** A failure of a session; the text ends in the call to make next. */
export const failure = (error: SessionError, settings: SettingValues, generation?: number, tool?: string): Reply<Failure> =>
  (tell[error._tag] as (error: SessionError, settings: SettingValues, at: At) => Reply<Failure>)(error, settings, {
    ...(generation !== undefined && { generation }),
    ...(tool !== undefined && { tool }),
  })
