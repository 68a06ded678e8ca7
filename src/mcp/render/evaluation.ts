/** The reply of `k_eval` for an evaluation that ran to its end or to an error of K. */
import * as Match from "effect/Match"
import type { Evaluation, Notice } from "../../session/Evaluation.ts"
import type { KFailure } from "../../child/engines/Engine.ts"
import { changesLine, changesOutput, areBack, lostLine, lostOutput, namedWhy } from "./variables.ts"
import type { ShownValue } from "./value.ts"
import { duration, paragraphs, roundMs } from "./words.ts"

/** The words of each kind of notice. */
export const notice = Match.type<Notice>().pipe(
  Match.discriminatorsExhaustive("kind")({
    fresh: ({ generation, why, lost }) =>
      paragraphs(`Note: a fresh interpreter answered (generation ${generation}): ${why}. Variables from before are gone.`, lostLine(lost)),
    restored: ({ generation, why, restored, missed, lost, savedMsAgo }) =>
      savedMsAgo === undefined
        ? `Note: a fresh interpreter answered (generation ${generation}): ${why}. Nothing was run again. ${areBack(restored, missed, lost)}`
        : `Note: ${why}. ${areBack(restored, 0, lost, ` from disk, as of ${duration(savedMsAgo)} ago`)}`,
    missing: ({ from, to }) =>
      from === to
        ? `Note: evaluation ${from} ran on a machine that is gone, and is not in what was restored. Lost: what that evaluation changed.`
        : `Note: evaluations ${from} to ${to} ran on a machine that is gone, and are not in what was restored. Lost: what those evaluations changed.`,
    "dry-run": ({ missing }) =>
      paragraphs(
        "Dry run: the session, its history and all files are as they were.",
        missing.length === 0 ? undefined : `The dry run did not have ${namedWhy(missing)}.`,
      ),
    unheld: ({ variables }) =>
      `Note: a crash, k_reload or a restart of the server loses ${namedWhy(variables)}. Keep in a file what you need.`,
    engine: ({ sentence }) => `Note: ${sentence} Build it there, or set K3_BUILD_DIR to the folder of a build; k_reload switches to it.`,
    disk: ({ sentence }) => `Note: ${sentence}`,
    fence: ({ sentence }) => `Note: ${sentence}`,
    stale: ({ buildHash, runningHash }) =>
      buildHash === runningHash
        ? `Note: a newer build is on disk (its main file is the same, ${buildHash.slice(0, 8)}; others are not). k_reload switches to it.`
        : `Note: a newer build is on disk (${buildHash.slice(0, 8)}; this session runs ${runningHash.slice(0, 8)}). k_reload switches to it.`,
    brace: ({ line }) =>
      `Note: line ${line}: a function whose closing } stands on a line of its own returns nothing. Put } behind the last expression.`,
    silent: ({ statement }) => `Note: this printed nothing and looks unfinished; check brackets and quotes: ${statement}`,
    quotes: () =>
      "Note: 0: knows no quotes: a field in quotes was cut at a separator or line end inside of it. Read such a file with the idiom csv-quoted (k_help csv-quoted).",
    "timeout-capped": ({ askedMs, usedMs, setting }) =>
      `Note: timeout_ms ${askedMs} is above the ceiling; ${usedMs} ms was used (${setting} raises it).`,
  }),
)

const kErrorNext = (error: KFailure, failed: number | undefined, statements: number, isUndone: boolean): string => {
  const names = error.name === "value" ? " k_inspect lists the names there are." : ""
  if (failed === undefined || statements === 1) return `Fix it and send it again with k_eval.${names}`
  if (isUndone) return `Fix statement ${failed} and send all ${statements} again with k_eval.${names}`
  const ran =
    failed === 1
      ? ""
      : failed === 2
        ? "Statement 1 ran and its effects stay. "
        : `Statements 1 to ${failed - 1} ran and their effects stay. `
  const rest =
    statements - failed === 0
      ? "it alone"
      : statements - failed === 1
        ? `it and statement ${statements}`
        : `it and statements ${failed + 1} to ${statements}`
  return `${ran}Fix statement ${failed} and send ${rest} with k_eval.${names}`
}

/** The engine's text, then the source line with a caret if the engine gave the position but did not show the line. */
export const kErrorText = (error: KFailure): string => {
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
  const relaunch = notices.find((each) => each.kind === "restored" || each.kind === "fresh")
  if (relaunch === undefined) return {}
  return { ...(relaunch.kind === "restored" && { restored: relaunch.restored }), ...lostOutput(relaunch.lost) }
}

/** Parts of the reply that the evaluation itself does not have. */
interface Beside {
  /** The help's entry on the verb that failed. */
  readonly entry?: string | undefined
  /** Likely slips in the code, a sentence each. */
  readonly slips?: readonly string[]
  /** The value, if the call asked for it. */
  readonly value?: ShownValue
}

export const evaluation = (result: Evaluation, { entry, slips = [], value }: Beside = {}) => {
  const { ok, output, generation, error, truncated, failedStatement, statements, changes, rolledBack } = result
  const ms = roundMs(result.ms)
  const lines = [
    ...(value?.notice === undefined ? [] : [value.notice]),
    ...(rolledBack === true ? ["Rolled back: the variables are as they were before this call."] : []),
    ...(changes === undefined ? [] : [changesLine(changes, result.dryRun === true ? "It would change" : undefined)]),
    ...result.notices.map(notice),
    ...slips.map((slip) => `Note: ${slip}`),
  ]
  const notices = lines.length === 0 ? undefined : lines.join("\n")
  if (ok && notices === undefined && truncated === undefined && value === undefined)
    return { text: output === "" ? "(no output)" : output, structured: { ok, output, generation, ms } }
  const next =
    error === undefined ? undefined : kErrorNext(error, failedStatement, statements, rolledBack === true || result.dryRun === true)
  const text = error === undefined ? undefined : kErrorText(error)
  return {
    text: paragraphs(
      output === "" && ok ? "(no output)" : output.replace(/\n$/, ""),
      value?.json === undefined ? undefined : `Value: ${value.json}`,
      text,
      entry,
      next,
      notices,
    ),
    structured: {
      ok,
      output,
      ...(value?.json !== undefined && { value: value.value }),
      ...(error !== undefined && {
        error: {
          name: error.name,
          text: text!,
          ...(error.line !== undefined && { line: error.line }),
          ...(error.column !== undefined && { column: error.column }),
          ...(error.source !== undefined && { source: error.source }),
          ...(error.at !== undefined && { at: error.at }),
          ...(entry !== undefined && { entry }),
          next: next!,
        },
      }),
      generation,
      ms,
      ...(truncated !== undefined && { truncated }),
      ...(rolledBack !== undefined && { rolled_back: rolledBack }),
      ...(result.dryRun === true && { dry_run: true }),
      ...(changes != null && { changes: changesOutput(changes) }),
      ...restoredOutput(result.notices),
      ...(notices !== undefined && { notice: notices }),
    },
  }
}
