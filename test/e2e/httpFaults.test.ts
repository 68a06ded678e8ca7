/** N5 N8 on the built server: clients over HTTP that leave, stall, send partial requests, or use more than their share. */
import { request as httpRequest, Agent } from "node:http"
import { describe, expect, it, onTestFinished } from "vitest"
import { headOf } from "../lib/modernRequest.ts"
import { addToken, auto, connect, host, opening, callTool } from "./hosted.ts"
import { alone, headersOf, listen, type Listening } from "./listening.ts"
import { shared } from "./shared.ts"
import { modern, opened, raw, socketTo, textOf } from "./sockets.ts"

const loop = "while[1;y:1]"

const modernHeaders = (token: string) => ({
  authorization: `Bearer ${token}`,
  "content-type": "application/json",
  accept: "application/json, text/event-stream",
  ...headOf("tools/call", "k_eval"),
})

describe("N8 a client that", () => {
  const server = shared(() => alone())

  it("vanishes in a stream ends its evaluation", async () => {
    const to = await server()
    const session = "vanished"
    const other = await connect(to, to.token, auto)
    const body = modern(loop, { session })
    const socket = socketTo(to)
    socket.write(raw(to, body) + body)
    await expect.poll(async () => (await callTool(other, "k_status", { session })).running?.statement).toBe(loop)
    socket.destroy()
    await expect.poll(async () => (await callTool(other, "k_status", { session })).running).toBeUndefined()
  })

  it("sends half a body and goes is forgotten", async () => {
    const to = await alone("--http-requests", "2")
    const body = modern("x:5")
    for (let n = 0; n < 5; n++) {
      const socket = socketTo(to)
      await new Promise<void>((resolve) => socket.write(raw(to, body) + body.slice(0, 50), () => resolve()))
      socket.destroy()
    }
    await expect
      .poll(async () => callTool(await connect(to, to.token, auto), "k_eval", { code: "1+1" }).catch(() => ({})))
      .toMatchObject({ output: "2\n" })
  })

  it("sends a body of a byte a chunk takes no memory for each of them", { timeout: 60_000 }, async () => {
    const to = await host([], { environment: { NODE_OPTIONS: "--max-old-space-size=96" } })
    const token = addToken(to.state, "anna")
    const body = modern("x:5")
    const socket = await opened(to)
    socket.write(raw({ token }, body).replace(/Content-Length: .*/, "Transfer-Encoding: chunked"))
    for (const byte of body) socket.write(`1\r\n${byte}\r\n`)
    for (let n = 0; n < 100; n++) await new Promise<void>((resolve) => socket.write("1\r\n \r\n".repeat(10_000), () => resolve()))
    socket.write("0\r\n\r\n")
    const answered = new Promise<string>(
      (resolve) =>
        void socket
          .setEncoding("utf8")
          .on("data", resolve)
          .on("close", () => resolve("")),
    )
    expect(await answered).toContain("HTTP/1.1 200 OK")
  })

  it("asks before it sends the body is refused without it, or told to send it", async () => {
    const to = await server()
    const body = modern("1+1", { session: "other" })
    const asking = (token: string) => raw({ token }, body).replace("\r\n\r\n", "\r\nExpect: 100-continue\r\n\r\n")
    const stranger = await opened(to)
    stranger.write(asking("no"))
    expect(await textOf(stranger)).toMatch(/^HTTP\/1\.1 401/)
    const known = await opened(to)
    let text = ""
    known.setEncoding("utf8").on("data", (chunk: string) => (text += chunk))
    known.write(asking(to.token))
    await expect.poll(() => text).toBe("HTTP/1.1 100 Continue\r\n\r\n")
    known.write(body)
    await expect.poll(() => text).toContain("HTTP/1.1 200 OK")
  })

  it("sends a body where no token is needed is answered without it", async () => {
    const socket = await opened(await server())
    socket.write("GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 60000000\r\n\r\nx")
    const answered = new Promise<string>((resolve) => void socket.setEncoding("utf8").once("data", resolve))
    expect(await answered).toMatch(/^HTTP\/1\.1 200/)
  })

  it("does not read holds nobody up", async () => {
    const to = await server()
    const body = modern("!1000000", { session: "unread" })
    const slow = socketTo(to)
    slow.pause()
    slow.write((raw(to, body) + body).repeat(20))
    const other = await connect(to, to.token, auto)
    expect(await callTool(other, "k_eval", { code: "1+1", session: "other" })).toMatchObject({ output: "2\n" })
    slow.destroy()
  })

  it("says nothing, or its head a byte at a time, is let go", async () => {
    const to = await server()
    const silent = await opened(to)
    const slow = await opened(to)
    const head = raw(to, "")
    for (const byte of head.slice(0, 40)) slow.write(byte)
    expect(await Promise.all([textOf(silent), textOf(slow)])).toEqual([
      expect.stringMatching(/^HTTP\/1\.1 408/),
      expect.stringMatching(/^HTTP\/1\.1 408/),
    ])
    expect(await callTool(await connect(to, to.token), "k_eval", { code: "1+1", session: "other" })).toMatchObject({ output: "2\n" })
  })

  it("uses an id again in a session of the legacy era is refused, and the first one is answered", async () => {
    const to = await server()
    const name = "again"
    const other = await connect(to, to.token, auto)
    const post = (body: object, headers: object = {}) =>
      fetch(to.url, {
        method: "POST",
        headers: { ...headersOf(to), "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
        body: JSON.stringify({ jsonrpc: "2.0", ...body }),
      })
    const headers = { "mcp-session-id": (await post({ id: 0, ...opening })).headers.get("mcp-session-id")! }
    const call = (code: string) =>
      post({ id: "same", method: "tools/call", params: { name: "k_eval", arguments: { code, session: name } } }, headers)
    const first = call(loop)
    await expect.poll(async () => (await callTool(other, "k_status", { session: name })).running?.statement).toBe(loop)
    const second = await call("5")
    expect([second.status, await second.text()]).toEqual([400, expect.stringContaining('a request with id \\"same\\" is still running')])
    await callTool(other, "k_session", { action: "interrupt", name })
    expect(await (await first).text()).toContain("interrupt")
    expect(await (await call("5")).text()).toContain('"output":"5')
  })
})

describe("N5 connections above the limit", () => {
  const limit = "2 connections are open, which is the limit (K3_HTTP_CONNECTIONS)"
  const calling = (to: Pick<Listening, "url">, token: string, agent: Agent, body: string) =>
    new Promise<{ readonly isKept: boolean; readonly text: string }>((resolve, reject) => {
      const asked = httpRequest(to.url, { agent, method: "POST", headers: modernHeaders(token) }, (reply) => {
        let text = ""
        reply.setEncoding("utf8").on("data", (chunk: string) => (text += chunk))
        reply.on("error", reject).on("end", () => resolve({ isKept: asked.reusedSocket, text }))
      })
      asked.on("error", reject).end(body)
    })
  const kept = (): Agent => {
    const agent = new Agent({ keepAlive: true })
    onTestFinished(() => agent.destroy())
    return agent
  }

  it("take the places of those that showed no token, the longest idle first, which get the reason", async () => {
    const to = await alone("--http-connections", "2")
    const client = kept()
    expect((await calling(to, to.token, client, modern("1+1"))).text).toContain('"output":"2')
    const [eldest, elder] = [await opened(to), await opened(to)]
    expect(await textOf(eldest)).toMatch(new RegExp(`^HTTP/1.1 503[^]*${limit.replaceAll(/[()]/g, "\\$&")}`))
    const one = await opened(to)
    expect(await textOf(elder)).toContain(limit)
    expect(await calling(to, to.token, client, modern("2+2"))).toMatchObject({ isKept: true, text: expect.stringContaining('"output":"4') })
    one.destroy()
  })

  it("are refused in words where each has a request under way", async () => {
    const to = await listen("--http-connections", "2")
    const busy = [modern(loop, { timeout_ms: 600_000 }), modern("5")].map((body) => calling(to, to.token, kept(), body))
    for (const each of busy) each.catch(() => {})
    await expect.poll(async () => (await to.own.call("k_status")).structuredContent.running?.waiting).toBe(1)
    expect(await textOf(await opened(to))).toContain(limit)
    to.own.process.kill("SIGKILL")
    await Promise.allSettled(busy)
  })

  it("of another principal take those of the principal with the most idle ones", async () => {
    const to = await host(["--http-connections", "4"])
    const [anna, bert] = ["anna", "bert"].map((name) => addToken(to.state, name)) as [string, string]
    const greedy = kept()
    await Promise.all([1, 2, 3, 4].map(() => calling(to, anna, greedy, modern("1"))))
    const client = kept()
    for (const code of ["1+1", "1+1", "1+1"]) expect((await calling(to, bert, client, modern(code))).text).toContain('"output":"2')
    expect((await calling(to, anna, kept(), modern("3+3"))).text).toContain('"output":"6')
  })

  it("of a principal that sends half of each body make room for another", async () => {
    const to = await host(["--http-connections", "3"])
    const [anna, bert] = ["anna", "bert"].map((name) => addToken(to.state, name)) as [string, string]
    for (const _ of [1, 2, 3]) {
      const socket = await opened(to)
      socket.write(raw({ token: anna }, modern("1")).replace("\r\n\r\n", "\r\nExpect: 100-continue\r\n\r\n"))
      // The server has read the head.
      await new Promise<void>((resolve) => void socket.once("data", () => resolve()))
      socket.write("{")
    }
    expect((await calling(to, bert, kept(), modern("1+1"))).text).toContain('"output":"2')
  })
})
