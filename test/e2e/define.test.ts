/**
 * Tools made of K functions on the built server, through the real clients of both SDK lines and both protocol eras.
 *
 * C1 JSON goes in and comes out. C2 a refused definition changes nothing. C3 the list of tools is true and its changes are notified. C4 a call is
 * supervised like any evaluation. C5 definitions outlive the server.
 */
import { Client as ModernClient } from "@modelcontextprotocol/client"
import { StdioClientTransport as ModernTransport } from "@modelcontextprotocol/client/stdio"
import { Client as LegacyClient } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport as LegacyTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js"
import * as fc from "fast-check"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { asRead, json } from "../define/values.ts"
import { begin, engines, k3csharpBuild, type RawServer, scratchFolder, serverFile } from "./server.ts"
import { sharedServer } from "./sharedServer.ts"

const info = { name: "test", version: "1" }

interface AnyClient {
  readonly listTools: () => Promise<{ tools: readonly any[] }>
  readonly callTool: (params: { name: string; arguments: object }) => Promise<any>
  readonly close: () => Promise<void>
}

type Connect = (args: readonly string[], changed: () => void) => Promise<AnyClient>

const command = (args: readonly string[]) => ({ command: process.execPath, args: [serverFile, ...args], stderr: "ignore" as const })
const listChanged = (changed: () => void) => ({ tools: { autoRefresh: false, debounceMs: 0, onChanged: changed } })

const clients: readonly (readonly [string, Connect])[] = [
  [
    "client 2.4, initialize",
    async (args, changed) => {
      const client = new ModernClient(info, { listChanged: listChanged(changed) })
      await client.connect(new ModernTransport(command(args)))
      return client as unknown as AnyClient
    },
  ],
  [
    "client 2.4, server/discover",
    async (args, changed) => {
      const client = new ModernClient(info, { versionNegotiation: { mode: "auto" }, listChanged: listChanged(changed) })
      await client.connect(new ModernTransport(command(args)))
      expect(client.getNegotiatedProtocolVersion()).toBe("2026-07-28")
      return client as unknown as AnyClient
    },
  ],
  [
    "sdk 1.32",
    async (args, changed) => {
      const client = new LegacyClient(info)
      client.setNotificationHandler(ToolListChangedNotificationSchema, changed)
      await client.connect(new LegacyTransport(command(args)))
      return client as unknown as AnyClient
    },
  ],
]

/** A client, and the notifications that it got. */
const connected = async (connect: Connect, args: readonly string[]) => {
  const heard = { times: 0, wake: (): void => {} }
  const client = await connect(args, () => {
    heard.times++
    heard.wake()
  })
  onTestFinished(() => client.close())
  /** Checks that exactly so many changes were notified. */
  const told = async (times: number): Promise<void> => {
    while (heard.times < times) await new Promise<void>((resolve) => (heard.wake = resolve))
    expect(heard.times).toBe(times)
  }
  const call = async (name: string, given: object = {}) => {
    const { content, structuredContent } = await client.callTool({ name, arguments: given })
    return { text: content[0].text as string, ...structuredContent }
  }
  const defined = async () => (await client.listTools()).tools.filter(({ name }) => name.startsWith("kf_"))
  return { client, told, call, defined }
}

const mean = {
  action: "define",
  name: "mean",
  description: "The mean of numbers",
  code: "{[v] (+/v)%#v}",
  parameters: { v: "list of float: the numbers" },
  arguments: { v: [1, 2, 3, 4] },
  result: 2.5,
}

describe.each(engines)("on %s", (engine, args) => {
  const isThere = engine === "embedded" || k3csharpBuild !== undefined

  it.skipIf(!isThere).each(clients)(
    "C1 C3 C5: %s defines, is notified, lists, calls, defines anew, restarts, removes",
    async (_, connect) => {
      const state = join(scratchFolder(), "state")
      const first = await connected(connect, [...args, "--state-dir", state])
      expect(await first.defined()).toEqual([])
      expect(await first.call("k_define", mean)).toMatchObject({ ok: true, tool: "kf_mean", version: 1 })
      await first.told(1)
      expect(await first.defined()).toEqual([
        expect.objectContaining({
          name: "kf_mean",
          description: "The mean of numbers",
          inputSchema: {
            type: "object",
            properties: {
              v: { type: "array", items: { type: "number" }, description: "the numbers" },
              session: { type: "string", description: "default main" },
              timeout_ms: { type: "number", description: "deadline" },
            },
            required: ["v"],
            additionalProperties: false,
          },
          annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
        }),
      ])
      expect(await first.call("kf_mean", { v: [1, 2, 0.1] })).toEqual({ text: "1.0333333333333334", ok: true, value: 3.1 / 3 })
      expect(await first.call("k_define", { action: "run", name: "kf_mean", arguments: { v: "[1,2]" } })).toEqual({
        text: "1.5",
        ok: true,
        value: 1.5,
      })
      expect(await first.call("kf_mean", { w: [1] })).toMatchObject({ ok: false, error: { name: "arguments" } })

      const { arguments: ___, result: __, ...again } = { ...mean, code: "{[v] n:#v;(+/v)%n}" }
      expect(await first.call("k_define", again)).toMatchObject({ tool: "kf_mean", version: 2 })
      await first.told(2)
      expect((await first.call("k_define", { action: "source", name: "mean", version: 1 })).text).toContain(mean.code)
      await first.client.close()

      const second = await connected(connect, [...args, "--state-dir", state])
      expect((await second.defined()).map(({ name }) => name)).toEqual(["kf_mean"])
      expect(await second.call("kf_mean", { v: [3, 4] })).toMatchObject({ ok: true, value: 3.5 })
      const { tools } = await second.call("k_define", { action: "source", name: "mean" })
      expect(tools[0]).toMatchObject({ version: 2, versions: [1, 2], code: again.code })
      expect(await second.call("k_define", { action: "remove", name: "mean" })).toMatchObject({ ok: true, tool: "kf_mean" })
      await second.told(1)
      expect(await second.defined()).toEqual([])
      await expect(second.call("kf_mean", { v: [1] })).rejects.toThrow(/Unknown tool: kf_mean/)
    },
  )

  const test = it.skipIf(!isThere)
  const serverFor = sharedServer(args)
  const began = (server: RawServer) => {
    const call = async (name: string, given: object = {}) => {
      const { content, structuredContent, isError } = await server.call(name, given)
      return { text: content[0].text as string, ...structuredContent, ...(isError && { isError }) }
    }
    const define = (given: object) => call("k_define", { action: "define", ...given })
    return { server, call, define }
  }

  test("C2 a definition is told what k_validate warns of, and is made", async () => {
    const { define } = began(await serverFor("warned"))
    const reply = await define({ name: "same", code: "{[a;b] a==b}" })
    expect(reply).toMatchObject({
      ok: true,
      tool: "kf_same",
      notice: expect.stringMatching(/^Note: k_validate warns:\n1:9 warning glued-verbs: == /),
    })
    expect((await define({ name: "same", code: "{[a;b] a=b}" })).notice).toBeUndefined()
    const braces = await define({ name: "braces", code: "{[a]\n  a+1\n}" })
    if (engine === "embedded") expect(braces.notice).toContain("3:1 warning brace-line")
    else expect(braces.notice).toBeUndefined()
  })

  test("C1: every JSON value comes back from a tool unchanged", async () => {
    const { call, define } = began(await serverFor("values"))
    await define({ name: "echo", code: "{[a] a}" })
    await define({ name: "swap", code: "{[a;b] (b;a)}" })
    const values = fc.sample(json, { numRuns: 60, seed: 6 })
    const hostile = [
      '");.k.x:1;("',
      "\\",
      "\n\\\\\n",
      "\x01\x02\x03\x15\x1f",
      "}];.k.x:1;{[",
      " / comment",
      "é日🎉\0",
      "\r\n\\ls\r\n",
      [" /", "\\"],
      "x".repeat(2000),
    ]
    for (const value of [...values, ...hostile]) {
      if (value !== null || engine === "embedded") expect((await call("kf_echo", { a: value })).value).toEqual(asRead(value))
      expect((await call("kf_swap", { a: [value], b: { b: value } })).value).toEqual([{ b: asRead(value) }, [asRead(value)]])
    }
    expect((await call("k_inspect", {})).text).not.toMatch(/^x /m)
  })

  test("C1: a value that JSON cannot express is given as K prints it, with its path", async () => {
    const { call, define } = began(await serverFor("odd"))
    await define({ name: "odd", code: "{[n] (n;0I;(1;0i);0N)}" })
    expect(await call("kf_odd", { n: 1 })).toMatchObject({
      value: [1, "0I", [1, "0i"], null],
      notice: expect.stringContaining("/1, /2/1:"),
    })
    await define({ name: "big", code: "{[n] !n}" })
    const big = await call("kf_big", { n: 5000 })
    expect(big).toMatchObject({
      ok: true,
      truncated: { handle: expect.stringMatching(/^o\d+$/) },
      notice: expect.stringContaining("There is no JSON of it"),
    })
    expect(big).not.toHaveProperty("value")
    expect((await call("kf_big", { n: 1000 })).value).toHaveLength(1000)
  })

  test("C2: a wrong definition is refused with all its problems, and changes nothing", async () => {
    const { call, define } = began(await serverFor("refused"))
    const defined = await call("k_define", { action: "list" })
    for (const [given, words] of [
      [{ name: "k_eval", code: "{x}" }, /k_ are the server's own/],
      [{ name: "f", code: "{(x}" }, /unmatched/],
      [{ name: "f", code: "{x}", parameters: { session: "int" } }, /every tool has an argument of that name/],
      [{ name: "f", code: "{x+1}", arguments: { x: 1 }, result: 3 }, /expected 3, got 2/],
      [{ name: "f", code: "{x+`a}", arguments: { x: 1 }, result: 3 }, /expected 3, got .*error/i],
      [{ name: "f", code: "{[x] i:0;while[i<1;i:0];x}", arguments: { x: 1 }, result: 3, timeout_ms: 200 }, /expected 3, got .*deadline/i],
      [{ name: "f", code: "{x}", arguments: { y: 1 }, result: 3 }, /there is no argument y/],
      [{ name: "f", code: "{x}", result: 3 }, /both arguments and result/],
      [{ name: "f", code: "{x}", timeout_ms: -1, memory_mb: 0 }, /timeout_ms: more than 0\n.*memory_mb: more than 0/],
      [{ code: "{x}" }, /takes a name/],
      [{ name: "f" }, /takes the code/],
    ] as const) {
      const refused = await define(given)
      expect(refused).toMatchObject({ ok: false, isError: true })
      expect(refused.text).toMatch(words)
      expect(refused.text).toMatch(/k_define/)
    }
    expect(await call("k_define", { action: "list" })).toEqual(defined)
    expect(await call("k_define", { action: "run", name: "f" })).toMatchObject({ ok: false, error: { name: "tool" } })
    expect(await call("k_define", { action: "remove", name: "f" })).toMatchObject({ ok: false })
  })

  test("C4: an error of K, a deadline of the tool and a crash of the child are reported, and the tool goes on", async () => {
    const { call, define } = began(await serverFor("supervised"))
    await call("k_eval", { code: "keep:7" })
    await define({ name: "add", code: "{[a] a+keep}" })
    expect((await call("kf_add", { a: 1 })).value).toBe(8)
    expect(await call("kf_add", { a: "x" })).toMatchObject({
      ok: false,
      error: { text: expect.any(String), next: expect.stringContaining("k_define") },
    })
    await define({ name: "loop", code: "{[n] i:0;while[i<1;i:0];n}", timeout_ms: 300 })
    const late = await call("kf_loop", { n: 1 })
    expect(late).toMatchObject({ ok: false, isError: true, error: { name: "deadline" } })
    expect(late.text).toContain("Call kf_loop with something smaller, or give kf_loop a larger timeout_ms (up to ")
    expect((await call("kf_add", { a: 1 })).value).toBe(8)
    await define({ name: "die", code: engine === "embedded" ? "{[n] _exit n}" : "{[n] f:{[n] g n};g n}" })
    if (engine === "k3csharp") await call("k_eval", { code: "g:{[n] g n}" })
    const died = await call("kf_die", { n: 3 })
    expect(died).toMatchObject({ ok: false, isError: true, error: { name: "crash" } })
    expect((await call("kf_add", { a: 2 })).value).toBe(9)
    expect((await call("k_history", { action: "search", text: "keep}) . ,1" })).entries.length).toBeGreaterThan(0)
  })

  test("C4: a call runs in the session of its definition, or in the named one", async () => {
    const { call, define } = began(await begin(args))
    await call("k_eval", { code: "v:1", session: "a" })
    await call("k_eval", { code: "v:2", session: "b" })
    await define({ name: "look", code: "{[n] n+v}", session: "a" })
    expect((await call("kf_look", { n: 10 })).value).toBe(11)
    expect((await call("kf_look", { n: 10, session: "b" })).value).toBe(12)
    expect((await call("k_define", { action: "run", name: "look", arguments: { n: 10 } })).value).toBe(11)
    expect((await call("k_define", { action: "run", name: "look", arguments: { n: 10 }, session: "b" })).value).toBe(12)
    expect(await call("kf_look", { n: 10, session: "no name" })).toMatchObject({ ok: false, error: { name: "arguments" } })
  })

  test("C3: annotations state a tool's side effects", async () => {
    const { server, call, define } = began(await serverFor("annotations"))
    await call("k_eval", { code: "helper:{x+1}" })
    await define({ name: "pure", code: "{[a] helper a}" })
    await define({ name: "sets", code: "{[a] total::a}" })
    await define({ name: "writes", code: '{[a] "f" 0:a}' })
    const { tools } = (await server.request("tools/list")).result
    const hints = Object.fromEntries(tools.map((tool: any) => [tool.name, tool.annotations]))
    expect(hints.kf_pure).toMatchObject({ readOnlyHint: true, destructiveHint: false, openWorldHint: false })
    expect(hints.kf_sets).toMatchObject({ readOnlyHint: false, destructiveHint: true, openWorldHint: false })
    expect(hints.kf_writes).toMatchObject({ readOnlyHint: false, destructiveHint: true, openWorldHint: true })
  })

  it.skipIf(engine !== "embedded")("C4: memory_mb ends a call that uses more, and leaves the session unchanged", async () => {
    const server = await serverFor("memory")
    const code = "{[n] a:();i:0;while[i<n;a,:i;i+:1];#a}"
    await server.call("k_define", { action: "define", name: "hold", code, memory_mb: 8 })
    expect((await server.call("kf_hold", { n: 1000 })).structuredContent.value).toBe(1000)
    expect((await server.call("kf_hold", { n: 100_000_000 })).structuredContent.error.name).toBe("wsfull")
    expect((await server.call("kf_hold", { n: 10 })).structuredContent.value).toBe(10)
    expect((await server.call("k_eval", { code: "#!3000000" })).structuredContent.output.trim()).toBe("3000000")
  })
})
