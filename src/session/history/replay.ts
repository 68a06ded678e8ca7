/** Runs history entries again, and writes them as a file of cases. Both use only the code that ran and was not undone. */
import * as Effect from "effect/Effect"
import { type Case, caseText, expectedText } from "../../repl/cases.ts"
import { apart, type HistoryEntry } from "./HistoryLog.ts"
import { isCutShort, isUnknown, ranOf } from "./ranOf.ts"
import type { Session } from "../Session.ts"
import { type Evaluation, isOfWorkspace, type Notice } from "../Evaluation.ts"
import type { SessionError } from "../SessionError.ts"

export interface Replayed {
  readonly ran: readonly number[]
  /** Entries without code to run: no statement ran, it was undone, or the first statement was cut short; and undos, restores, resets and the like. */
  readonly skipped: readonly number[]
  /** Entries whose code is not completely kept. */
  readonly cut: readonly number[]
  /** The notices of these evaluations about the workspace, which are told once. */
  readonly notices: readonly Notice[]
  /** The entry whose outcome differs from the recorded one. */
  readonly stopped?: { readonly n: number; readonly evaluation: Evaluation } | { readonly n: number; readonly error: SessionError }
}

/** As `ranOf`. For a fork: the code that makes its first variables. */
const codeOf = (entry: HistoryEntry): string | undefined =>
  entry.event === "fork" && entry.codeCut === undefined ? entry.code || undefined : ranOf(entry)

/** Runs entries in order, until one ends differently. An error of K that was recorded too does not stop the replay. */
export const replay = Effect.fnUntraced(function* (entries: readonly HistoryEntry[], session: Session): Effect.fn.Return<Replayed> {
  const ran: number[] = []
  const skipped: number[] = []
  const cut: number[] = []
  const notices: Notice[] = []
  const result = { ran, skipped, cut, notices }
  for (const entry of entries) {
    const { n } = entry
    const code = codeOf(entry)
    if (code === undefined) {
      if (isUnknown(entry)) cut.push(n)
      else skipped.push(n)
      continue
    }
    const done = yield* Effect.result(session.evaluate(entry.args === undefined ? { code } : apart(code, entry.args)))
    if (done._tag === "Failure") return { ...result, stopped: { n, error: done.failure } }
    const then = isCutShort(entry) ? undefined : entry.error?.name
    if (done.success.error?.name !== then) return { ...result, stopped: { n, evaluation: done.success } }
    ran.push(n)
    notices.push(...done.success.notices.filter(isOfWorkspace))
  }
  return result
})

/** The code and the expected output of an entry; undefined for an entry without code to run. */
const stepOf = (entry: HistoryEntry): Omit<Case["steps"][number], "line"> | undefined => {
  const code = codeOf(entry)
  if (code === undefined) return undefined
  const { output, bytes, error, event } = entry
  if (event !== undefined) return { code, expected: expectedText("") }
  if (bytes !== undefined || isCutShort(entry)) return { code, expected: expectedText(undefined) }
  const printed = output === "" || output.endsWith("\n") ? output : `${output}\n`
  return { code, expected: expectedText(printed + (error?.text ?? "")) }
}

/** A file of cases. A new case begins after each reset, restore, undo or other event that replaced the workspace. */
export const testOf = (session: string, entries: readonly HistoryEntry[]): string => {
  const groups: { readonly after: HistoryEntry["event"]; readonly group: HistoryEntry[] }[] = [{ after: undefined, group: [] }]
  for (const entry of entries) {
    const { event } = entry
    if (event === undefined) groups.at(-1)!.group.push(entry)
    else groups.push({ after: event, group: codeOf(entry) === undefined ? [] : [entry] })
  }
  return groups
    .map(({ after, group }) => ({ after, group, steps: group.map(stepOf).filter((step) => step !== undefined) }))
    .filter(({ group, steps }) => steps.length > (group[0]?.event === undefined ? 0 : 1))
    .map(({ group, steps, after }) => {
      const [from, to] = [group[0]!.n, group.at(-1)!.n]
      const isEmptied = after === "reset" || after === "reload" || after === "close"
      const isWhole = isEmptied || group[0]!.event !== undefined || from === 1
      const cut = group.filter(isUnknown).map(({ n }) => n)
      const name = [
        `${session} ${from} to ${to}`,
        ...(isWhole ? [] : [`what was there before ${from} is not in it`]),
        ...(cut.length === 0 ? [] : [`not in it, since code or args were too long to keep: ${cut.join(", ")}`]),
      ].join("\n")
      return caseText({ name, steps })
    })
    .join("\n")
}
