/** S13 over every transport: each client of a session is told once of a fresh interpreter. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { auto, connect, callTool } from "./hosted.ts"
import { scratchFolder, start } from "./server.ts"

it("S13 S22 clients on stdio and of both eras over HTTP are each told once that the interpreter was relaunched", async () => {
  const state = join(scratchFolder(), "state")
  const own = start(["--engine", "embedded", "--state-dir", state, "--listen", "127.0.0.1:0"])
  await own.initialize()
  await own.call("k_eval", { code: "a:1" })
  await expect.poll(() => /listening at (http:\S+\/mcp)/.exec(own.log())?.[1] ?? "").not.toBe("")
  const to = { url: /listening at (http:\S+\/mcp)/.exec(own.log())![1]! }
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
