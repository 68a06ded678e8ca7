/** M1: the answer before the SDK is loaded equals the SDK's own, and is sent once. */
import * as Effect from "effect/Effect"
import { describe, expect, it, vi } from "vitest"
import { metaOf } from "../lib/modernRequest.ts"
import { fakeLayer, idle } from "./fakeSessions.ts"
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
    _meta: { ...metaOf({}, client), ...rest },
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

describe("messages that arrive before the SDK is loaded count as later ones do", () => {
  const push = (pipe: ReturnType<typeof startServer>["pipe"], ...messages: readonly object[]): void =>
    pipe.push(messages.map((each) => `${JSON.stringify({ jsonrpc: "2.0", ...each })}\n`).join(""))
  const listen = (id: number, uri: string) => ({
    ...discover(),
    id,
    method: "subscriptions/listen",
    params: { ...discover().params, notifications: { resourceSubscriptions: [uri] } },
  })

  it("M15: a request to listen", async () => {
    let now = idle
    const { pipe } = startServer(fakeLayer({ status: () => Effect.sync(() => now) }))
    push(pipe, discover(), listen(2, "k3://status"), listen(3, "k3://tools/kf_no"))
    const of = (method: string) => pipe.messages.filter((each) => each.method === method)
    await vi.waitFor(() => expect(of("notifications/subscriptions/acknowledged").length).toBe(1), 10_000)
    await vi.waitFor(() => expect(pipe.messages.find(({ id }) => id === 3)?.error.message).toContain("There is no k3://tools/kf_no now"))
    now = { ...idle, generation: 2 }
    await vi.waitFor(() => expect(of("notifications/resources/updated").length).toBe(1), 5000)
  })

  it("M2: a cancel, after which the request's id is free", async () => {
    const { pipe } = startServer(fakeLayer({ session: { evaluate: () => Effect.never } }))
    const call = { id: 2, method: "tools/call", params: { name: "k_eval", arguments: { code: "1" } } }
    push(pipe, initialize("2025-11-25"), call, { method: "notifications/cancelled", params: { requestId: 2 } }, { id: 3, method: "ping" })
    await vi.waitFor(() => expect(pipe.messages.map(({ id }) => id)).toEqual([1, 3]), 10_000)
    push(pipe, { id: 2, method: "ping" })
    await vi.waitFor(() => expect(pipe.messages.find(({ id }) => id === 2)?.result).toEqual({}))
  })
})
