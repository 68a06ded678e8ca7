/** A host that shares no code with the SDK: `@ai-sdk/mcp`, which opens with `server/discover`, ends with SIGTERM and passes on no environment. */
import { experimental_createMCPClient as createMCPClient } from "@ai-sdk/mcp"
import { Experimental_StdioMCPTransport as StdioTransport } from "@ai-sdk/mcp/mcp-stdio"
import { expect, it, onTestFinished } from "vitest"
import { tools } from "../../src/mcp/tools/index.ts"
import { engines, gone, k3csharpBuild, serverFile } from "../e2e/server.ts"

it.each(engines.filter(([engine]) => engine === "embedded" || k3csharpBuild !== undefined))(
  "M1 M8 @ai-sdk/mcp works through a session on %s, and leaves no interpreter behind",
  async (engine, args) => {
    const client = await createMCPClient({ transport: new StdioTransport({ command: process.execPath, args: [serverFile, ...args] }) })
    onTestFinished(() => client.close())
    const given = await client.tools()
    expect(Object.keys(given).sort()).toEqual(tools.map(({ name }) => name))
    const call = async (name: string, input: object = {}): Promise<any> =>
      ((await given[name]!.execute(input, { toolCallId: name, messages: [] })) as { structuredContent: unknown }).structuredContent
    expect(await call("k_eval", { code: "a:42;\na" })).toMatchObject({ ok: true, output: expect.stringMatching(/^42/) })
    expect(await call("k_eval", { code: "1+`a" })).toMatchObject({ ok: false, error: { name: "type" } })
    expect(await call("k_eval", { code: "while[1;zz:1]", timeout_ms: 300 })).toMatchObject({ ok: false, error: { name: "deadline" } })
    expect(await call("k_eval", { code: "1+1" })).toMatchObject({ ok: true, output: expect.stringMatching(/^2/) })
    const { pid, ...status } = await call("k_status")
    expect(status).toMatchObject({ engine })
    await client.close()
    await gone(pid)
  },
)
