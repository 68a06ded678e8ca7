/**
 * The host as real clients meet it, in one process, over sessions that are made up.
 *
 * M1 both protocol eras are served, whatever a client opens with.
 * M2 standard output carries the protocol only, and every request that is not cancelled gets one reply.
 * M3 `tools/list` and `ping` never wait for a session.
 * M4 a cancel interrupts the evaluation, is not answered, and the server lives on.
 * M5 progress is told on a timer when a token was given, and not after the reply or a cancel.
 * M6 an error says what to do next; unknown arguments are refused by name.
 * M7 a healthy reply is small; what a host shows of a reply, text or structured content, says all.
 * M8 the end of either stream is an orderly end.
 */
import { Client as ModernClient } from "@modelcontextprotocol/client"
import { Client as LegacyClient } from "@modelcontextprotocol/sdk/client/index.js"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { fakeLayer } from "./fakeSessions.ts"
import { PipeClientTransport, startServer } from "./pipe.ts"

const info = { name: "test", version: "1" }

interface AnyClient {
  readonly listTools: () => Promise<{ tools: readonly any[] }>
  readonly callTool: (params: { name: string; arguments?: Record<string, unknown> }, ...rest: any[]) => Promise<any>
  readonly getInstructions: () => string | undefined
  readonly close: () => Promise<void>
}

type Connect = (transport: PipeClientTransport) => Promise<AnyClient>

const clients: readonly (readonly [string, Connect])[] = [
  [
    "client 2.4, initialize",
    async (transport) => {
      const client = new ModernClient(info)
      await client.connect(transport)
      return client as unknown as AnyClient
    },
  ],
  [
    "client 2.4, server/discover",
    async (transport) => {
      const client = new ModernClient(info, { versionNegotiation: { mode: { pin: "2026-07-28" } } })
      await client.connect(transport)
      expect(client.getNegotiatedProtocolVersion()).toBe("2026-07-28")
      return client as unknown as AnyClient
    },
  ],
  [
    "sdk 1.32",
    async (transport) => {
      const client = new LegacyClient(info)
      await client.connect(transport as never)
      return client as unknown as AnyClient
    },
  ],
]

describe.each(clients)("%s", (_, connect) => {
  it("M1: initializes, lists, evaluates", async () => {
    const { pipe } = startServer(fakeLayer())
    const client = await connect(new PipeClientTransport(pipe))
    expect(client.getInstructions()).toContain("K3")
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["k_eval", "k_inspect", "k_reload", "k_reset", "k_status"])
    for (let call = 0; call < 3; call++)
      expect(await client.callTool({ name: "k_eval", arguments: { code: "1+1" } })).toMatchObject({
        content: [{ type: "text", text: "2" }],
        structuredContent: { ok: true, output: "2", generation: 1 },
      })
  })
})
