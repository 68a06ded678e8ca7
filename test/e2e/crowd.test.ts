/**
 * N14 many clients at once, on the built server. `CALLS=10000 npx vitest run test/e2e/crowd.test.ts` makes the full number of calls.
 */
import { readFileSync } from "node:fs"
import { connect as connectSocket, type Socket } from "node:net"
import { describe, expect, it, onTestFinished } from "vitest"
import { headOf, metaOf } from "../lib/modernRequest.ts"
import { addToken, ask, auto, connect, host, type Hosted, opening, callTool } from "./hosted.ts"

const calls = Number(process.env["CALLS"] ?? 250)
const principals = 10
const clientsOfEach = 5

const MiB = 1024 ** 2
const residentBytes = ({ own }: Hosted): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${own.process.pid}/status`, "utf8"))![1]) * 1024

const socketTo = (to: Hosted): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connectSocket(Number(new URL(to.url).port), "127.0.0.1", () => resolve(socket))
    socket.once("error", reject)
    onTestFinished(() => void socket.destroy())
  })

describe("N14", () => {
  it(
    `${calls} calls of ${principals * clientsOfEach} clients of ${principals} principals: none is lost, none is another's, and memory stays`,
    {
      timeout: 120_000 + calls * 60,
    },
    async () => {
      const to = await host(["--http-connections", "1000", "--http-requests", "1000"])
      const tokens = Array.from({ length: principals }, (_, i) =>
        addToken(to.state, `p${i}`, "--calls", "100000000", "--evaluations", "100"),
      )
      const clients = await Promise.all(
        tokens.flatMap((token, i) =>
          Array.from({ length: clientsOfEach }, async (_, k) => ({ i, k, client: await connect(to, token, k % 2 === 0 ? auto : {}) })),
        ),
      )
      for (const { client, k } of clients) if (k === 0) await callTool(client, "k_eval", { code: "n:0" })
      const each = Math.ceil(calls / clients.length)
      const round = async (from: number, until: number): Promise<void> => {
        await Promise.all(
          clients.map(async ({ client, i, k }) => {
            for (let n = from; n < until; n++)
              expect(await callTool(client, "k_eval", { code: `n+:1\n"p${i} c${k} n${n}"` })).toMatchObject({
                output: `"p${i} c${k} n${n}"\n`,
              })
          }),
        )
      }
      await round(0, Math.ceil(each / 2))
      const half = residentBytes(to)
      await round(Math.ceil(each / 2), each)
      const whole = residentBytes(to)
      for (const { client, k } of clients)
        if (k === 0) expect(await callTool(client, "k_eval", { code: "n" })).toMatchObject({ output: `${each * clientsOfEach}\n` })
      if (process.env["CALLS"] !== undefined) console.log(`resident: ${half / MiB} MiB at half, ${whole / MiB} MiB at the end`)
      expect(whole - half).toBeLessThan(100 * MiB)
    },
  )

  it("a thousand connections: those above the limit get the reason; an earlier and a later client are served", async () => {
    const to = await host(["--http-connections", "100"])
    const token = addToken(to.state, "anna")
    const client = await connect(to, token, auto)
    await callTool(client, "k_eval", { code: "x:5" })
    const sockets = await Promise.all(Array.from({ length: 1000 }, () => socketTo(to)))
    const told503 = Promise.all(
      sockets.map(
        (socket) =>
          new Promise<boolean>((resolve) => {
            let text = ""
            socket
              .setEncoding("utf8")
              .on("data", (chunk: string) => (text += chunk))
              .on("error", () => {})
              .on("close", () => resolve(text.includes("which is the limit (K3_HTTP_CONNECTIONS)")))
          }),
      ),
    )
    await expect.poll(() => sockets.filter((socket) => socket.readableEnded || socket.destroyed).length).toBeGreaterThanOrEqual(900)
    expect(await callTool(client, "k_eval", { code: "x" })).toMatchObject({ output: "5\n" })
    for (const socket of sockets) socket.destroy()
    expect((await told503).filter(Boolean).length).toBeGreaterThanOrEqual(850)
    await expect.poll(async () => (await ask(to, token, opening).catch(() => ({ status: 0 }))).status).toBe(200)
  })

  it("a client that reads a byte at a time gets its whole answer, and delays no other client", async () => {
    const to = await host()
    const token = addToken(to.state, "anna")
    const other = await connect(to, addToken(to.state, "bert"))
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, ...opening })
    const slow = await socketTo(to)
    slow.write(
      `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    )
    let text = ""
    let bytes = 0
    const read = async (): Promise<boolean> => {
      const byte = slow.read(1) as Buffer | null
      if (byte !== null) text += byte.toString("latin1")
      else if (slow.readableEnded || text.endsWith("\r\n0\r\n\r\n")) return false
      else await new Promise((resolve) => void slow.once("readable", resolve).once("end", resolve))
      return true
    }
    while (await read())
      if (bytes++ < 20) expect(await callTool(other, "k_eval", { code: `${bytes}+1` })).toMatchObject({ output: `${bytes + 1}\n` })
    expect(text).toMatch(/^HTTP\/1\.1 200 OK[^]*"serverInfo":\{"name":"k3-mcp"/)
  })

  it("a principal that sends as many requests as it can leaves another its share", async () => {
    const to = await host(["--http-requests", "16"])
    const greedy = addToken(to.state, "greedy", "--evaluations", "2")
    const call = (token: string, code: string) =>
      ask(
        to,
        token,
        {
          method: "tools/call",
          params: {
            name: "k_eval",
            arguments: { code, timeout_ms: 20_000 },
            _meta: metaOf(),
          },
        },
        headOf("tools/call", "k_eval"),
      )
    const other = await connect(to, addToken(to.state, "other"), auto)
    await callTool(other, "k_eval", { code: "x:5" })
    const many = Array.from({ length: 12 }, () => call(greedy, "while[1;y:1]"))
    await expect
      .poll(async () => (await call(greedy, "1")).text, { timeout: 10_000 })
      .toMatch(/limit of this token is reached: 2 evaluations|4 requests of this principal are under way/)
    for (let n = 0; n < 20; n++) expect(await callTool(other, "k_eval", { code: "x" })).toMatchObject({ output: "5\n" })
    to.own.process.kill("SIGKILL")
    await Promise.allSettled(many)
  })
})
