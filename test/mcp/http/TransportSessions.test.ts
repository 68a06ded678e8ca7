/** The transport sessions of the legacy era, with servers of the SDK that have no tools. */
import { McpServer } from "@modelcontextprotocol/server"
import { expect, it } from "vitest"
import { TransportSessions } from "../../../src/mcp/http/TransportSessions.ts"
import { showingViews, showsViews } from "../../../src/mcp/views.ts"
import { posted } from "./posted.ts"

const message = {
  jsonrpc: "2.0" as const,
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "x", version: "1" } },
}

it("N1: an initialize that is refused leaves no session, and closes no other one", async () => {
  const closed: string[] = []
  let made = 0
  const sessions = new TransportSessions({
    most: 1,
    sign: () => "s",
    make: () => {
      const name = `session ${++made}`
      return {
        server: new McpServer({ name, version: "1" }).server,
        close: () => void closed.push(name),
        restore: async () => {},
        forget: () => {},
        run: async () => ({ status: 500 }),
      }
    },
  })
  const all = "application/json, text/event-stream"
  const begin = async (accept: string) => (await sessions.handle(posted({ accept }), message)).status
  expect(await begin(all)).toBe(200)
  expect(await begin("application/json")).toBe(406)
  expect(closed).toEqual(["session 2"])
  expect(await begin(all)).toBe(200)
  expect(closed).toEqual(["session 2", "session 1"])
  sessions.close()
})

it("N1: a session that an earlier server began knows whether its client shows views", async () => {
  let shown: boolean | undefined
  const server = () =>
    new TransportSessions({
      most: 1,
      sign: () => "s",
      make: () => {
        const { server } = new McpServer({ name: "x", version: "1" }, { capabilities: { tools: {} } })
        server.setRequestHandler("tools/list", () => {
          shown = showsViews(server.getClientCapabilities())
          return { tools: [] }
        })
        return { server, close: () => {}, restore: async () => {}, forget: () => {}, run: async () => ({ status: 500 }) }
      },
    })
  const list = { jsonrpc: "2.0" as const, id: 2, method: "tools/list", params: {} }
  for (const capabilities of [{}, showingViews]) {
    const earlier = server()
    const { headers } = await earlier.handle(posted(), { ...message, params: { ...message.params, capabilities } })
    const id = new Map(headers).get("mcp-session-id")!
    earlier.close()
    const later = server()
    expect((await later.handle(posted({ "mcp-session-id": id }), list)).status).toBe(200)
    await expect.poll(() => shown).toBe(capabilities === showingViews)
    shown = undefined
    later.close()
  }
})
