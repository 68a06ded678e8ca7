/**
 * The words for evaluations that ended early: at their deadline, stopped on request, or with their child. Guarantees: each text says which
 * variables are kept, restored or lost.
 */
import { shortStack } from "../../child/standardError.ts"
import type { Change, HeldSummary, SessionError } from "../../session/SessionError.ts"
import type { SettingValues } from "../../Settings.ts"
import type { WordedFailure } from "./Reply.ts"
import { changesLine, changesOutput, lostLine, lostOutput, willCome } from "./variables.ts"
import { howEnded, indent, mebibytes, paragraphs } from "./words.ts"

export const inStatement = (number: number, statement: string): string => `in statement ${number}:\n${indent(statement)}`

export const stderrTail = (stderr: string): string | undefined =>
  stderr.trim() === "" ? undefined : `Its standard error ends with:\n${indent(shortStack(stderr))}`

/** The session error with this tag. */
export type Of<Tag extends SessionError["_tag"]> = Extract<SessionError, { readonly _tag: Tag }>

const notDone = (error: Of<"DeadlineExceeded">): string =>
  paragraphs(
    `The deadline of ${error.timeoutMs} ms (K3_EVAL_TIMEOUT) passed before the ${error.doing} in session ${error.session} was done; nothing was changed.`,
    error.statement === "" ? undefined : `It waited for:\n${indent(error.statement)}`,
    error.statement === ""
      ? "Call k_status to see what runs, and this again when it has ended."
      : "Call this again when that has ended, or k_session with action interrupt to stop it.",
  )

/** Does the next child get any variable? */
const isAnyLeft = (held: HeldSummary | undefined): held is HeldSummary => held !== undefined && held.variables > 0

const variablesAfter = ({ state, held, generation }: Of<"DeadlineExceeded" | "EvaluationStopped">): string => {
  if (state === "kept") return "Interrupted. All variables are kept."
  if (state === "rolled-back") return "Rolled back. The variables are as they were before this call."
  return isAnyLeft(held)
    ? `The interpreter was killed. ${willCome(held)} Generation ${generation} answers next.`
    : `The interpreter was killed. All variables are lost. Generation ${generation} answers next.`
}

const notBegun = (error: Of<"DeadlineExceeded">, { name, longer, orLonger }: Call): string => {
  const { timeoutMs, session, statement, place, state } = error
  if (place !== undefined)
    return `The deadline of ${timeoutMs} ms passed while this call waited for ${place}; nothing of it ran.\nCall ${name} again${orLonger}.`
  if (statement !== "")
    return `The deadline of ${timeoutMs} ms passed while this call waited for another evaluation in session ${session}; nothing of it ran. It waited for:\n${indent(statement)}\nCall k_session with action interrupt to stop that, with action fork and a snapshot to go on beside it${longer === undefined ? "" : `, or ${longer}`}.`
  const isGone = state === "restored" || state === "lost"
  return paragraphs(
    `The deadline of ${timeoutMs} ms passed before session ${session} could begin: its interpreter was being launched, or asked for its variables. Nothing of this call ran.`,
    isGone ? `It did not answer. ${variablesAfter(error)}` : undefined,
    `Call ${name} again${isGone ? "." : ": what it waited for goes on meanwhile."}`,
  )
}

const changesBefore = ({ state, changes }: Of<"DeadlineExceeded" | "EvaluationStopped">): string | undefined => {
  if (changes === undefined) return undefined
  if (changes === null) return `Changes: not known, ${state === "kept" ? "reading them takes too long" : "the interpreter was killed"}.`
  return changesLine(changes)
}

type Ended = (Of<"DeadlineExceeded" | "EvaluationStopped"> | Of<"ChildDied">) & { readonly changes?: readonly Change[] | null }

/** Output, changes, generation and lost variables of such an evaluation, as fields. */
const leftBy = ({ output, generation, held, changes }: Ended) => ({
  ...(output !== "" && { output }),
  ...(changes && { changes: changesOutput(changes) }),
  generation,
  ...lostOutput(held?.lost ?? []),
})

/** `name`: the tool to call again. `longer`: how to call it with more time, undefined where it may have none; `orLonger`: the same after a call. */
interface Call {
  readonly name: string
  readonly longer: string | undefined
  readonly orLonger: string
}

/** `own`: the deadline that the tool gives itself; a call may give it less, not more. */
const callOf = (tool: string, given: number, { evalTimeoutMax: most, backgroundTimeout }: SettingValues, own = most): Call => {
  const longest = Math.min(own, most)
  const upTo = longest === Infinity ? "" : ` (up to ${longest})`
  const ways = [
    ...(given < longest ? [`a larger timeout_ms${upTo}`] : []),
    ...(tool === "k_eval" && (backgroundTimeout ?? Number.MAX_SAFE_INTEGER) > most ? ["background true"] : []),
  ].join(" or ")
  if (ways !== "") return { name: tool, longer: `call ${tool} with ${ways}`, orLonger: `, or with ${ways}` }
  if (own >= most) return { name: tool, longer: undefined, orLonger: "" }
  const longer = `give ${tool} a larger timeout_ms (up to ${most}) with k_define`
  return { name: tool, longer, orLonger: `, or ${longer}` }
}

const late = (error: Of<"DeadlineExceeded">, { name, longer, orLonger }: Call): string =>
  paragraphs(
    `Stopped at the deadline of ${error.timeoutMs} ms ${inStatement(error.statementNumber, error.statement)}`,
    variablesAfter(error),
    changesBefore(error),
    lostLine(error.held?.lost ?? []),
    error.state !== "lost"
      ? `Call ${name} with something smaller${orLonger}.`
      : `Define again what you need with k_eval.${longer === undefined ? "" : ` For a longer run, ${longer}.`}`,
  )

export const deadline = (error: Of<"DeadlineExceeded">, settings: SettingValues, tool: string, own?: number): WordedFailure => {
  const call = callOf(tool, error.timeoutMs, settings, own)
  return ["deadline", error.doing !== undefined ? notDone(error) : error.waiting ? notBegun(error, call) : late(error, call), leftBy(error)]
}

export const stopped = (error: Of<"EvaluationStopped">, tool: string): WordedFailure => [
  "interrupt",
  paragraphs(
    error.statementNumber === 0
      ? "Stopped on request before any statement had begun."
      : `Stopped on request ${inStatement(error.statementNumber, error.statement)}`,
    variablesAfter(error),
    changesBefore(error),
    lostLine(error.held?.lost ?? []),
    `Call ${tool} again only if it is still wanted.`,
  ),
  leftBy(error),
]

/** The text for the caller that stopped an evaluation. */
export const interruption = (error: Of<"EvaluationStopped">): string =>
  paragraphs(
    error.statementNumber === 0
      ? `Stopped an evaluation in session ${error.session} before any statement had begun.`
      : `Stopped the evaluation in session ${error.session} ${inStatement(error.statementNumber, error.statement)}`,
    variablesAfter(error),
    changesBefore(error),
    lostLine(error.held?.lost ?? []),
  )

export const died = (error: Of<"ChildDied">, settings: SettingValues, tool: string): WordedFailure => {
  const what = {
    exit: `The interpreter ended ${howEnded(error.exitCode, error.signal)}`,
    memory: `The interpreter ran out of memory (K3_CHILD_MEMORY is ${mebibytes(settings.childMemory)}) and ended ${howEnded(error.exitCode, error.signal)}`,
    "out-of-step": "The interpreter was ended, because it sent output that nobody had asked for,",
    unread: "The interpreter was ended, because the server failed to read its output,",
  }[error.reason]
  return [
    error.reason === "memory" ? "memory" : "crash",
    paragraphs(
      `${what} ${inStatement(error.statementNumber, error.statement)}`,
      stderrTail(error.stderr),
      isAnyLeft(error.held)
        ? `${willCome(error.held)} That statement is not run again by itself.`
        : "All variables are lost; that statement is not run again by itself.",
      lostLine(error.held?.lost ?? []),
      isAnyLeft(error.held)
        ? `Call ${tool} again: its reply says what came back.`
        : "The next k_eval gets a fresh interpreter: define again what you need.",
    ),
    leftBy(error),
  ]
}
