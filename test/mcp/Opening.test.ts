/** M1: the answer before the SDK is loaded equals the SDK's own, and is sent once. */
import { expect, it, vi } from "vitest"
import { fakeLayer } from "./fakeSessions.ts"
import { startServer } from "./pipe.ts"

const client = { name: "test", version: "1" }
const initialize = (protocolVersion: string, rest: object = {}) => ({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion, capabilities: {}, clientInfo: client, ...rest },
})
const discover = (rest: object = {}) => ({
  jsonrpc: "2.0",
  id: 1,
  method: "server/discover",
  params: {
    _meta: {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": {},
      "io.modelcontextprotocol/clientInfo": client,
      ...rest,
    },
  },
})

/** The reply to the first message, and whether it came before the SDK was loaded; the reply to a list shows that no second one follows. */
const open = async (message: { readonly method: string; readonly params: object }) => {
  const { pipe } = startServer(fakeLayer())
  const list = { jsonrpc: "2.0", id: 2, method: "tools/list", params: message.method === "initialize" ? {} : message.params }
  pipe.push(`${JSON.stringify(message)}\n`)
  const atOnce = pipe.messages.length === 1
  pipe.push(`${JSON.stringify(list)}\n`)
  await vi.waitFor(() => expect(pipe.messages.some(({ id }) => id === 2)).toBe(true), 10_000)
  expect(pipe.messages.map(({ id }) => id)).toEqual([1, 2])
  return { atOnce, result: pipe.messages[0].result }
}

it.each(["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"])("M1, M2: initialize %s", async (version) => {
  const plain = await open(initialize(version))
  const judged = await open(initialize(version, { _meta: {} }))
  expect([plain.atOnce, judged.atOnce]).toEqual([true, false])
  expect(plain.result).toEqual(judged.result)
  expect(plain.result.protocolVersion).toBe(version)
})

it("M1, M2: server/discover", async () => {
  const plain = await open(discover())
  const judged = await open(discover({ progressToken: 7 }))
  expect([plain.atOnce, judged.atOnce]).toEqual([true, false])
  expect(plain.result).toEqual(judged.result)
})

it("M1: an unknown version is negotiated by the SDK", async () => {
  const { atOnce, result } = await open(initialize("1999-01-01"))
  expect(atOnce).toBe(false)
  expect(result.protocolVersion).toBe("2025-11-25")
})
