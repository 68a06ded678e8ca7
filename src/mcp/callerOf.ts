/**
 * The caller of a request (`console`, `page` or `agent`) by the client's own name, for the history. A name proves nothing: it only marks
 * which input came from a person.
 */
import { field, isText } from "./message.ts"

/** The client names of the attached console and the page. Every other client is an agent. */
const callers: ReadonlyMap<unknown, string> = new Map([
  ["k3-console", "console"],
  ["k3-page", "page"],
])

export const callerOf = (client: unknown): string => callers.get(client) ?? "agent"

/** A key in `_meta` of a request of the modern era, which has no sessions: distinguishes clients of the same name and token. */
const READER_KEY = "io.github.k3-mcp/client"
const mostOfIt = 64

export const readerIn = (client = "", meta: object = {}): string => {
  const own = field(meta, READER_KEY)
  return `${client.slice(0, mostOfIt)} ${isText(own) ? own.slice(0, mostOfIt) : ""}`
}
