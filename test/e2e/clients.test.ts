/** The built server through the real clients of both SDK lines and both protocol eras, over stdio and over HTTP: the same session of work each time. */
import { join } from "node:path"
import { Client as ModernClient, type ClientOptions, StreamableHTTPClientTransport as ModernHttp } from "@modelcontextprotocol/client"
import { StdioClientTransport as ModernStdio } from "@modelcontextprotocol/client/stdio"
import { Client as LegacyClient } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport as LegacyStdio } from "@modelcontextprotocol/sdk/client/stdio.js"
import { StreamableHTTPClientTransport as LegacyHttp } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { describe, expect, it, onTestFinished } from "vitest"
import { tools } from "../../src/mcp/tools/index.ts"
import { alone, headersOf, type Listening } from "./listening.ts"
import { engines, k3csharpBuild, scratchFolder, serverFile } from "./server.ts"
import { shared } from "./shared.ts"

const info = { name: "test", version: "1" }

interface AnyClient {
  readonly listTools: () => Promise<{ tools: readonly { name: string }[] }>
  readonly callTool: (params: { name: string; arguments: object }) => Promise<any>
  readonly close: () => Promise<void>
}

/** The ways in which a client connects: to a server that it starts, or to one that listens. */
interface Ways<Way> {
  readonly stdio: (program: { command: string; args: string[]; stderr: "ignore" }) => Way
  readonly http: (url: URL, options: { requestInit: { headers: Record<string, string> } }) => Way
}

const modern: Ways<ModernStdio | ModernHttp> = {
  stdio: (program) => new ModernStdio(program),
  http: (url, options) => new ModernHttp(url, options),
}
const legacy: Ways<LegacyStdio | LegacyHttp> = {
  stdio: (program) => new LegacyStdio(program),
  http: (url, options) => new LegacyHttp(url, options),
}

/** The way to a server, for a client of either SDK. */
type To = <Way>(ways: Ways<Way>) => Way

const toStdio =
  (args: readonly string[]): To =>
  ({ stdio }) =>
    stdio({ command: process.execPath, args: [serverFile, ...args], stderr: "ignore" })

const toHttp =
  (to: Listening): To =>
  ({ http }) =>
    http(new URL(to.url), { requestInit: { headers: headersOf(to) } })

const modernClient = async (way: ModernStdio | ModernHttp, options: ClientOptions, version: string): Promise<AnyClient> => {
  const client = new ModernClient(info, options)
  await client.connect(way)
  expect(client.getNegotiatedProtocolVersion()).toBe(version)
  return client as unknown as AnyClient
}

const clients: readonly (readonly [string, (to: To) => Promise<AnyClient>])[] = [
  ["client 2.4, initialize", (to) => modernClient(to(modern), {}, "2025-11-25")],
  ["client 2.4, server/discover", (to) => modernClient(to(modern), { versionNegotiation: { mode: "auto" } }, "2026-07-28")],
  [
    "sdk 1.32",
    async (to) => {
      const client = new LegacyClient(info)
      await client.connect(to(legacy))
      return client as unknown as AnyClient
    },
  ],
]

const cases = (["stdio", "HTTP"] as const).flatMap((by) => clients.map(([name, connect]) => [name, by, connect] as const))

describe.each(engines)("on %s", (engine, args) => {
  const listening = shared(() => alone(...args, "--state-dir", join(scratchFolder(), "state")))

  it.skipIf(engine === "k3csharp" && k3csharpBuild === undefined).each(cases)(
    "M N1 %s over %s works through a session",
    async (name, by, connect) => {
      const client = await connect(by === "stdio" ? toStdio(args) : toHttp(await listening()))
      onTestFinished(() => client.close())
      const session = name.replaceAll(/\W+/g, "-")
      const call = async (tool: string, given: object = {}) =>
        (await client.callTool({ name: tool, arguments: { session, ...given } })).structuredContent

      expect((await client.listTools()).tools.map((each) => each.name)).toEqual(tools.map((each) => each.name))
      expect(await call("k_eval", { code: "a:42;\na" })).toMatchObject({
        ok: true,
        output: expect.stringMatching(/^42\n?$/),
        generation: 1,
      })
      expect(await call("k_eval", { code: "1+`a" })).toMatchObject({ ok: false, error: { name: "type" } })
      expect(JSON.stringify(await call("k_inspect"))).toContain('"a"')
      expect(await call("k_status")).toMatchObject({ engine, generation: 1, stale: false })
      expect(await call("k_eval", { code: "while[1;zz:1]", timeout_ms: 300 })).toMatchObject({ ok: false })
      expect(await call("k_eval", { code: "2+2" })).toMatchObject({ ok: true, output: expect.stringMatching(/^4\n?$/) })
      const reloaded = await call("k_reload")
      expect(reloaded.generation).toBeGreaterThan(1)
      await call("k_reset")
      expect(await call("k_eval", { code: "a" })).toMatchObject({ ok: false, error: { name: "value" } })
    },
  )
})
