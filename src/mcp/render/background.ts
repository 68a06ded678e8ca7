/** Replies about background evaluations: of `k_eval`, which begins them, and of `k_output`, which follows them. */
import * as Exit from "effect/Exit"
import { type BackgroundEvaluation, defectIn, failureIn } from "../../session/Backgrounds.ts"
import type { Page } from "../../session/output/pages.ts"
import type { SettingValues } from "../../Settings.ts"
import type { Evaluation } from "../../session/Evaluation.ts"
import type { SessionError } from "../../session/SessionError.ts"
import { defect, type FailureFields, type Reply } from "./Reply.ts"
import { evaluation } from "./evaluation.ts"
import { failure } from "./sessionFailure.ts"
import { page as pageReply } from "./output.ts"
import { lastValue } from "./value.ts"
import { duration, paragraphs, plural, roundMs } from "./words.ts"

export const begun = (of: BackgroundEvaluation): Reply => {
  const { handle, session } = of
  const notice = `${handle} runs in the background in session ${session}. Call k_output ${handle} with wait_ms to follow it, k_session with action interrupt and name ${handle} to stop it.`
  return { text: notice, structured: { ok: true, handle, notice }, begun: of }
}

/** The evaluation's line in the reply of `k_status`. */
export const line = ({ handle, session, phase, ms, bytes, code }: BackgroundEvaluation): string =>
  `${handle} in session ${session}: ${phase === "ended" ? "ended after" : `${phase} for`} ${duration(ms)}, ${plural(bytes, "byte")} printed: ${code}`

/** The failure that ended the evaluation; undefined if it runs, ended well or ended by a defect. */
export const errorOf = ({ exit }: BackgroundEvaluation): SessionError | undefined => failureIn(exit)

const failedReply = (of: BackgroundEvaluation, settings: SettingValues): Reply<FailureFields> => {
  const error = errorOf(of)
  const longest = settings.backgroundTimeout ?? Infinity
  return error === undefined ? defect(of.handle, defectIn(of.exit!)) : failure(error, { ...settings, evalTimeoutMax: longest })
}

const reached = (result: Evaluation, wantsValue: boolean, settings: SettingValues) =>
  evaluation(result, wantsValue && result.ok ? { value: lastValue(result, settings.outputShown) } : {})

/** The evaluation's result as a reply of `k_eval`; undefined while it waits or runs. */
export const replyOf = (of: BackgroundEvaluation, settings: SettingValues): Reply | undefined => {
  if (of.exit === undefined) return undefined
  return Exit.isSuccess(of.exit) ? reached(of.exit.value, of.wantsValue, settings) : failedReply(of, settings)
}

interface Ending {
  readonly text: string | undefined
  readonly fields: object
  readonly notice?: string | undefined
}

/** The result without the printed output; undefined while the evaluation waits or runs. */
const endingOf = (of: BackgroundEvaluation, settings: SettingValues): Ending | undefined => {
  const { exit, wantsValue } = of
  if (exit === undefined) return undefined
  if (Exit.isSuccess(exit)) {
    const { truncated: _, ...result } = exit.value
    const { text, structured } = reached({ ...result, output: "" }, wantsValue, settings)
    const { output: __, ...fields } = structured
    return { text: text.replace(/^\(no output\)\n?/, ""), fields, notice: fields.notice }
  }
  const { output: __, ...fields } = failedReply(of, settings).structured
  return { text: fields.error.text, fields }
}

/** The output in the result, for an evaluation without a recorded output. */
const shownOf = (of: BackgroundEvaluation): string => {
  if (of.exit !== undefined && Exit.isSuccess(of.exit)) return of.exit.value.output
  const error = errorOf(of)
  return error !== undefined && "output" in error ? error.output : ""
}

/** A sentence that says if the evaluation waits, runs or has ended. */
export const stand = ({ handle, session, phase, ms, bytes }: BackgroundEvaluation): string =>
  phase === "ended"
    ? `${handle} has ended in session ${session} after ${duration(ms)}.`
    : `${handle} ${phase === "waiting" ? "has waited for its turn" : "has run"} in session ${session} for ${duration(ms)}; ${plural(bytes, "byte")} printed so far.`

/** A page of the output, the phase, and the result if the evaluation has ended. `page` is absent when no output is recorded. */
export const followed = (of: BackgroundEvaluation, page: Page | undefined, settings: SettingValues): Reply => {
  const { handle, phase, ms, bytes } = of
  const ending = endingOf(of, settings)
  const read = page === undefined || page.text === "" ? undefined : pageReply(handle, page).structured.notice
  const isMore = page?.next !== undefined
  const on = { from: page?.span[1] ?? 0, unit: "byte" }
  const now = stand(of)
  const follow =
    ending !== undefined || isMore
      ? undefined
      : `Call k_output ${handle} with from ${on.from}, unit byte and wait_ms to wait for more, k_session with action interrupt and name ${handle} to stop it.`
  const shown = page === undefined ? shownOf(of) : page.text
  return {
    text: paragraphs(shown.trimEnd(), read, now, follow, ending?.text),
    structured: {
      ok: true,
      ...ending?.fields,
      handle,
      phase,
      for_ms: roundMs(ms),
      bytes,
      output: shown,
      ...(page !== undefined && { span: page.span }),
      ...(page?.line !== undefined && { line: page.line }),
      ...(isMore ? { next: page.next } : ending === undefined && { next: on }),
      notice: paragraphs(read, now, follow, ending?.notice),
    },
  }
}
