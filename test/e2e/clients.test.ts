/** The built server through the real clients of both SDK lines and both protocol eras: the same session of work each time. */
import { Client as ModernClient } from "@modelcontextprotocol/client"
import { StdioClientTransport as ModernTransport } from "@modelcontextprotocol/client/stdio"
import { Client as LegacyClient } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport as LegacyTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { describe, expect, it, onTestFinished } from "vitest"
import { tools } from "../../src/mcp/tools/index.ts"
import { engines, k3csharpBuild, serverFile } from "./server.ts"

const info = { name: "test", version: "1" }

interface AnyClient {
  readonly listTools: () => Promise<{ tools: readonly { name: string }[] }>
  readonly callTool: (params: { name: string; arguments: object }) => Promise<any>
  readonly close: () => Promise<void>
}

const clients: readonly (readonly [string, (args: readonly string[]) => Promise<AnyClient>])[] = [
  [
    "client 2.4, initialize",
    async (args) => {
      const client = new ModernClient(info)
      await client.connect(new ModernTransport({ command: process.execPath, args: [serverFile, ...args], stderr: "ignore" }))
      return client as unknown as AnyClient
    },
  ],
  [
    "client 2.4, server/discover",
    async (args) => {
      const client = new ModernClient(info, { versionNegotiation: { mode: "auto" } })
      await client.connect(new ModernTransport({ command: process.execPath, args: [serverFile, ...args], stderr: "ignore" }))
      expect(client.getNegotiatedProtocolVersion()).toBe("2026-07-28")
      return client as unknown as AnyClient
    },
  ],
  [
    "sdk 1.32",
    async (args) => {
      const client = new LegacyClient(info)
      await client.connect(new LegacyTransport({ command: process.execPath, args: [serverFile, ...args], stderr: "ignore" }))
      return client as unknown as AnyClient
    },
  ],
]

describe.each(engines)("on %s", (engine, args) => {
  it.skipIf(engine === "k3csharp" && k3csharpBuild === undefined).each(clients)("M: %s works through a session", async (_, connect) => {
    const client = await connect(args)
    onTestFinished(() => client.close())
    const call = async (name: string, given: object = {}) => (await client.callTool({ name, arguments: given })).structuredContent

    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(tools.map(({ name }) => name))
    expect(await call("k_eval", { code: "a:42;\na" })).toMatchObject({ ok: true, output: expect.stringMatching(/^42\n?$/), generation: 1 })
    expect(await call("k_eval", { code: "1+`a" })).toMatchObject({ ok: false, error: { name: "type" } })
    expect(JSON.stringify(await call("k_inspect"))).toContain('"a"')
    expect(await call("k_status")).toMatchObject({ engine, generation: 1, stale: false })
    expect(await call("k_eval", { code: "while[1;zz:1]", timeout_ms: 300 })).toMatchObject({ ok: false })
    expect(await call("k_eval", { code: "2+2" })).toMatchObject({ ok: true, output: expect.stringMatching(/^4\n?$/) })
    const reloaded = await call("k_reload")
    expect(reloaded.generation).toBeGreaterThan(1)
    await call("k_reset")
    expect(await call("k_eval", { code: "a" })).toMatchObject({ ok: false, error: { name: "value" } })
  })
})
