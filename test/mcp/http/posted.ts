/** A request to `/mcp` as the listener hands it on. */
import type { HttpRequest } from "../../../src/mcp/http/Listener.ts"

/** `isOver`: the client left before the request was answered. */
export const posted = (own: Readonly<Record<string, string>> = {}, isOver = false): HttpRequest => {
  const headers = new Map(Object.entries({ accept: "application/json, text/event-stream", "content-type": "application/json", ...own }))
  const signal = isOver ? AbortSignal.abort() : new AbortController().signal
  return {
    method: "POST",
    path: "/mcp",
    target: "/mcp",
    body: "",
    header: (name) => headers.get(name),
    onOver: (listener) => {
      if (isOver) listener(false)
    },
    toWeb: () => new Request("http://localhost/mcp", { method: "POST", headers: [...headers], signal }),
  }
}
