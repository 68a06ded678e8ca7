/**
 * The SDK's own server over HTTP and nothing else: no token, no session, no child; its one tool answers at once. Listens on a free port of
 * this machine and prints its address. Usage: node sdkHttp.mjs
 */
import { createServer } from "node:http"
import { toNodeHandler } from "@modelcontextprotocol/node"
import { createMcpHandler, fromJsonSchema, McpServer } from "@modelcontextprotocol/server"

const inputSchema = fromJsonSchema({ type: "object", properties: { code: { type: "string" } }, required: ["code"] })

const handler = createMcpHandler(() => {
  const server = new McpServer({ name: "bare", version: "0" }, { capabilities: { tools: {} } })
  server.registerTool("k_eval", { description: "answers 3", inputSchema }, () => ({ content: [{ type: "text", text: "3\n" }] }))
  return server
})
const server = createServer(toNodeHandler(handler))
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}/mcp`))
