/**
 * The host with real clients in the same process, over fake sessions.
 *
 * M1 both protocol eras are served, whatever the client's first message.
 * M2 standard output carries only the protocol, and every request that is not cancelled gets one reply.
 * M3 `tools/list` and `ping` never wait for a session.
 * M4 a cancel interrupts the evaluation, is not answered, and the server lives on.
 * M5 progress is sent on a timer if the call has a progress token, and not after the reply or a cancel (see callTool.test.ts).
 * M6 an error says what to do next; unknown arguments are refused by name.
 * M7 a usual reply is small; text and structured content each say everything, since a host may show only one of them.
 * M8 the end of either stream is an orderly end.
 */
import { Client as ModernClient } from "@modelcontextprotocol/client"
import { Client as LegacyClient } from "@modelcontextprotocol/sdk/client/index.js"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { tools } from "../../src/mcp/tools/index.ts"
import { DeadlineExceeded } from "../../src/session/SessionError.ts"
import { metaOf } from "../lib/modernRequest.ts"
import { evaluated, fakeLayer, idle } from "./fakeSessions.ts"
import { PipeClientTransport, startServer, type Pipe } from "./pipe.ts"
import { deadline } from "./replies.ts"

const info = { name: "test", version: "1" }

interface AnyClient {
  readonly listTools: () => Promise<{ tools: readonly any[] }>
  readonly callTool: (params: { name: string; arguments?: Record<string, unknown> }, ...rest: any[]) => Promise<any>
  readonly getInstructions: () => string | undefined
}

/** Calls a tool; the two lines of clients take the options at different positions. */
type Calls = (client: AnyClient, given: Record<string, unknown>, options?: object) => Promise<any>
const modernCall: Calls = (client, given, options) => client.callTool({ name: "k_eval", arguments: given }, options)
const legacyCall: Calls = (client, given, options) => client.callTool({ name: "k_eval", arguments: given }, undefined, options)

const clients: readonly (readonly [string, Calls, (transport: PipeClientTransport) => Promise<AnyClient>])[] = [
  [
    "client 2.4, initialize",
    modernCall,
    async (transport) => {
      const client = new ModernClient(info)
      await client.connect(transport)
      return client
    },
  ],
  [
    "client 2.4, server/discover",
    modernCall,
    async (transport) => {
      const client = new ModernClient(info, { versionNegotiation: { mode: { pin: "2026-07-28" } } })
      await client.connect(transport)
      expect(client.getNegotiatedProtocolVersion()).toBe("2026-07-28")
      return client
    },
  ],
  [
    "sdk 1.32",
    legacyCall,
    async (transport) => {
      const client = new LegacyClient(info)
      await client.connect(transport)
      return client
    },
  ],
]

/** Counts begun and interrupted evaluations. */
const endless = () => {
  const begun = Deferred.makeUnsafe<void>()
  const interrupted = Deferred.makeUnsafe<void>()
  const evaluate = () =>
    Effect.andThen(Deferred.succeed(begun, undefined), Effect.never).pipe(
      Effect.onInterrupt(() => Deferred.succeed(interrupted, undefined)),
    )
  return {
    evaluate,
    begun: () => Effect.runPromise(Deferred.await(begun)),
    interrupted: () => Effect.runPromise(Deferred.await(interrupted)),
  }
}

describe.each(clients)("%s", (_, call, connect) => {
  it("M1, M3: initializes, lists tools and evaluates, in the first and in later calls", async () => {
    const { pipe } = startServer(fakeLayer())
    const client = await connect(new PipeClientTransport(pipe))
    expect(client.getInstructions()).toContain("K3")
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(tools.map(({ name }) => name))
    const replies = []
    for (let turn = 0; turn < 3; turn++) replies.push(await call(client, { code: "1+1" }))
    const text = [{ type: "text", text: "2" }]
    expect(replies[0]).toMatchObject({ content: text, structuredContent: { ok: true, output: "2", generation: 1 } })
    expect(replies.slice(1)).toEqual([replies[0], replies[0]])
    expect(replies[0]).not.toHaveProperty("isError")
  })

  it("M7: the reply to 1+1 takes at most 250 bytes", async () => {
    const { pipe } = startServer(fakeLayer())
    const transport = new PipeClientTransport(pipe)
    const client = await connect(transport)
    for (let turn = 0; turn < 2; turn++) {
      await call(client, { code: "1+1" })
      const { result } = transport.received.at(-1)
      expect(JSON.stringify(result).length).toBeLessThanOrEqual(250)
    }
  })

  it("M6: a failure of the session is an error, in the first call and in later ones, and satisfies the output schema", async () => {
    const error = new DeadlineExceeded(deadline)
    const { pipe } = startServer(fakeLayer({ session: { evaluate: () => Effect.fail(error) } }))
    const client = await connect(new PipeClientTransport(pipe))
    await client.listTools()
    for (let turn = 0; turn < 2; turn++)
      expect(await call(client, { code: "5\nwhile[1;x:1]" })).toMatchObject({
        isError: true,
        structuredContent: { ok: false, output: "5\n", error: { name: "deadline" }, generation: 1 },
      })
  })

  it("M4, peers 7: a cancel interrupts the evaluation, in the first call and in later ones, and the server lives on", async () => {
    let run = endless()
    const { pipe } = startServer(
      fakeLayer({ session: { evaluate: ({ code }) => (code === "1+1" ? Effect.succeed(evaluated("2")) : run.evaluate()) } }),
    )
    const transport = new PipeClientTransport(pipe)
    const client = await connect(transport)
    for (let turn = 0; turn < 2; turn++) {
      run = endless()
      const abort = new AbortController()
      const before = transport.received.length
      const cancelled = call(client, { code: "while[1;x:1]" }, { signal: abort.signal }).catch((error: unknown) => error)
      await run.begun()
      abort.abort()
      await run.interrupted()
      expect(await cancelled).toBeInstanceOf(Error)
      expect(await call(client, { code: "1+1" })).toMatchObject({ structuredContent: { output: "2" } })
      expect(transport.received.length).toBe(before + 1)
    }
  })

  it("peers 2: while one session evaluates, the list, the status and another call are answered", async () => {
    const run = endless()
    const busy = { ...idle, running: { statement: "while[1;x:1]", forMs: 61_000, waiting: 0 } }
    const { pipe } = startServer(
      fakeLayer({
        status: () => Effect.succeed(busy),
        session: { evaluate: ({ code }) => (code === "1+1" ? Effect.succeed(evaluated("2")) : run.evaluate()) },
      }),
    )
    const client = await connect(new PipeClientTransport(pipe))
    void call(client, { code: "while[1;x:1]" }).catch(() => {})
    await run.begun()
    expect((await client.listTools()).tools.length).toBe(tools.length)
    expect((await client.callTool({ name: "k_status" })).structuredContent.running).toEqual({
      statement: "while[1;x:1]",
      for_ms: 61_000,
      waiting: 0,
    })
    expect(await call(client, { code: "1+1" })).toMatchObject({ structuredContent: { output: "2" } })
  })
})

const raw = (pipe: Pipe) => {
  const sent = (id: unknown): Promise<any> =>
    new Promise((resolve) => {
      const look = (): void => {
        const found = pipe.messages.find((each) => each.id === id)
        if (found !== undefined) resolve(found)
      }
      pipe.onWritten = look
      look()
    })
  return {
    send: (message: object): void => pipe.push(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`),
    sent,
    request: (id: number, method: string, params: object = {}): Promise<any> => {
      pipe.push(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`)
      return sent(id)
    },
  }
}

const opening = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: info }
const envelope = metaOf({}, info)

describe("a raw client", () => {
  it("M1: an unknown method before initialize gets -32601, and initialize works afterwards", async () => {
    const { request } = raw(startServer(fakeLayer()).pipe)
    expect((await request(1, "no/such")).error.code).toBe(-32601)
    expect((await request(2, "initialize", opening)).result.serverInfo).toEqual({ name: "k3-mcp", version: "0.0.0" })
  })

  it("M1: a modern client may call at once, and later replies have the same fields as the first", async () => {
    const { request } = raw(startServer(fakeLayer()).pipe)
    const params = { name: "k_eval", arguments: { code: "1+1" }, _meta: envelope }
    const first = await request(1, "tools/call", params)
    const second = await request(2, "tools/call", params)
    expect(first.result).toMatchObject({ resultType: "complete", structuredContent: { output: "2" } })
    expect(second.result).toEqual(first.result)
    const bad = { name: "k_eval", arguments: { code: "1+1" } }
    expect((await request(3, "tools/call", bad)).error.code).toBe(-32602)
  })

  it("M1: a legacy client may call without initialize", async () => {
    const { request } = raw(startServer(fakeLayer()).pipe)
    expect((await request(1, "tools/call", { name: "k_eval", arguments: { code: "1+1" } })).result.structuredContent.output).toBe("2")
  })

  it("M6: an unknown tool is -32602, and the error names the existing tools", async () => {
    const { request } = raw(startServer(fakeLayer()).pipe)
    await request(1, "initialize", opening)
    for (const id of [2, 3]) {
      const { error } = await request(id, "tools/call", { name: "k_evil" })
      expect(error).toMatchObject({ code: -32602, message: expect.stringContaining("k_eval") })
    }
  })

  it.each(["resources/read", "resources/subscribe"])(
    "M6: the error of %s for an unknown address says where the known ones are",
    async (method) => {
      const { request } = raw(startServer(fakeLayer()).pipe)
      await request(1, "initialize", opening)
      expect((await request(2, method, { uri: "k3://nosuch" })).error).toMatchObject({
        code: -32602,
        message: "Resource not found: k3://nosuch. resources/list and resources/templates/list give those there are",
        data: { uri: "k3://nosuch" },
      })
    },
  )

  it.each([
    ["arguments a text", { name: "k_eval", arguments: "1+1" }],
    ["no name", { arguments: {} }],
    ["name a number", { name: 3 }],
  ])("M2: a call with %s gets an error", async (_, params) => {
    const { request } = raw(startServer(fakeLayer()).pipe)
    await request(1, "initialize", opening)
    await request(2, "tools/call", { name: "k_eval", arguments: { code: "1+1" } })
    expect((await request(3, "tools/call", params)).error.code).toBe(-32602)
  })

  it("M2: a request with the id of a running one is refused", async () => {
    const run = endless()
    const { pipe } = startServer(
      fakeLayer({ session: { evaluate: ({ code }) => (code === "1+1" ? Effect.succeed(evaluated("2")) : run.evaluate()) } }),
    )
    const { request, send } = raw(pipe)
    await request(1, "tools/call", { name: "k_eval", arguments: { code: "1+1" } })
    send({ id: 2, method: "tools/call", params: { name: "k_eval", arguments: { code: "while[1;x:1]" } } })
    await run.begun()
    expect((await request(2, "tools/call", { name: "k_eval", arguments: { code: "1+1" } })).error.code).toBe(-32600)
  })

  it("M2: a request with the name of the cancel notification gets an error, and cancels nothing", async () => {
    const run = endless()
    const { pipe } = startServer(
      fakeLayer({ session: { evaluate: ({ code }) => (code === "1+1" ? Effect.succeed(evaluated("2")) : run.evaluate()) } }),
    )
    const { request, send } = raw(pipe)
    await request(1, "tools/call", { name: "k_eval", arguments: { code: "1+1" } })
    send({ id: 2, method: "tools/call", params: { name: "k_eval", arguments: { code: "while[1;x:1]" } } })
    await run.begun()
    expect((await request(3, "notifications/cancelled", { requestId: 2 })).error.code).toBe(-32601)
    expect((await request(2, "ping")).error.message).toContain("still running")
  })

  it("M15: a cancelled request to listen is not begun in the place of a later one with its id", async () => {
    const { pipe } = startServer(fakeLayer({ status: () => Effect.delay(Effect.succeed(idle), 50) }))
    const { request } = raw(pipe)
    const listen = (...resourceSubscriptions: readonly string[]) =>
      JSON.stringify({
        jsonrpc: "2.0",
        id: 2,
        method: "subscriptions/listen",
        params: { _meta: envelope, notifications: { resourceSubscriptions } },
      })
    const cancel = JSON.stringify({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 2 } })
    await request(1, "tools/list", { _meta: envelope })
    pipe.push(`${listen("k3://status")}\n${cancel}\n${listen("k3://status", "k3://sessions")}\n`)
    await Effect.runPromise(Effect.sleep(200))
    expect(pipe.messages.flatMap(({ params }) => params?.notifications ?? [])).toEqual([
      { resourceSubscriptions: ["k3://status", "k3://sessions"] },
    ])
  })

  it("M2: a defect of the server is a reply that says so", async () => {
    const { pipe } = startServer(fakeLayer({ session: { evaluate: () => Effect.die(new Error("out of cheese")) } }))
    const { request } = raw(pipe)
    for (const id of [1, 2])
      expect((await request(id, "tools/call", { name: "k_eval", arguments: { code: "1+1" } })).result).toMatchObject({
        isError: true,
        structuredContent: { ok: false, error: { name: "internal", text: expect.stringMatching(/out of cheese.*k_status/s) } },
      })
  })

  it("M2: a defect in the check of a request to listen is an error that says so", async () => {
    const { request } = raw(startServer(fakeLayer({ status: () => Effect.die(new Error("out of cheese")) })).pipe)
    await request(1, "tools/list", { _meta: envelope })
    const params = { _meta: envelope, notifications: { resourceSubscriptions: ["k3://status"] } }
    expect((await request(2, "subscriptions/listen", params)).error).toMatchObject({
      code: -32603,
      message: expect.stringContaining("out of cheese"),
    })
  })

  it("M3: ping is answered before anything else", async () => {
    expect((await raw(startServer(fakeLayer()).pipe).request(1, "ping")).result).toEqual({})
  })
})

describe("M8: the end", () => {
  it.each(["end", "gone"] as const)("%s of a stream interrupts the running evaluation, and serve ends", async (how) => {
    const runs = [endless(), endless()]
    let next = 0
    const { pipe, ended } = startServer(fakeLayer({ session: { evaluate: () => runs[next++]!.evaluate() } }))
    const { send } = raw(pipe)
    send({ id: 1, method: "tools/call", params: { name: "k_eval", arguments: { code: "while[1;x:1]" } } })
    await runs[0]!.begun()
    send({ id: 2, method: "tools/call", params: { name: "k_eval", arguments: { code: "while[1;x:1]" } } })
    await runs[1]!.begun()
    pipe[how]()
    await Promise.all(runs.map((run) => run.interrupted()))
    await ended
    expect(pipe.messages).toEqual([])
  })

  it("of input before the first message ends serve", async () => {
    const { pipe, ended } = startServer(fakeLayer())
    pipe.end()
    await ended
    expect(pipe.written).toBe("")
  })
})
