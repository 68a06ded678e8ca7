/** Reads the new entries of a session's history by pages, for the attached console and the page. Does not: keep any of them. */
import { behind, type Cursor, type HistoryReplyEntry, later, nothingYet } from "./follow.ts"

/** Entries of one page of the history. */
export const pageOf = 200

export interface HistoryReplyPage {
  /** Oldest first. */
  readonly entries: readonly HistoryReplyEntry[]
  /** The number to ask from for older entries; undefined when there are none. */
  readonly cursor?: number
}

/** Lists a page of the history; `range`: arguments of `k_history list`. */
type List = (range: object) => Promise<HistoryReplyPage>

/** Entries from `n` on, oldest first; of more than `most` only the newest. */
const since = async (
  list: List,
  { n }: Cursor,
  isBefore: (entry: HistoryReplyEntry) => boolean,
  most: number,
): Promise<readonly HistoryReplyEntry[]> => {
  const all: HistoryReplyEntry[] = []
  for (let older: number | undefined; ;) {
    const page = await list({ limit: pageOf, ...(n > 0 && { from: n }), ...(older !== undefined && { cursor: older }) })
    all.unshift(...page.entries)
    const [first] = page.entries
    if (page.cursor === undefined || first === undefined || isBefore(first) || all.length >= most) return all
    older = page.cursor
  }
}

/** Entries after the cursor, oldest first. A history that was begun again is compared by time. */
export const readNews = async (list: List, cursor: Cursor, most = Infinity): Promise<readonly HistoryReplyEntry[]> =>
  behind(cursor, await since(list, cursor, ({ n }) => n <= cursor.n, most)) ??
  later(cursor, await since(list, nothingYet, ({ at }) => at <= cursor.at, most))
