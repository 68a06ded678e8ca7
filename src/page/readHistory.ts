/** Reads a page of a session's history. Does not: keep any of it. */
import type { HistoryPage } from "../attach/readNews.ts"
import type { Link } from "./Link.ts"

export const readPage = async (link: Link, session: string, range: object): Promise<HistoryPage> => {
  const { structured } = await link.call("k_history", { action: "list", session, ...range })
  const { entries = [], cursor } = structured
  return { entries, ...(cursor !== undefined && { cursor }) }
}
