/** Reads a page of a session's history. Does not: keep any of it. */
import type { HistoryReplyPage } from "../attach/readNews.ts"
import type { PageLink } from "./PageLink.ts"

export const readPage = async (link: PageLink, session: string, range: object): Promise<HistoryReplyPage> => {
  const { structured } = await link.call("k_history", { action: "list", session, ...range })
  const { entries = [], cursor } = structured
  return { entries, ...(cursor !== undefined && { cursor }) }
}
