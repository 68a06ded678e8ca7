/**
 * Results and errors as text, and as the structured reply that says the same: with `stateText.ts` the only place where prose is made. Guarantees: quiet when
 * all is well; the text of every error ends in the call to make next; nothing is said in the text that is not in the structured reply.
 * Does not: decide what happens, only how it is told.
 */
import * as Schema from "effect/Schema"
import type { Entry, Evaluation, Inspection, KFailure, Notice, Reloaded, SessionStatus } from "../session/Session.ts"
import type { SessionError } from "../session/SessionError.ts"
import type { SettingValues } from "../Settings.ts"
import type { Reply } from "./Reply.ts"
import { ChangesOutput, changesLine, changesOutput, LostOutput, lostLine, lostOutput, missed, willCome } from "./stateText.ts"
import { indent, paragraphs, plural } from "./words.ts"

/** What every tool answers when it could not do its work. */
export interface Failure {
  readonly ok: false
  readonly error: { readonly name: string; readonly text: string }
  readonly output?: string
  readonly generation?: number
}

/** Milliseconds as a person says them. */
export const duration = (ms: number): string => {
  if (ms < 1000) return `${ms < 10 ? Math.round(ms * 100) / 100 : Math.round(ms)} ms`
  if (ms < 60_000) return `${Math.round(ms / 100) / 10} s`
  const minutes = Math.floor(ms / 60_000)
  const seconds = Math.floor((ms % 60_000) / 1000)
  if (minutes < 60) return `${minutes} min${seconds === 0 ? "" : ` ${seconds} s`}`
  return `${Math.floor(minutes / 60)} h${minutes % 60 === 0 ? "" : ` ${minutes % 60} min`}`
}

/** Milliseconds as a number worth reading. */
export const roundMs = (ms: number): number => (ms < 10 ? Math.round(ms * 100) / 100 : Math.round(ms))

type Running = NonNullable<SessionStatus["running"]>

const running = (now: Running): string =>
  `running for ${duration(now.forMs)}: ${now.statement}${now.waiting > 0 ? `; ${plural(now.waiting, "call")} waiting` : ""}`

/** One progress message of a call that has taken `elapsedMs`. */
export const progress = ({ name, phase, running: now }: SessionStatus, elapsedMs: number): string =>
  `session ${name}: ${now === null ? phase : running(now)} (this call: ${duration(elapsedMs)})`

const notice = (each: Notice): string => {
  switch (each.kind) {
    case "fresh":
      return `Note: a fresh interpreter answered (generation ${each.generation}): ${each.why}. Variables from before are gone.`
    case "restored":
      return paragraphs(
        `Note: a fresh interpreter answered (generation ${each.generation}): ${each.why}. ${plural(each.restored, "variable")} ${each.restored === 1 ? "was" : "were"} given back; nothing was run again.${missed(each.missed)}`,
        lostLine(each.lost),
      )
    case "stale":
      return `Note: a newer build is on disk (${each.buildHash.slice(0, 8)}; this session runs ${each.runningHash.slice(0, 8)}). k_reload switches to it.`
    case "brace":
      return `Note: line ${each.line}: a function whose closing } stands on a line of its own returns nothing. Put } behind the last expression.`
    case "silent":
      return `Note: this printed nothing and looks unfinished; check brackets and quotes: ${each.statement}`
    case "timeout-capped":
      return `Note: timeout_ms ${each.askedMs} is above the ceiling; ${each.usedMs} ms was used (K3_EVAL_TIMEOUT_MAX raises it).`
  }
}

/** The reply of `k_eval`; `error.next` is what to do about an error of K. */
export const EvaluationOutput = Schema.Struct({
  ok: Schema.Boolean,
  output: Schema.optionalKey(Schema.String),
  error: Schema.optionalKey(
    Schema.Struct({
      name: Schema.String,
      text: Schema.String,
      line: Schema.optionalKey(Schema.Finite),
      column: Schema.optionalKey(Schema.Finite),
      source: Schema.optionalKey(Schema.String),
      at: Schema.optionalKey(Schema.String),
      next: Schema.optionalKey(Schema.String),
    }),
  ),
  generation: Schema.optionalKey(Schema.Finite),
  ms: Schema.optionalKey(Schema.Finite),
  truncated: Schema.optionalKey(Schema.Struct({ bytes: Schema.Finite, kept: Schema.Finite })),
  rolled_back: Schema.optionalKey(Schema.Boolean),
  changes: Schema.optionalKey(ChangesOutput),
  restored: Schema.optionalKey(Schema.Finite),
  lost: LostOutput,
  notice: Schema.optionalKey(Schema.String),
})

const kErrorNext = (error: KFailure, failed: number | undefined, statements: number, rolledBack: boolean): string => {
  const names = error.name === "value" ? " k_inspect lists the names there are." : ""
  if (failed === undefined || statements === 1) return `Fix it and send it again with k_eval.${names}`
  if (rolledBack) return `Nothing of it counts. Fix statement ${failed} of ${statements} and send all of it again with k_eval.${names}`
  const before = failed > 1 ? `Statements before ${failed} ran and count. ` : ""
  return `${before}Fix statement ${failed} of ${statements} and send it${failed < statements ? " and what follows" : ""} with k_eval.${names}`
}

/** The engine's text, and the source line with a caret where the engine said where but did not show it. */
const kErrorText = (error: KFailure): string => {
  const named =
    error.text.includes(error.name) || error.name === "error" ? error.text : `${error.name} error: ${error.text.replace(/^Error: /, "")}`
  const shown = error.source === undefined || error.text.includes(error.source) ? undefined : paragraphs(error.source, error.caret)
  const where =
    shown !== undefined && error.line !== undefined
      ? `line ${error.line}${error.column === undefined ? "" : `, column ${error.column}`}:`
      : undefined
  return paragraphs(named.trimEnd(), where, shown)
}

const restoredOutput = (notices: readonly Notice[]) => {
  const given = notices.find((each) => each.kind === "restored")
  return given === undefined ? {} : { restored: given.restored, ...lostOutput(given.lost) }
}

export const evaluation = (result: Evaluation): Reply<typeof EvaluationOutput.Type> => {
  const { ok, output, generation, error, truncated, failedStatement, statements, changes, rolledBack } = result
  const ms = roundMs(result.ms)
  const said = [
    ...(rolledBack === true ? ["Rolled back: the variables are as they were before this call."] : []),
    ...(changes === undefined ? [] : [changesLine(changes)]),
    ...result.notices.map(notice),
  ]
  const notices = said.length === 0 ? undefined : said.join("\n")
  if (ok && notices === undefined && truncated === undefined)
    return { text: output === "" ? "(no output)" : output, structured: { ok, output, generation, ms } }
  const next = error === undefined ? undefined : kErrorNext(error, failedStatement, statements, rolledBack === true)
  const text = error === undefined ? undefined : kErrorText(error)
  return {
    text: paragraphs(output === "" && ok ? "(no output)" : output.replace(/\n$/, ""), text, next, notices),
    structured: {
      ok,
      output,
      ...(error !== undefined && {
        error: {
          name: error.name,
          text: text!,
          ...(error.line !== undefined && { line: error.line }),
          ...(error.column !== undefined && { column: error.column }),
          ...(error.source !== undefined && { source: error.source }),
          ...(error.at !== undefined && { at: error.at }),
          next: next!,
        },
      }),
      generation,
      ms,
      ...(truncated !== undefined && { truncated }),
      ...(rolledBack !== undefined && { rolled_back: rolledBack }),
      ...(changes != null && { changes: changesOutput(changes) }),
      ...restoredOutput(result.notices),
      ...(notices !== undefined && { notice: notices }),
    },
  }
}

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

const Failed = { error: Schema.optionalKey(Schema.Struct({ name: Schema.String, text: Schema.String })) }

export const ResetOutput = Schema.Struct({
  ok: Schema.Boolean,
  sessions: Schema.optionalKey(Schema.Array(Schema.Struct({ name: Schema.String, how: Schema.String, generation: Schema.Finite }))),
  ...Failed,
})

export const reset = (
  done: readonly { readonly name: string; readonly how: "cleared" | "relaunched"; readonly generation: number }[],
): Reply<typeof ResetOutput.Type> => ({
  text:
    done.length === 0
      ? "No session is open."
      : done.map(({ name, how, generation }) => `Session ${name} is clean (${how}, generation ${generation}).`).join("\n"),
  structured: { ok: true, sessions: done },
})

export const ReloadOutput = Schema.Struct({
  ok: Schema.Boolean,
  generation: Schema.optionalKey(Schema.Finite),
  old_hash: Schema.optionalKey(Schema.String),
  new_hash: Schema.optionalKey(Schema.String),
  ms: Schema.optionalKey(Schema.Finite),
  restored: Schema.optionalKey(Schema.Finite),
  lost: LostOutput,
  notice: Schema.optionalKey(Schema.String),
  ...Failed,
})

export const reload = (done: Reloaded): Reply<typeof ReloadOutput.Type> => {
  const same = done.oldHash !== null && done.oldHash === done.newHash
  const given = done.givenBack
  const state =
    given === null
      ? "Variables are gone, as asked."
      : paragraphs(
          `${plural(given.restored, "variable")} ${given.restored === 1 ? "was" : "were"} given back.${missed(given.missed)}`,
          lostLine(given.lost),
        )
  const notice = same ? `The build on disk is the one that ran before. ${state}` : state
  return {
    text: `Generation ${done.generation} runs build ${done.newHash ?? "unknown"} (before: ${done.oldHash ?? "none"}), after ${duration(done.ms)}. ${notice}`,
    structured: {
      ok: true,
      generation: done.generation,
      ...(done.oldHash !== null && { old_hash: done.oldHash }),
      ...(done.newHash !== null && { new_hash: done.newHash }),
      ms: roundMs(done.ms),
      ...(given !== null && { restored: given.restored, ...lostOutput(given.lost) }),
      notice,
    },
  }
}

const EntryOutput = Schema.Struct({
  name: Schema.String,
  type: Schema.Finite,
  kind: Schema.String,
  shape: Schema.String,
  preview: Schema.String,
})

export const InspectionOutput = Schema.Struct({
  ok: Schema.Boolean,
  path: Schema.optionalKey(Schema.String),
  entries: Schema.optionalKey(Schema.Array(EntryOutput)),
  value: Schema.optionalKey(EntryOutput),
  generation: Schema.optionalKey(Schema.Finite),
  age_ms: Schema.optionalKey(Schema.Finite),
  omitted: Schema.optionalKey(Schema.Finite),
  ...Failed,
})

const entryLine = ({ name, kind, shape, preview }: Entry): string => [name, kind, shape, preview].filter((part) => part !== "").join("  ")

export const inspection = ({ path, entries, value, generation, ageMs, omitted }: Inspection): Reply<typeof InspectionOutput.Type> => {
  const lines = value === undefined ? entries.map(entryLine) : [entryLine(value)]
  return {
    text: paragraphs(
      lines.length === 0 ? `No names in ${path}` : lines.join("\n"),
      omitted > 0 ? `${omitted} more are left out; call k_inspect with a path further down.` : undefined,
      ageMs > 0 ? `As it was ${duration(ageMs)} ago: an evaluation is running.` : undefined,
    ),
    structured: {
      ok: true,
      path,
      ...(value === undefined ? { entries } : { value }),
      generation,
      ...(ageMs > 0 && { age_ms: roundMs(ageMs) }),
      ...(omitted > 0 && { omitted }),
    },
  }
}

const text = Schema.optionalKey(Schema.String)
const number = Schema.optionalKey(Schema.Finite)

export const StatusOutput = Schema.Struct({
  ok: Schema.Boolean,
  session: text,
  phase: text,
  engine: text,
  engine_why: text,
  pid: number,
  generation: number,
  stale: Schema.optionalKey(Schema.Boolean),
  running: Schema.optionalKey(Schema.Struct({ statement: Schema.String, for_ms: Schema.Finite, waiting: Schema.Finite })),
  uptime_ms: number,
  idle_ms: number,
  commands: number,
  memory_bytes: number,
  held: number,
  build_folder: text,
  shadow: text,
  running_hash: text,
  build_hash: text,
  last_crash: text,
  limits: Schema.optionalKey(
    Schema.Struct({
      eval_timeout_ms: Schema.Finite,
      eval_timeout_max_ms: Schema.Finite,
      output_shown: Schema.Finite,
      child_memory_bytes: Schema.Finite,
      max_sessions: Schema.Finite,
    }),
  ),
  sessions: Schema.optionalKey(
    Schema.Array(Schema.Struct({ name: Schema.String, phase: Schema.String, generation: Schema.Finite, idle_ms: Schema.Finite })),
  ),
  notice: text,
  ...Failed,
})

/** The fields that have something to say. */
const said = <A extends object>(fields: A): { [K in keyof A]?: Exclude<A[K], null> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)) as { [K in keyof A]?: Exclude<A[K], null> }

const fence = "K3CSharp's file verbs and IPC cannot be fenced by the server; its shell commands are refused unless K3_SHELL is allow."

/** `open` is every open session, this one among them or not. */
export const status = (of: SessionStatus, open: readonly SessionStatus[], settings: SettingValues): Reply<typeof StatusOutput.Type> => {
  const stale = of.stale ? "A newer build is on disk; k_reload switches to it." : undefined
  const unfenced = of.engine === "k3csharp" ? fence : undefined
  const notice = paragraphs(stale, unfenced)
  const others = open.filter(({ name }) => name !== of.name)
  return {
    text: paragraphs(
      `Session ${of.name}: ${of.phase}, generation ${of.generation}${of.pid === null ? "" : `, pid ${of.pid}`}${of.uptimeMs === null ? "" : `, up ${duration(of.uptimeMs)}`}, ${plural(of.commands, "evaluation")}, idle ${duration(of.idleMs)}`,
      of.running === null ? undefined : `Now ${running(of.running)}`,
      `Engine: ${of.engine} (${of.engineWhy})`,
      of.buildFolder === null ? undefined : `Build: ${of.buildFolder}`,
      of.shadow === null ? undefined : `Shadow copy: ${of.shadow}`,
      of.runningHash === null && of.buildHash === null
        ? undefined
        : `Hashes: running ${of.runningHash ?? "none"}, on disk ${of.buildHash ?? "none"}`,
      of.memoryBytes === null ? undefined : `Memory: ${Math.round(of.memoryBytes / 2 ** 20)} MiB`,
      of.held.variables === 0
        ? undefined
        : `Held for giving back: ${plural(of.held.variables, "variable")}${of.held.missed === 0 ? "" : ", not yet what the last evaluations changed"}`,
      of.lastCrash === null ? undefined : `Last crash: ${of.lastCrash}`,
      `Limits: deadline ${duration(settings.evalTimeout)} (at most ${duration(settings.evalTimeoutMax)}), ${settings.outputShown} characters shown, ${Math.round(settings.childMemory / 2 ** 20)} MiB, ${plural(settings.maxSessions, "session")}`,
      others.length === 0
        ? undefined
        : `Other sessions: ${others.map(({ name, phase, idleMs }) => `${name} (${phase}, idle ${duration(idleMs)})`).join(", ")}`,
      notice,
    ),
    structured: {
      ok: true,
      ...said({
        session: of.name,
        phase: of.phase,
        engine: of.engine,
        engine_why: of.engineWhy,
        pid: of.pid,
        generation: of.generation,
        stale: of.stale,
        running:
          of.running === null ? null : { statement: of.running.statement, for_ms: roundMs(of.running.forMs), waiting: of.running.waiting },
        uptime_ms: of.uptimeMs === null ? null : roundMs(of.uptimeMs),
        idle_ms: roundMs(of.idleMs),
        commands: of.commands,
        memory_bytes: of.memoryBytes,
        held: of.held.variables === 0 ? null : of.held.variables,
        build_folder: of.buildFolder,
        shadow: of.shadow,
        running_hash: of.runningHash,
        build_hash: of.buildHash,
        last_crash: of.lastCrash,
        limits: {
          eval_timeout_ms: settings.evalTimeout,
          eval_timeout_max_ms: settings.evalTimeoutMax,
          output_shown: settings.outputShown,
          child_memory_bytes: settings.childMemory,
          max_sessions: settings.maxSessions,
        },
        sessions: open.map((each) => ({
          name: each.name,
          phase: each.phase,
          generation: each.generation,
          idle_ms: roundMs(each.idleMs),
        })),
        notice: notice === "" ? null : notice,
      }),
    },
  }
}
