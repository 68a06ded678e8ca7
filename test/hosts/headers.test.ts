/** A client of `Content-Length` framing that is not ours: `vscode-jsonrpc`, as language servers are spoken to. */
import { spawn } from "node:child_process"
import { expect, it, onTestFinished } from "vitest"
import { createMessageConnection, StreamMessageReader, StreamMessageWriter } from "vscode-jsonrpc/node"
import { gone, scratchFolder, serverFile } from "../e2e/server.ts"

it("M1 M9 vscode-jsonrpc is answered in its own framing: requests, many at once, errors and the end", async () => {
  const server = spawn(process.execPath, [serverFile, "--engine", "embedded", "--state-dir", "none"], {
    cwd: scratchFolder(),
    stdio: ["pipe", "pipe", "ignore"],
  })
  const ended = new Promise<number | null>((resolve) => server.once("exit", resolve))
  onTestFinished(async () => {
    server.kill("SIGKILL")
    await ended
  })
  const connection = createMessageConnection(new StreamMessageReader(server.stdout), new StreamMessageWriter(server.stdin))
  connection.listen()
  const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "headers", version: "1" } }
  expect(await connection.sendRequest("initialize", params)).toMatchObject({ serverInfo: { name: "k3-mcp" } })
  await connection.sendNotification("notifications/initialized", {})
  const call = async (code: string, rest: object = {}): Promise<any> =>
    ((await connection.sendRequest("tools/call", { name: "k_eval", arguments: { code, ...rest } })) as any).structuredContent
  expect(await call('"æøå 日本"')).toMatchObject({ ok: true })
  const many = await Promise.all(Array.from({ length: 50 }, async (_, n) => (await call(`${n}*2`)).output))
  expect(many).toEqual(Array.from({ length: 50 }, (_, n) => `${n * 2}\n`))
  expect(await call("while[1;x:1]", { timeout_ms: 300 })).toMatchObject({ ok: false, error: { name: "deadline" } })
  await expect(connection.sendRequest("no/such", {})).rejects.toMatchObject({ code: -32601 })
  const status: any = await connection.sendRequest("tools/call", { name: "k_status", arguments: {} })
  connection.end()
  expect(await ended).toBe(0)
  await gone(status.structuredContent.pid)
  connection.dispose()
})
