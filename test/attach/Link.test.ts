/** N10: the console's connection, over a client whose requests succeed without a server. */
import { Client } from "@modelcontextprotocol/client"
import { afterEach, expect, it, vi } from "vitest"
import { Link } from "../../src/attach/Link.ts"

afterEach(() => void vi.restoreAllMocks())

it("N10 a connection that answers and cannot be followed is closed before the next one is made", async () => {
  const events: string[] = []
  const clients: Client[] = []
  let end = (): void => {}
  const gone = new Promise<void>((resolve) => (end = resolve))
  let isBack = (): void => {}
  const back = new Promise<void>((resolve) => (isBack = resolve))
  const noted = (client: Client, event: string) => {
    if (!clients.includes(client)) clients.push(client)
    events.push(`${event} ${clients.indexOf(client) + 1}`)
    return Promise.resolve()
  }
  vi.spyOn(Client.prototype, "connect").mockImplementation(function (this: Client) {
    return noted(this, "connect")
  })
  vi.spyOn(Client.prototype, "close").mockImplementation(function (this: Client) {
    return noted(this, "close")
  })
  vi.spyOn(Client.prototype, "listen").mockResolvedValue({ closed: gone } as never)
  const link = new Link({
    find: () => ({ url: "http://127.0.0.1:1/mcp", token: "t" }) as never,
    version: "1",
    watched: "k3://sessions/main/history",
    onChange: () => {},
    onLost: () => void events.push("lost"),
    onBack: async () => {
      if (clients.length === 2) throw new Error("not yet")
      isBack()
    },
  })
  await link.connect()
  await link.watch()
  end()
  await back
  expect(events).toEqual(["connect 1", "close 1", "lost", "connect 2", "close 2", "connect 3"])
})
