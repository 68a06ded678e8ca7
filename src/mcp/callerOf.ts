/** The caller that the history names, by what a client calls itself. A name proves nothing: it only tells a person's input from the agent's. */

/** The names that the attached console and the page give. Every other client is an agent. */
const callers: ReadonlyMap<string, string> = new Map([
  ["k3-console", "console"],
  ["k3-page", "page"],
])

export const callerOf = (client: string | undefined): string => callers.get(client ?? "") ?? "agent"

/** In `_meta` of a request of the later era, which has no sessions: tells a client from others of the same name and token. */
const READER_KEY = "io.github.k3-mcp/client"
const mostOfIt = 64

export const readerIn = (client = "", meta: object = {}): string => {
  const { [READER_KEY]: own } = meta as { readonly [READER_KEY]?: unknown }
  return `${client.slice(0, mostOfIt)} ${typeof own === "string" ? own.slice(0, mostOfIt) : ""}`
}
