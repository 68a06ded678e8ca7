/**
 * A host that shares no code with the SDK: `@ai-sdk/mcp`, which opens with `server/discover`, ends with SIGTERM and passes on no
 * environment; over HTTP a host that speaks of its own accord what the protocol says, and no more.
 */
import { experimental_createMCPClient as createMCPClient } from "@ai-sdk/mcp"
import { Experimental_StdioMCPTransport as StdioTransport } from "@ai-sdk/mcp/mcp-stdio"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { tools } from "../../src/mcp/tools/index.ts"
import { alone, headersOf } from "../e2e/listening.ts"
import { engines, gone, k3csharpBuild, scratchFolder, serverFile } from "../e2e/server.ts"

type Host = Awaited<ReturnType<typeof createMCPClient>>

/** Calls a tool; gives its structured content. */
const caller = async (client: Host) => {
  const given = await client.tools()
  expect(Object.keys(given).sort()).toEqual(tools.map(({ name }) => name))
  return async (name: string, input: object = {}): Promise<any> =>
    ((await given[name]!.execute(input, { toolCallId: name, messages: [] })) as { structuredContent: unknown }).structuredContent
}

/** Through a session; gives the interpreter's process. */
const walk = async (client: Host, engine: string): Promise<number> => {
  const call = await caller(client)
  expect(await call("k_eval", { code: "a:42;\na" })).toMatchObject({ ok: true, output: expect.stringMatching(/^42/) })
  expect(await call("k_eval", { code: "1+`a" })).toMatchObject({ ok: false, error: { name: "type" } })
  expect(await call("k_eval", { code: "while[1;zz:1]", timeout_ms: 300 })).toMatchObject({ ok: false, error: { name: "deadline" } })
  expect(await call("k_eval", { code: "1+1" })).toMatchObject({ ok: true, output: expect.stringMatching(/^2/) })
  const { pid, ...status } = await call("k_status")
  expect(status).toMatchObject({ engine })
  return pid
}

describe.each(engines.filter(([engine]) => engine === "embedded" || k3csharpBuild !== undefined))("@ai-sdk/mcp on %s", (engine, args) => {
  it("M1 M8 works through a session over stdio, and leaves no interpreter behind", async () => {
    const client = await createMCPClient({ transport: new StdioTransport({ command: process.execPath, args: [serverFile, ...args] }) })
    onTestFinished(() => client.close())
    const pid = await walk(client, engine)
    await client.close()
    await gone(pid)
  })

  it("N1 works through a session over HTTP, and the next one finds what it left", async () => {
    const to = await alone(...args, "--state-dir", join(scratchFolder(), "state"))
    const transport = { type: "http", url: to.url, headers: headersOf(to) } as const
    const client = await createMCPClient({ transport })
    const pid = await walk(client, engine)
    await (
      await caller(client)
    )("k_eval", { code: "b:43" })
    await client.close()
    const next = await createMCPClient({ transport })
    onTestFinished(() => next.close())
    const call = await caller(next)
    expect(await call("k_eval", { code: "b" })).toMatchObject({ ok: true, output: expect.stringMatching(/^43/) })
    expect(await call("k_status")).toMatchObject({ pid })
    await expect(createMCPClient({ transport: { type: "http", url: to.url } })).rejects.toThrow("401")
  })
})
