/** The outcome of an evaluation as fields of a history entry. */
import * as Cause from "effect/Cause"
import * as Exit from "effect/Exit"
import * as Match from "effect/Match"
import * as Option from "effect/Option"
import type { Evaluation, Progress } from "../Evaluation.ts"
import type { HistoryEntry } from "./HistoryLog.ts"
import type { SessionError } from "../SessionError.ts"

type HistoryOutcome = Pick<HistoryEntry, "ok" | "output" | "bytes" | "error" | "failed" | "effect">

const howEnded = (exitCode: number | null, signal: string | null): string =>
  signal === null ? `exit code ${exitCode ?? "unknown"}` : `signal ${signal}`

/** Name and text of an error that ended an evaluation. */
const errorOf = Match.type<SessionError>().pipe(
  Match.tags({
    DeadlineExceeded: ({ timeoutMs }) => ({ name: "deadline", text: `${timeoutMs} ms` }),
    EvaluationStopped: () => ({ name: "interrupt", text: "stopped on request" }),
    ChildDied: ({ reason, exitCode, signal }) => ({ name: reason === "memory" ? "memory" : "crash", text: howEnded(exitCode, signal) }),
    LaunchFailed: ({ reason }) => ({ name: "launch", text: reason }),
    Refused: ({ detail }) => ({ name: "refused", text: detail }),
    SessionClosed: () => ({ name: "closed", text: "the session was closed" }),
    GenerationMismatch: ({ expected, actual }) => ({ name: "generation", text: `expected ${expected}, is ${actual}` }),
  }),
  Match.orElse(({ _tag }) => ({ name: _tag, text: "" })),
)

const answered = ({ ok, output, truncated, error, failedStatement, rolledBack }: Evaluation): HistoryOutcome => {
  if (ok && truncated === undefined) return { ok, output }
  return {
    ok,
    output,
    ...(truncated !== undefined && { bytes: truncated.bytes }),
    ...(error !== undefined && { error: { name: error.name, text: error.text, ...(error.line !== undefined && { line: error.line }) } }),
    ...(failedStatement !== undefined && { failed: failedStatement }),
    ...(rolledBack === true && { effect: "undone" as const }),
  }
}

/** The outcome of an evaluation that an error of the session or its caller ended early. */
const stopped = (error: { readonly name: string; readonly text: string }, progress: Progress, died: boolean): HistoryOutcome => ({
  ok: false,
  output: progress.output.text,
  ...(progress.output.truncated !== undefined && { bytes: progress.output.truncated.bytes }),
  error,
  ...(progress.number > 0 && { failed: progress.number }),
  ...(progress.number === 0 ? { effect: "none" as const } : (died || progress.state !== "kept") && { effect: "undone" as const }),
})

export const outcomeOf = (exit: Exit.Exit<Evaluation, SessionError>, progress: Progress): HistoryOutcome => {
  if (Exit.isSuccess(exit)) return answered(exit.value)
  const error = Option.getOrUndefined(Exit.findErrorOption(exit))
  if (error === undefined) return stopped({ name: Cause.hasInterrupts(exit.cause) ? "cancel" : "internal", text: "" }, progress, false)
  return stopped(errorOf(error), progress, error._tag === "ChildDied")
}
