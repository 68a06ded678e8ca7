/** N10: the console's connection, over a client whose requests succeed without a server. */
import { Client, SdkHttpError } from "@modelcontextprotocol/client"
import { afterEach, expect, it, vi } from "vitest"
import { ConsoleLink } from "../../src/attach/ConsoleLink.ts"

afterEach(() => void vi.restoreAllMocks())

/** A connection to a server that is always found; `parts` replace callbacks that do nothing. */
const linkWith = (parts: Partial<ConstructorParameters<typeof ConsoleLink>[0]>): ConsoleLink =>
  new ConsoleLink({
    find: () => ({ url: "http://127.0.0.1:1/mcp", token: "t" }) as never,
    version: "1",
    watched: "k3://sessions/main/history",
    onChange: () => {},
    onLost: () => {},
    onRefused: () => {},
    onBack: () => Promise.resolve(),
    ...parts,
  })

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
  const link = linkWith({
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

it("N10 a call that is under way when the connection is lost says that the server is gone", async () => {
  let end = (): void => {}
  const gone = new Promise<void>((resolve) => (end = resolve))
  let refuse: (error: Error) => void = () => {}
  vi.spyOn(Client.prototype, "connect").mockResolvedValue()
  vi.spyOn(Client.prototype, "listen").mockResolvedValue({ closed: gone } as never)
  vi.spyOn(Client.prototype, "callTool").mockReturnValue(new Promise<never>((_, reject) => (refuse = reject)))
  vi.spyOn(Client.prototype, "close").mockImplementation(async () => refuse(new Error("Connection closed")))
  const link = linkWith({})
  await link.connect()
  await link.watch()
  const answer = link.call("k_eval", {})
  end()
  await expect(answer).rejects.toThrow(/^The server is gone\.$/)
})

it("N10 a search says once that the server does not accept the token, and goes on", async () => {
  const events: string[] = []
  let end = (): void => {}
  const gone = new Promise<void>((resolve) => (end = resolve))
  let isBack = (): void => {}
  const back = new Promise<void>((resolve) => (isBack = resolve))
  let attempts = 0
  vi.spyOn(Client.prototype, "connect").mockImplementation(async () => {
    attempts++
    if (attempts === 2 || attempts === 3) throw new SdkHttpError("HTTP" as never, "401", { status: 401 })
  })
  vi.spyOn(Client.prototype, "close").mockResolvedValue()
  vi.spyOn(Client.prototype, "listen").mockResolvedValue({ closed: gone } as never)
  const link = linkWith({
    onLost: () => void events.push("lost"),
    onRefused: (problem) => void events.push(problem),
    onBack: async () => isBack(),
  })
  await link.connect()
  await link.watch()
  end()
  await back
  expect(events).toEqual(["lost", expect.stringContaining("does not take the token in K3_TOKEN")])
})
