/** The caller that the history names, by what a client calls itself. A name proves nothing: it only tells a person's input from the agent's. */

/** The names that the attached console and the page give. Every other client is an agent. */
const callers: ReadonlyMap<string, string> = new Map([
  ["k3-console", "console"],
  ["k3-page", "page"],
])

export const callerOf = (client: string | undefined): string => callers.get(client ?? "") ?? "agent"
