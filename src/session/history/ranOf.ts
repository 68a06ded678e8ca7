/** What of an entry of the history ran and counts. Pure. */
import { statements } from "../../k3/text/statements.ts"
import type { Entry } from "./HistoryLog.ts"

const first = (code: string, count: number): string =>
  statements(code)
    .slice(0, count)
    .map(({ source }) => source)
    .join("\n")

/** Ended from outside, in the middle of a statement. */
export const isCutShort = ({ ok, error }: Entry): boolean =>
  !ok && (error === undefined || error.name === "deadline" || error.name === "cancel")

/** What ran and was not undone, the statement that failed included; undefined when that is nothing, or is not known whole. */
export const ranOf = (entry: Entry): string | undefined => {
  const { code, codeCut, ok, failed = 1, effect, event } = entry
  if (event !== undefined || effect !== undefined || codeCut !== undefined) return undefined
  return (ok ? code : first(code, isCutShort(entry) ? failed - 1 : failed)) || undefined
}
