/**
 * Everything that keeps a tool from doing its work, as a reply. Guarantees: the text of each ends in the call to make next. An error of K
 * is none of these.
 */
import * as Schema from "effect/Schema"
import type { SessionError } from "../../session/SessionError.ts"
import type { SettingValues } from "../../Settings.ts"
import type { Reply } from "../Reply.ts"
import { lostLine, willCome } from "./variables.ts"
import { duration, indent, paragraphs, plural } from "./words.ts"

/** What every tool answers when it could not do its work. */
export interface Failure {
  readonly ok: false
  readonly error: { readonly name: string; readonly text: string }
  readonly output?: string
  readonly generation?: number
}

/** The fields of `Failure` that an output schema adds to its own. */
export const Failed = { error: Schema.optionalKey(Schema.Struct({ name: Schema.String, text: Schema.String })) }

const failed = (name: string, text: string, rest: { readonly output?: string; readonly generation?: number } = {}): Reply<Failure> => ({
  text: paragraphs(rest.output === undefined ? undefined : rest.output.trimEnd(), text),
  structured: { ok: false, error: { name, text }, ...rest },
  isError: true,
})

export const unknownArguments = (tool: string, unknown: readonly string[], known: readonly string[]): Reply<Failure> =>
  failed(
    "arguments",
    `${tool} has no argument ${unknown.map((each) => JSON.stringify(each)).join(", ")}; it takes ${known.join(", ")}. Call ${tool} again with those.`,
  )

/** `problems` as the schema words them. */
export const badArguments = (tool: string, problems: string): Reply<Failure> =>
  failed("arguments", `The arguments of ${tool} are not right:\n${indent(problems)}\nCall ${tool} again with these put right.`)

/** A defect of the server itself. */
export const defect = (tool: string, message: string): Reply<Failure> =>
  failed(
    "internal",
    `k3-mcp failed inside ${tool}: ${message}. This is a defect of the server, not of your code. Call k_status to see the session.`,
  )

const inStatement = (number: number, statement: string): string => `in statement ${number}:\n${indent(statement)}`

const how = (exitCode: number | null, signal: string | null): string =>
  signal !== null ? `by signal ${signal}` : exitCode !== null ? `with exit code ${exitCode}` : "without an exit code"

const stderrTail = (stderr: string): string | undefined =>
  stderr.trim() === "" ? undefined : `Its standard error ended:\n${indent(stderr.trim())}`

/** A failure of a session; the text ends in the call to make next. */
export const failure = (error: SessionError, settings: SettingValues, generation?: number): Reply<Failure> => {
  const at = generation === undefined ? {} : { generation }
  switch (error._tag) {
    case "DeadlineExceeded": {
      const rest = { ...(error.output !== "" && { output: error.output }), generation: error.generation }
      if (error.waiting)
        return failed(
          "deadline",
          error.statement === ""
            ? `The deadline of ${error.timeoutMs} ms passed while the interpreter of session ${error.session} was being launched; nothing of this call ran.\nCall k_eval again: the launch goes on.`
            : `The deadline of ${error.timeoutMs} ms passed while this call waited for another evaluation in session ${error.session}; nothing of it ran. Running:\n${indent(error.statement)}\nCall k_status to see what runs, or k_eval again with a larger timeout_ms.`,
          rest,
        )
      return failed(
        "deadline",
        paragraphs(
          `Stopped at the deadline of ${error.timeoutMs} ms ${inStatement(error.statementNumber, error.statement)}`,
          error.state === "kept"
            ? `It was interrupted; all variables are kept (generation ${error.generation}).`
            : error.state === "rolled-back"
              ? `The variables are as they were before this call (generation ${error.generation}).`
              : error.held === undefined
                ? `The interpreter was killed; all variables are lost, and generation ${error.generation} answers next.`
                : `The interpreter was killed. ${willCome(error.held)} Generation ${error.generation} answers next.`,
          error.state === "rolled-back" || error.held !== undefined ? lostLine(error.held?.lost ?? []) : undefined,
          error.state !== "lost"
            ? `Call k_eval with something smaller, or with a larger timeout_ms (up to ${settings.evalTimeoutMax}).`
            : `Define again what you need with k_eval; a longer run takes a larger timeout_ms (up to ${settings.evalTimeoutMax}).`,
        ),
        rest,
      )
    }
    case "ChildDied": {
      const what = {
        exit: `The interpreter ended ${how(error.exitCode, error.signal)}`,
        memory: `The interpreter ran out of memory (K3_CHILD_MEMORY is ${Math.round(settings.childMemory / 2 ** 20)} MiB) and ended ${how(error.exitCode, error.signal)}`,
        "out-of-step": "The interpreter was ended, because it sent output that nobody had asked for,",
      }[error.reason]
      return failed(
        error.reason === "memory" ? "memory" : "crash",
        paragraphs(
          `${what} ${inStatement(error.statementNumber, error.statement)}`,
          stderrTail(error.stderr),
          error.held === undefined
            ? "All variables are lost; that statement is not run again by itself."
            : `${willCome(error.held)} That statement is not run again by itself.`,
          lostLine(error.held?.lost ?? []),
          error.held === undefined
            ? "The next k_eval gets a fresh interpreter: define again what you need."
            : "Call k_eval again: its reply says what came back.",
        ),
        { ...(error.output !== "" && { output: error.output }), generation: error.generation },
      )
    }
    case "LaunchFailed": {
      const what = {
        spawn: "could not be started",
        exit: `ended ${how(error.exitCode, error.signal)} before it was ready`,
        timeout: `was not ready within ${error.timeoutMs} ms (K3_LAUNCH_TIMEOUT)`,
      }[error.reason]
      return failed(
        "launch",
        paragraphs(
          `The interpreter (${error.engine}) ${what}: ${error.command}`,
          stderrTail(error.stderr),
          error.engine === "embedded"
            ? "Call k_reset to try again."
            : `Put that right (the build command is: ${settings.buildCommand}), then call k_reload.`,
        ),
        at,
      )
    }
    case "BreakerOpen":
      return failed(
        "breaker",
        paragraphs(
          `Session ${error.session} is not launched any more: ${plural(error.crashes, "crash", "crashes")} within ${duration(error.windowMs)}.`,
          `The last one: ${error.last}`,
          `It is tried again in ${duration(error.retryInMs)}; to try now, call k_reset, or k_reload after a new build.`,
        ),
        at,
      )
    case "BuildNotFound":
      return failed(
        "no-build",
        `No K3CSharp build in ${error.folder}: ${error.missing} is missing.\nMake one (${settings.buildCommand}), or set K3_BUILD_DIR to where it is, or K3_ENGINE=embedded to do without; then call k_reload.`,
        at,
      )
    case "BuildUnusable":
      return failed(
        "build",
        `The K3CSharp build in ${error.folder} cannot be used: ${error.reason}.\nWhen the build is done, call k_reload.`,
        at,
      )
    case "GenerationMismatch":
      return failed(
        "generation",
        `Session ${error.session} is at generation ${error.actual}, not ${error.expected}: the interpreter was relaunched since, and what was defined then may be gone. Nothing was evaluated.\nCall k_inspect to see what there is, then k_eval with expect_generation ${error.actual}.`,
        { generation: error.actual },
      )
    case "TooManySessions":
      return failed(
        "sessions",
        `${plural(error.limit, "session")} are open, which is the limit (K3_MAX_SESSIONS): ${error.open.join(", ")}.\nCall k_eval with one of these as session; one that is idle for ${duration(settings.sessionTtl)} ends by itself.`,
        at,
      )
    case "Refused":
      return failed(
        "refused",
        paragraphs(
          `Refused: ${error.detail}\n${indent(error.statement)}`,
          {
            shell: "Shell commands are off (K3_SHELL is deny). Call k_eval without this one.",
            size: "Call k_eval with the code in smaller parts, or load it from a file with \\l.",
            exit: "To begin afresh call k_reset.",
          }[error.reason],
        ),
        at,
      )
  }
}
