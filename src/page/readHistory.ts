/** Reads a session's history by pages. Does not: keep any of it. */
import type { Link } from "./Link.ts"
import { behind, type Cursor, type Entry, later, mostRows, nothingYet } from "./transcript.ts"

/** Entries of one page of the history. */
export const pageOf = 200

export interface Page {
  /** Oldest first. */
  readonly entries: readonly Entry[]
  /** The number to ask from for older entries; undefined when there are none. */
  readonly cursor?: number
}

export const readPage = async (link: Link, session: string, range: object): Promise<Page> => {
  const { structured } = await link.call("k_history", { action: "list", session, ...range })
  const { entries = [], cursor } = structured
  return { entries, ...(cursor !== undefined && { cursor }) }
}

/** Entries from `n` on, oldest first; of very many only the newest. */
const since = async (link: Link, session: string, { n }: Cursor, isBefore: (entry: Entry) => boolean): Promise<readonly Entry[]> => {
  const all: Entry[] = []
  for (let older: number | undefined; ;) {
    const page = await readPage(link, session, { limit: pageOf, ...(n > 0 && { from: n }), ...(older !== undefined && { cursor: older }) })
    all.unshift(...page.entries)
    const [first] = page.entries
    if (page.cursor === undefined || first === undefined || isBefore(first) || all.length >= mostRows) return all
    older = page.cursor
  }
}

/** Entries after the cursor, oldest first. A history that was begun again is compared by time. */
export const readNews = async (link: Link, session: string, cursor: Cursor): Promise<readonly Entry[]> =>
  behind(cursor, await since(link, session, cursor, ({ n }) => n <= cursor.n)) ??
  later(cursor, await since(link, session, nothingYet, ({ at }) => at <= cursor.at))
