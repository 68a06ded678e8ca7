/** The replies of `k_reload`: reloaded, build failed, new build refused. */
import * as Match from "effect/Match"
import type { BuildFailed } from "../../session/builds/Build.ts"
import type { Diagnostic } from "../../session/builds/diagnostics.ts"
import type { CheckFailed, Reloaded, ReloadError } from "../../session/Session.ts"
import type { SessionError } from "../../session/SessionError.ts"
import type { SessionStatus } from "../../session/SessionStatus.ts"
import type { SettingValues } from "../../Settings.ts"
import { failed, type Reply } from "./Reply.ts"
import { comparisonOutput, comparisonText } from "./comparison.ts"
import { failure } from "./sessionFailure.ts"
import type { Tried } from "../examples.ts"
import { examplesOutput, examplesText } from "./examples.ts"
import { areBack, lostOutput } from "./variables.ts"
import { duration, howEnded, indent, paragraphs, plural, roundMs } from "./words.ts"

const sides = ["old", "new"] as const

export const reload = (done: Reloaded) => {
  const same = done.oldHash !== null && done.oldHash === done.newHash
  const given = done.variables
  const state = given === null ? "Variables are gone, as asked." : areBack(given.restored, given.missed, given.lost)
  const built =
    done.built === undefined
      ? ""
      : `Built in ${duration(done.built.ms)}${done.built.warningCount === 0 ? "" : `, ${plural(done.built.warningCount, "warning")}`}. `
  const notice = same ? `The build on disk is the one that ran before. ${state}` : state
  const { check } = done
  const checks =
    check === undefined
      ? undefined
      : check === null
        ? "Nothing was checked: no build ran before, so there is nothing to compare with."
        : comparisonText(check, sides, "check")
  return {
    text: paragraphs(
      `${built}Generation ${done.generation} runs build ${done.newHash ?? "unknown"}${same ? ", as before" : ` (before: ${done.oldHash ?? "none"})`}, after ${duration(done.ms)}. ${state}`,
      checks,
    ),
    structured: {
      ok: true,
      generation: done.generation,
      ...(done.oldHash !== null && { old_hash: done.oldHash }),
      ...(done.newHash !== null && { new_hash: done.newHash }),
      ms: roundMs(done.ms),
      ...(done.built !== undefined && { build_ms: roundMs(done.built.ms) }),
      ...(given !== null && { restored: given.restored, ...lostOutput(given.lost) }),
      ...(check != null && { checks: comparisonOutput(check) }),
      notice: check === null ? `${notice} ${checks}` : notice,
    },
  }
}

/** Adds the results of the tools' kept examples; `tried` is undefined when they could not be run. */
export const withExamples = (
  { text, structured }: Reply<{ readonly ok: boolean; readonly notice?: string }>,
  tried: Tried | undefined,
): Reply => {
  if (tried !== undefined && tried.ran + tried.left.length === 0) return { text, structured }
  const examples =
    tried === undefined ? "Examples of tools could not be run now; k_define test runs them." : examplesText(tried, " on the new build")
  return {
    text: paragraphs(text, examples),
    structured: {
      ...structured,
      ...(tried !== undefined && { examples: examplesOutput(tried) }),
      notice: paragraphs(structured.notice, examples),
    },
  }
}

/** The file's path relative to the working folder, if it lies below it. */
const short = (file: string, cwd: string): string =>
  file.startsWith(`${cwd}/`) || file.startsWith(`${cwd}\\`) ? file.slice(cwd.length + 1) : file

const asData = ({ file, line, column, code, text }: Diagnostic, cwd: string) => ({
  file: short(file, cwd),
  ...(line !== undefined && { line }),
  ...(column !== undefined && { column }),
  ...(code !== undefined && { code }),
  text,
})

const complaint = ({ file, line, column, code, text }: Diagnostic, cwd: string): string =>
  `${short(file, cwd)}${line === undefined ? "" : `(${line}${column === undefined ? "" : `,${column}`})`}: ${code === undefined ? "" : `${code}: `}${text}`

const stays = ({ generation, runningHash, pid }: SessionStatus): string =>
  pid === null
    ? "Nothing changed."
    : `Nothing changed: generation ${generation} still runs build ${runningHash?.slice(0, 8) ?? "unknown"} with its variables.`

const buildFailed = (error: BuildFailed, now: SessionStatus, settings: SettingValues): Reply => {
  const { exit, errors, errorCount } = error
  const after = `after ${duration(error.ms)}`
  const told: { readonly [reason in BuildFailed["reason"]]: readonly [what: string, next: string] } = {
    exit: [`failed ${howEnded(exit.code, exit.signal)} ${after}`, "Put that right, then call k_reload with build again."],
    missing: ["names a program that is not there", "Install it, or set K3_BUILD_COMMAND, then call k_reload with build again."],
    spawn: ["could not be started", "Put that right, then call k_reload with build again."],
    timeout: [
      `was ended at its deadline of ${duration(settings.buildTimeout)} (K3_BUILD_TIMEOUT)`,
      "Raise K3_BUILD_TIMEOUT, or make the build outside and call k_reload without build.",
    ],
    useless: [
      "makes no build that this session could run",
      "Set K3_ENGINE and K3_BUILD_DIR to where the build lands, then call k_reload again.",
    ],
    operator: ["is the operator's, and not run for a principal", "Ask the operator to make the build, then call k_reload without build."],
  }
  const [what, next] = told[error.reason]
  const count = errorCount === 0 ? "" : `, ${plural(errorCount, "error")}`
  const shown =
    errors.length > 0
      ? paragraphs(
          ...errors.map((each) => complaint(each, settings.cwd)),
          errorCount > errors.length ? `and ${errorCount - errors.length} more` : undefined,
        )
      : error.tail.join("\n")
  const outcome = `The build command ${what}${count}: ${error.command}`
  const listed = shown === "" ? undefined : indent(shown)
  return {
    text: paragraphs(outcome, listed, stays(now), next),
    structured: {
      ok: false,
      // `errors` has the compiler's messages already.
      error: { name: "build", text: paragraphs(outcome, errors.length > 0 ? undefined : listed, stays(now), next) },
      ...(errors.length > 0 && {
        errors: errors.map((each) => asData(each, settings.cwd)),
        error_count: errorCount,
      }),
      generation: now.generation,
    },
    isError: true,
  }
}

const checkFailed = ({ check }: CheckFailed, now: SessionStatus): Reply => {
  const verdict = "The new build was not taken: a check ended it, or ran out of time on it, and did not on the old one."
  const next = `${stays(now)}\nPut that right and call k_reload again, or without that check to take it all the same.`
  return {
    text: paragraphs(verdict, comparisonText(check, sides, "check"), next),
    structured: {
      ok: false,
      error: { name: "check", text: paragraphs(verdict, next) },
      checks: comparisonOutput(check),
      generation: now.generation,
    },
    isError: true,
  }
}

/** The failure of a session; for one of the new build alone, the text says first that the old one stays. */
const sessionFailed = (error: SessionError, now: SessionStatus, settings: SettingValues): Reply => {
  const reply = failure(error, settings, { generation: now.generation })
  if (!ofNewBuild.has(error._tag) || now.pid === null) return reply
  const text = `${stays(now)}\n${reply.text}`
  return { ...reply, text, structured: { ...reply.structured, error: { ...reply.structured.error, text } } }
}

const ofNewBuild: ReadonlySet<SessionError["_tag"]> = new Set(["LaunchFailed", "BuildNotFound", "BuildUnusable", "FenceMissing"])

/** The reply when the old build stays. `now`: the session's status after the failure. */
export const notReloaded = (error: ReloadError, now: SessionStatus, settings: SettingValues): Reply =>
  Match.value(error).pipe(
    Match.tag("BuildFailed", (of) => buildFailed(of, now, settings)),
    Match.tag("CheckFailed", (of) => checkFailed(of, now)),
    Match.tag("BadCaseFile", ({ file, reason }) =>
      failed("arguments", `${file}: ${reason}. ${stays(now)}\nCall k_reload with a check_file below K3_ROOTS.`, {
        generation: now.generation,
      }),
    ),
    Match.orElse((of) => sessionFailed(of, now, settings)),
  )
