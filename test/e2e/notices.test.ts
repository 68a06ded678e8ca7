/** S13 over every transport: each client of a session is told once of a fresh interpreter. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { expect, it, onTestFinished } from "vitest"
import { auto, connect, callTool } from "./hosted.ts"
import { addressOf, alone, headersOf } from "./listening.ts"
import { scratchFolder, start } from "./server.ts"

it("S13 S22 clients on stdio and of both eras over HTTP are each told once that the interpreter was relaunched", async () => {
  const state = join(scratchFolder(), "state")
  const own = start(["--engine", "embedded", "--state-dir", state, "--listen", "127.0.0.1:0"])
  await own.initialize()
  await own.call("k_eval", { code: "a:1" })
  const to = { url: await addressOf(own) }
  const token = readFileSync(join(state, "token"), "utf8").trim()
  const [old, older, modern] = [await connect(to, token), await connect(to, token), await connect(to, token, auto)]
  const named = (client: string) => async (code: string) => {
    const reply = await modern.callTool({ name: "k_eval", arguments: { code }, _meta: { "io.github.k3-mcp/client": client } })
    return reply.structuredContent as any
  }
  const everybody: readonly ((code: string) => Promise<any>)[] = [
    (code) => own.call("k_eval", { code }).then(({ structuredContent }) => structuredContent),
    (code) => callTool(old, "k_eval", { code }),
    (code) => callTool(older, "k_eval", { code }),
    (code) => callTool(modern, "k_eval", { code }),
    named("one"),
    named("two"),
  ]
  for (const ask of everybody) expect(await ask("a")).not.toHaveProperty("notice")
  // After the capture.
  expect(await callTool(old, "k_snapshot", { action: "save", name: "s" })).toMatchObject({ ok: true })
  const { pid } = await callTool(old, "k_status")
  process.kill(pid, "SIGKILL")
  await expect.poll(async () => (await callTool(old, "k_status")).pid).not.toBe(pid)
  for (const ask of everybody) {
    expect(await ask("a")).toMatchObject({ output: "1\n", notice: expect.stringContaining("SIGKILL") })
    expect(await ask("a")).not.toHaveProperty("notice")
  }
  expect(await callTool(await connect(to, token), "k_eval", { code: "a" })).not.toHaveProperty("notice")
})

it("S13 in the modern era clients of one token and one name are told once in all, unless they send an id of their own", async () => {
  const to = await alone()
  const ask = async (name: string, code: string, id?: string) => {
    const parts = { requestInit: { headers: headersOf(to) } }
    const client = new Client({ name, version: "1" }, auto)
    await client.connect(new StreamableHTTPClientTransport(new URL(to.url), parts))
    onTestFinished(() => client.close())
    const meta = id === undefined ? {} : { _meta: { "io.github.k3-mcp/client": id } }
    return (await client.callTool({ name: "k_eval", arguments: { code }, ...meta })).structuredContent as any
  }
  const clients = [["anna"], ["anna"], ["bert"], ["anna", "1"], ["anna", "2"], ["anna", "2"]] as const
  for (const [name, id] of clients) await ask(name, "a:1", id)
  const watcher = await connect(to, to.token)
  const { pid } = await callTool(watcher, "k_status")
  process.kill(pid, "SIGKILL")
  await expect.poll(async () => (await callTool(watcher, "k_status")).pid).not.toBe(pid)
  const told: boolean[] = []
  for (const [name, id] of clients) told.push("notice" in (await ask(name, "1", id)))
  expect(told).toEqual([true, false, true, true, true, false])
})
