/**
 * A request of the modern era of MCP, written by hand: its `_meta`, and its head over HTTP. The texts are the protocol's, not taken from the
 * server, so that a change of the server's shows.
 */

export const version = "2026-07-28"
/** A key of the protocol in `_meta`. */
export const key = (name: string): string => `io.modelcontextprotocol/${name}`

/** The `_meta` of every request. */
export const metaOf = (capabilities: object = {}, client: object = { name: "x", version: "1" }) => ({
  [key("protocolVersion")]: version,
  [key("clientCapabilities")]: capabilities,
  [key("clientInfo")]: client,
})

/** The head of every request over HTTP. `name`: of the tool, the prompt or the task. */
export const headOf = (method: string, name?: string) => ({
  "mcp-protocol-version": version,
  "mcp-method": method,
  ...(name !== undefined && { "mcp-name": name }),
})
