/** The part of a history entry's code that ran and was not undone. Pure. */
import { statements } from "../../k3/text/statements.ts"
import type { HistoryEntry } from "./HistoryLog.ts"

/** The first `count` statements of a code. */
export const firstOf = (code: string, count: number): string =>
  statements(code)
    .slice(0, count)
    .map(({ source }) => source)
    .join("\n")

const cutsShort: ReadonlySet<string> = new Set(["deadline", "cancel", "interrupt", "closed"])

/** Whether a deadline, a cancel, another caller or the end of the session ended the evaluation in the middle of a statement. */
export const isCutShort = ({ ok, error }: HistoryEntry): boolean => !ok && (error === undefined || cutsShort.has(error.name))

/** Whether the entry left something behind, and its code is not completely known. */
export const isUnknown = ({ codeCut, effect }: HistoryEntry): boolean => codeCut !== undefined && effect === undefined

/** The code that ran and was not undone, the failed statement included. Undefined when there is none, or when it is not completely known. */
export const ranOf = (entry: HistoryEntry): string | undefined => {
  const { code, args = 0, codeCut, ok, failed = 1, effect, event } = entry
  if (event !== undefined || effect !== undefined || codeCut !== undefined) return undefined
  const count = isCutShort(entry) ? failed - 1 : failed
  return (ok ? code : count > 0 ? firstOf(code, args + count) : "") || undefined
}
