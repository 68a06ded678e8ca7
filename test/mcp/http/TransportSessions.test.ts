/** The transport sessions of the older era, with servers of the SDK that have no tools. */
import { McpServer } from "@modelcontextprotocol/server"
import { expect, it } from "vitest"
import { TransportSessions } from "../../../src/mcp/http/TransportSessions.ts"
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
