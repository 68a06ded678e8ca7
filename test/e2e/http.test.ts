/** N1 to N9 on the built server: MCP over HTTP with real clients of both SDK lines, and with requests made by hand. */
import { Client, type ClientOptions, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport as OldTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { readdirSync, statSync, writeFileSync } from "node:fs"
import { request as httpRequest } from "node:http"
import { connect as connectSocket } from "node:net"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { auto, callTool, settings } from "./hosted.ts"
import { addressOf, alone, headersOf, listen, type Listening, localToken } from "./listening.ts"
import { limits } from "../../src/limits.ts"
import { headOf, metaOf, version } from "../lib/modernRequest.ts"
import { scratchFolder, start } from "./server.ts"
import { shared } from "./shared.ts"

/** The server of the tests that need no other; each of them uses a session of its own. */
const server = shared(() => listen())

/** The same, with an interpreter that has time to answer an interrupt on a busy machine. */
const unhurried = shared(() => listen("--interrupt-grace", "60s"))

/** A client that listens again until it is heard, however long the server takes. */
const patient = { initialReconnectionDelay: 100, maxReconnectionDelay: 100, reconnectionDelayGrowFactor: 1, maxRetries: 10_000 }

const connect = async (to: Listening, options: ClientOptions = {}, name = "test"): Promise<Client> => {
  const client = new Client({ name, version: "1" }, options)
  const parts = { requestInit: { headers: headersOf(to) }, reconnectionOptions: patient }
  await client.connect(new StreamableHTTPClientTransport(new URL(to.url), parts))
  onTestFinished(() => client.close())
  return client
}

const loop = "while[1;y:1]"

/** Sends one request. */
const ask = async (
  to: Listening,
  {
    path = "/mcp",
    method = "POST",
    headers = {},
    body = "",
  }: { readonly path?: string; readonly method?: string; readonly headers?: Record<string, string>; readonly body?: string } = {},
) => {
  const reply = await fetch(to.url.replace("/mcp", path), {
    method,
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
    ...(method === "POST" && { body }),
  })
  return { status: reply.status, text: await reply.text(), headers: reply.headers }
}

const evaluation = (code: string, id: string | number = 1) =>
  JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "k_eval", arguments: { code } } })

/** A session of the legacy era: its id. */
const open = async (to: Listening) => {
  const body = JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "x", version: "1" } },
  })
  return (await ask(to, { headers: headersOf(to), body })).headers.get("mcp-session-id")!
}

/** Begins to listen in the modern era. The stream is open until the signal, or the end of the test. */
const listenTo = (to: Listening, resourceSubscriptions: readonly string[], signal?: AbortSignal): Promise<Response> => {
  const end = new AbortController()
  onTestFinished(() => end.abort())
  return fetch(to.url, {
    method: "POST",
    signal: AbortSignal.any([end.signal, ...(signal === undefined ? [] : [signal])]),
    headers: {
      ...headersOf(to),
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...headOf("subscriptions/listen"),
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "subscriptions/listen",
      params: {
        notifications: { resourceSubscriptions },
        _meta: metaOf(),
      },
    }),
  })
}

/** The beginning of an answer, until the request to listen is acknowledged or refused. */
const answered = async ({ body }: Response): Promise<string> => {
  const reader = body!.pipeThrough(new TextDecoderStream()).getReader()
  let text = ""
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return text
    text += value
    if (/acknowledged|"error"/.test(text)) return text
  }
}

describe.each([
  ["client 2.4, legacy era", {}, "2025-11-25"],
  ["client 2.4, modern era", auto, "2026-07-28"],
] as const)("N1 %s", (_, options, version) => {
  it("lists, calls, reads, completes, and gets progress and notifications", async () => {
    const to = await server()
    const session = `work-${version}`
    const client = await connect(to, options)
    expect(client.getNegotiatedProtocolVersion()).toBe(version)
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain("k_eval")
    expect(await callTool(client, "k_eval", { code: "x:1+1\nx", session })).toMatchObject({ ok: true, output: "2\n" })
    expect(await callTool(client, "k_status", { session })).toMatchObject({ http: to.url, versions: { protocol: version } })
    const { contents } = await client.readResource({ uri: `k3://sessions/${session}/state` })
    expect(JSON.stringify(contents)).toContain("x")
    const completed = await client.complete({
      ref: { type: "ref/resource", uri: "k3://sessions/{session}/state" },
      argument: { name: "session", value: "wo" },
    })
    expect(completed.completion.values).toContain(session)
    const progress: unknown[] = []
    const call = client.callTool(
      { name: "k_eval", arguments: { code: loop, timeout_ms: 5500, session } },
      { onprogress: (each) => void progress.push(each) },
    )
    const status = () => callTool(client, "k_status", { session })
    await expect.poll(async () => (await status()).running?.statement).toBe(loop)
    // A stopped interpreter leaves the processor to others until the deadline.
    process.kill((await status()).pid, "SIGSTOP")
    expect((await call).isError).toBe(true)
    expect(progress).toEqual([{ progress: 5, message: expect.stringContaining(loop) }])
  })

  it("a cancel interrupts the evaluation, and the next call is answered", async () => {
    const to = await unhurried()
    const session = `cancel-${version}`
    const client = await connect(to, options)
    const other = await connect(to, options)
    const running = async () => (await callTool(other, "k_status", { session })).running?.statement
    const cancelled = new AbortController()
    const call = client.callTool({ name: "k_eval", arguments: { code: loop, session } }, { signal: cancelled.signal })
    call.catch(() => {})
    await expect.poll(running).toBe(loop)
    cancelled.abort()
    await expect(call).rejects.toThrow()
    await expect.poll(running).toBeUndefined()
    expect(await callTool(client, "k_eval", { code: "1+1", session })).toMatchObject({ ok: true, output: "2\n", generation: 1 })
  })
})

describe("N10 the history names the caller", () => {
  const asked = async (client: Pick<Client, "callTool">) =>
    (await callTool(client, "k_history", { action: "list" })).entries.map(({ by, code, event }: any) => [by, event ?? code])

  it("as agent on stdio, and as console and page by their own names, in both eras, in the background and after a restart", async () => {
    const to = await listen()
    await to.own.call("k_eval", { code: "x:1" })
    const old = await connect(to, {}, "k3-console")
    const page = await connect(to, auto, "k3-page")
    await callTool(old, "k_eval", { code: "x:2" })
    await callTool(page, "k_eval", { code: "x:3" })
    const { handle } = await callTool(page, "k_eval", { code: "x:4", background: true })
    await callTool(page, "k_output", { handle, wait_ms: 20_000 })
    await callTool(old, "k_reset")
    await callTool(await connect(to, auto, "another"), "k_eval", { code: "x:5" })
    const all = [
      ["agent", "x:1"],
      ["console", "x:2"],
      ["page", "x:3"],
      ["page", "x:4"],
      ["console", "reset"],
      ["agent", "x:5"],
    ]
    expect(await asked(old)).toEqual(all)
    const { entries } = await callTool(old, "k_history", { action: "search", text: "console" })
    expect(entries.map(({ n }: any) => n)).toEqual([2, 5])
    to.own.process.kill("SIGKILL")
    await to.own.ended
    const own = start(["--engine", "embedded", "--state-dir", to.state, "--listen", new URL(to.url).host, "--no-stdio"])
    await addressOf(own)
    await callTool(old, "k_eval", { code: "x:6" })
    expect((await asked(old)).at(-1)).toEqual(["console", "x:6"])
  })
})

describe("N1", () => {
  it("sdk 1.32 works, and a client is notified of another client's changes, on stdio too", async () => {
    const to = await server()
    const session = "old"
    const old = new OldClient({ name: "test", version: "1" })
    await old.connect(new OldTransport(new URL(to.url), { requestInit: { headers: headersOf(to) } }))
    onTestFinished(() => old.close())
    expect((await old.callTool({ name: "k_eval", arguments: { code: "x:5", session } })).structuredContent).toMatchObject({ ok: true })
    expect((await to.own.call("k_eval", { code: "x", session })).structuredContent.output).toBe("5\n")
    const definition = { action: "define", name: "f", code: "{x+1}", description: "adds one", session }
    await old.callTool({ name: "k_define", arguments: definition })
    await to.own.message((each) => each.method === "notifications/tools/list_changed")
  })

  it("a subscriber of the legacy era is notified of a change over stdio", async () => {
    const to = await server()
    const session = "watched"
    await to.own.call("k_eval", { code: "x:1", session })
    const client = await connect(to)
    const heard = new Promise<string>((resolve) =>
      client.setNotificationHandler("notifications/resources/updated", ({ params }) => resolve(params.uri)),
    )
    await client.subscribeResource({ uri: "k3://sessions/watched/state" })
    await to.own.call("k_eval", { code: "x:5", session })
    expect(await heard).toBe("k3://sessions/watched/state")
  })

  it("a listener of the modern era gets existing resources, and an error for missing ones", async () => {
    const to = await server()
    expect(await (await listenTo(to, ["k3://sessions/nope/state"])).text()).toMatch(/-32602.*There is no k3:/)
  })

  it("M2 half of a surrogate pair becomes U+FFFD in what the SDK answers too, in both eras", async () => {
    const to = await server()
    const older = { "mcp-session-id": await open(to) }
    const newer = headOf("prompts/get", "fix-error")
    const texts = async (headers: Record<string, string>, method: string, params: object) =>
      (await ask(to, { headers: { ...headersOf(to), ...headers }, body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }) })).text
    const prompt = { name: "fix-error", arguments: { code: "é\ud800;" } }
    for (const text of [
      await texts(older, "prompts/get", prompt),
      await texts(newer, "prompts/get", { ...prompt, _meta: metaOf() }),
      await texts(older, "prompts/get", { name: "é\ud800;" }),
      await texts(older, "resources/read", { uri: "k3://é\ud800;" }),
    ])
      expect(text).toMatch(/é\\ufffd;/)
  })

  it("a message that stdio refuses is refused in the same words", async () => {
    const to = await server()
    const headers = headersOf(to)
    expect(await ask(to, { headers, body: "{" })).toMatchObject({ status: 400, text: expect.stringMatching(/-32700.*Parse error/) })
    expect(await ask(to, { headers, body: "[]" })).toMatchObject({
      status: 400,
      text: expect.stringContaining("batches are not supported"),
    })
    expect(await ask(to, { headers, body: '{"jsonrpc":"2.0","id":{},"method":"ping"}' })).toMatchObject({
      status: 400,
      text: expect.stringContaining("id must be"),
    })
    expect(await ask(to, { headers: { ...headers, "content-type": "text/plain" }, body: "{}" })).toMatchObject({ status: 415 })
    expect(await ask(to, { headers, body: evaluation("1") })).toMatchObject({
      status: 400,
      text: expect.stringContaining("Send initialize first"),
    })
  })
})

describe("N2 guards", () => {
  const narrow = shared(() => alone("--http-body", "2000"))

  it("check host, origin, token, path and size in that order, with a sentence for each", async () => {
    const to = await narrow()
    const token = headersOf(to)
    const byHand = (headers: Record<string, string>) =>
      new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
        const { hostname, port } = new URL(to.url)
        httpRequest({ hostname, port, path: "/mcp", method: "POST", headers }, (reply) => {
          let text = ""
          reply
            .setEncoding("utf8")
            .on("data", (chunk: string) => (text += chunk))
            .on("end", () => resolve({ status: reply.statusCode, text }))
        })
          .on("error", reject)
          .end()
      })
    expect(await byHand({ host: "evil.example", origin: "http://evil.example" })).toMatchObject({
      status: 403,
      text: expect.stringContaining("Host is refused"),
    })
    expect(await byHand({ origin: "http://evil.example" })).toMatchObject({
      status: 403,
      text: expect.stringContaining("Origin is refused"),
    })
    expect(await byHand({ origin: "null" })).toMatchObject({ status: 403 })
    const none = await ask(to, { path: "/nowhere" })
    expect(none).toMatchObject({ status: 401, text: expect.stringMatching(/A token is needed.*k3-mcp token show/) })
    expect(none.headers.get("www-authenticate")).toContain("Bearer")
    expect(await ask(to, { headers: { authorization: "Bearer wrong" }, body: "x".repeat(3000) })).toMatchObject({
      status: 401,
      text: expect.stringContaining("not right"),
    })
    expect(await ask(to, { path: "/nowhere", headers: token })).toMatchObject({
      status: 404,
      text: expect.stringContaining("MCP is at /mcp"),
    })
    expect(await ask(to, { method: "PUT", headers: token })).toMatchObject({ status: 405 })
    expect(await ask(to, { headers: token, body: "x".repeat(3000) })).toMatchObject({
      status: 413,
      text: expect.stringContaining("at most 2000 bytes (K3_HTTP_BODY)"),
    })
    expect(to.own.log()).not.toContain(to.token)
  })

  it("refuse by the head, before the body has arrived", async () => {
    const to = await narrow()
    const { port } = new URL(to.url)
    const answer = (head: string) =>
      new Promise<string>((resolve) => {
        const socket = connectSocket(Number(port), "127.0.0.1", () => socket.write(head))
        socket.setEncoding("utf8").once("data", (text: string) => {
          resolve(text)
          socket.destroy()
        })
      })
    const head = `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Length: 50000000\r\n`
    expect(await answer(`${head}\r\n`)).toMatch(/^HTTP\/1\.1 401/)
    expect(await answer(`${head.replace("50000000", "500000000")}Authorization: Bearer ${to.token}\r\n\r\n`)).toMatch(/^HTTP\/1\.1 413/)
  })

  it("a body above the limit without a Content-Length is refused as well", async () => {
    const to = await narrow()
    const reply = await fetch(to.url, {
      method: "POST",
      headers: { ...headersOf(to), "content-type": "application/json" },
      body: new ReadableStream({ start: (each) => (each.enqueue(new TextEncoder().encode("x".repeat(3000))), each.close()) }),
      duplex: "half",
    })
    expect(reply.status).toBe(413)
  })
})

describe("N3 the token", () => {
  it("is in a file for its owner alone, is the same after a restart, is shown by token show, and is in no registration", async () => {
    const to = await alone()
    expect(statSync(join(to.state, "token")).mode & 0o777).toBe(0o600)
    to.own.process.kill("SIGTERM")
    expect(await to.own.ended).toEqual({ code: 0, signal: null })
    expect((await alone("--state-dir", to.state)).token).toBe(to.token)
    const run = async (...args: readonly string[]) => {
      const own = start([...args, "--state-dir", to.state])
      let text = ""
      own.process.stdout!.removeAllListeners("data").on("data", (chunk: string) => (text += chunk))
      const { code } = await own.ended
      return { code, text, log: own.log() }
    }
    expect(await run("token", "show")).toMatchObject({ code: 0, text: `${to.token}\n` })
    const shown = await run("--print-registration", "--listen", "127.0.0.1:7333")
    expect(shown.text).toContain(
      "claude mcp add --transport http k3 http://127.0.0.1:7333/mcp --header 'Authorization: Bearer ${K3_TOKEN}'",
    )
    expect(shown.text).not.toContain(to.token)
    expect(shown.text).toContain('export K3_TOKEN="$(k3-mcp token show)"')
    expect(await run("--print-registration")).toMatchObject({ code: 2, log: expect.stringContaining("needs --listen") })
    expect(() => settings("token", "hide")).toThrow("one of show, add NAME, list and remove NAME is expected")
  })

  it("in a damaged file is reported, and stdio is served nevertheless", async () => {
    const state = scratchFolder()
    writeFileSync(join(state, "token"), "short")
    const own = start(["--engine", "embedded", "--state-dir", state, "--listen", "127.0.0.1:0"])
    await own.initialize()
    await own.call("k_eval", { code: "1" })
    await expect
      .poll(async () => (await own.call("k_status")).structuredContent.http)
      .toMatch(/not served: .*does not hold a token: delete it/)
  })
})

describe("N4 the address", () => {
  it("example.com:80, 127.0.0.1:70000, 1.2.3.400:80, [zz]:80 or 7333 is refused at the start", async () => {
    for (const address of ["example.com:80", "127.0.0.1:70000", "1.2.3.400:80", "[zz]:80", "7333"])
      expect(() => settings("--listen", address)).toThrow("an ADDRESS:PORT such as")
    const own = start(["--listen", "7333"])
    expect(await own.ended).toEqual({ code: 2, signal: null })
    expect(own.log()).toContain("an ADDRESS:PORT such as")
  })

  it("that is taken: stdio serves all the same, says so, and takes it when it is free; alone, the server ends with code 1", async () => {
    const first = await alone()
    const address = new URL(first.url).host
    const state = join(scratchFolder(), "state")
    const second = start(["--engine", "embedded", "--state-dir", state, "--listen", address])
    await second.initialize()
    expect((await second.call("k_eval", { code: "1+1" })).structuredContent.output).toBe("2\n")
    const http = async () => (await second.call("k_status")).structuredContent.http
    await expect.poll(http).toBe(`not served: ${address} is in use by another program; it is tried again every 2 s`)
    expect(second.log()).toContain("HTTP is not served")
    const third = start(["--engine", "embedded", "--state-dir", join(scratchFolder(), "state"), "--listen", address, "--no-stdio"])
    expect(await third.ended).toEqual({ code: 1, signal: null })
    const fourth = start(["--no-stdio"])
    expect(await fourth.ended).toEqual({ code: 2, signal: null })
    expect(fourth.log()).toContain("--no-stdio needs --listen")
    first.own.process.kill("SIGTERM")
    await expect.poll(http).toBe(first.url)
    expect(second.log().split("HTTP is not served").length).toBe(2)
    const client = await connect({ ...first, token: localToken(state) })
    expect(await callTool(client, "k_eval", { code: "1+1" })).toMatchObject({ output: "2\n" })
  })

  it("is not taken by a server that only answers the opening", async () => {
    const own = start(["--engine", "embedded", "--state-dir", join(scratchFolder(), "state"), "--listen", "127.0.0.1:0"])
    // All at once: a client that is still there after two seconds has come to stay, and on a busy machine an answer may take as long.
    const clientInfo = { name: "opening", version: "1" }
    own.send({ id: 1, method: "initialize", params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo } })
    own.send({ id: 2, method: "tools/list" })
    own.process.stdin!.end()
    await own.ended
    expect(own.log()).not.toContain("listening")
  })

  it("is taken by a server that stays, also without a call of a tool; the end of stdio ends the server and attached clients", async () => {
    const state = join(scratchFolder(), "state")
    const own = start(["--engine", "embedded", "--state-dir", state, "--listen", "127.0.0.1:0"])
    await own.initialize()
    const url = await addressOf(own)
    const to = { own, url, state, token: localToken(state) }
    const client = await connect(to)
    await callTool(client, "k_eval", { code: "x:7" })
    own.process.stdin!.end()
    expect(await own.ended).toEqual({ code: 0, signal: null })
    await expect(client.callTool({ name: "k_eval", arguments: { code: "x" } })).rejects.toThrow()
    const again = await connect(await alone("--state-dir", state))
    expect(await callTool(again, "k_eval", { code: "x" })).toMatchObject({ output: "7\n" })
  })
})

describe("N5 limits", () => {
  it("requests above the limit get an error that names it", async () => {
    const to = await alone("--http-requests", "1")
    const client = await connect(to, auto)
    const cancelled = new AbortController()
    const call = client.callTool({ name: "k_eval", arguments: { code: loop } }, { signal: cancelled.signal })
    call.catch(() => {})
    const limit = "1 requests are under way, which is the limit (K3_HTTP_REQUESTS)"
    const answer = async () => (await ask(to, { headers: headersOf(to), body: "{}" })).text
    await expect.poll(answer).toContain(limit)
    cancelled.abort()
    await expect.poll(answer).not.toContain(limit)
  })

  it("requests to listen above K3_HTTP_SESSIONS get an error that names it, and have room when one ends", async () => {
    const to = await alone("--http-sessions", "2")
    const first = new AbortController()
    for (const signal of [first.signal, undefined])
      expect(await answered(await listenTo(to, ["k3://status"], signal))).toContain("acknowledged")
    expect(await answered(await listenTo(to, ["k3://status"]))).toContain(
      "2 requests to listen are open, which is the limit (K3_HTTP_SESSIONS): end one of them first",
    )
    first.abort()
    await expect.poll(async () => answered(await listenTo(to, ["k3://status"]))).toContain("acknowledged")
  })

  it("resources above the limit of all streams get an error that names it", async () => {
    const to = await alone()
    await callTool(await connect(to), "k_eval", { code: "1" })
    const all = Array.from({ length: limits.watched }, (_, n) => `k3://sessions/main/state/x${n}`)
    expect(await answered(await listenTo(to, all))).toContain("acknowledged")
    expect(await answered(await listenTo(to, ["k3://status"]))).toContain("at most 1000 resources may be watched by all requests to listen")
    expect(await answered(await listenTo(to, []))).toContain("acknowledged")
  })

  it("a session that was closed for another one is revived at its next request", async () => {
    const to = await alone("--http-sessions", "2")
    const clients = [await connect(to), await connect(to), await connect(to), await connect(to)]
    for (const client of clients) expect(await callTool(client, "k_eval", { code: "1+1" })).toMatchObject({ output: "2\n" })
  })
})

describe("N6 a session of the legacy era", () => {
  it("goes on under a server that was killed and restarted, for clients of both eras", async () => {
    const to = await alone()
    const address = new URL(to.url).host
    const clients = [await connect(to), await connect(to, auto)]
    for (const client of clients) await callTool(client, "k_eval", { code: "1" })
    to.own.process.kill("SIGKILL")
    await to.own.ended
    const own = start(["--engine", "embedded", "--state-dir", to.state, "--listen", address, "--no-stdio"])
    await addressOf(own)
    for (const client of clients) expect(await callTool(client, "k_eval", { code: "1+1" })).toMatchObject({ output: "2\n" })
  })

  it("has its subscriptions under the next server, and after it had to make room, until it ends", async () => {
    const to = await alone()
    const address = new URL(to.url).host
    const again = () => start(["--engine", "embedded", "--state-dir", to.state, "--listen", address, "--no-stdio", "--http-sessions", "1"])
    const [watched, dropped] = ["k3://sessions/main/state/x", "k3://sessions/main/state"]
    const watcher = await connect(to)
    const heard: string[] = []
    watcher.setNotificationHandler("notifications/resources/updated", ({ params }) => void heard.push(params.uri))
    await callTool(watcher, "k_eval", { code: "x:1" })
    for (const uri of [watched, dropped]) await watcher.subscribeResource({ uri })
    await watcher.unsubscribeResource({ uri: dropped })
    const leaver = await open(to)
    const request = (method: string, uri: string) =>
      ask(to, {
        headers: { ...headersOf(to), "mcp-session-id": leaver },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { uri } }),
      })
    expect((await request("resources/subscribe", watched)).status).toBe(200)
    const kept = (): readonly string[] => readdirSync(join(to.state, "subscriptions"))
    expect(kept()).toHaveLength(2)
    to.own.process.kill("SIGKILL")
    await to.own.ended
    await addressOf(again())
    expect(await ask(to, { method: "DELETE", headers: { ...headersOf(to), "mcp-session-id": leaver } })).toMatchObject({ status: 200 })
    await expect.poll(kept).toEqual([watcher.transport!.sessionId!.split(".")[0]!.replaceAll("-", "")])
    const other = await connect(to, auto)
    // The watcher listens again by itself.
    for (let n = 2; n < 2000; n += 1000) {
      const before = heard.length
      await expect
        .poll(async () => {
          await callTool(other, "k_eval", { code: `x:${n++}` })
          return heard.length
        })
        .toBeGreaterThan(before)
      // Makes room for itself, which closes the watcher's session.
      await open(to)
    }
    expect(new Set(heard)).toEqual(new Set([watched]))
  })

  it("is revived once for many requests at the same time", async () => {
    const to = await alone("--http-sessions", "1")
    const id = await open(to)
    await open(to)
    const headers = { ...headersOf(to), "mcp-session-id": id }
    const replies = await Promise.all(Array.from({ length: 20 }, (_, n) => ask(to, { headers, body: evaluation(`${n}+1`, n) })))
    expect(replies.map(({ text }) => /"output":"(\d+)/.exec(text)?.[1])).toEqual(replies.map((_, n) => String(n + 1)))
  })

  it("with an id that this server did not sign is refused, with the call to make next", async () => {
    const to = await server()
    const id = await open(to)
    const call = (session: string) => ask(to, { headers: { ...headersOf(to), "mcp-session-id": session }, body: evaluation("1+1") })
    expect((await call(id)).text).toContain('"output":"2\\n"')
    expect(await call(`${id.slice(0, -1)}${id.endsWith("A") ? "B" : "A"}`)).toMatchObject({
      status: 404,
      text: expect.stringContaining("Initialise again"),
    })
    expect(await call("1234")).toMatchObject({ status: 404 })
  })

  it("refuses a request in the form of both eras, and lives on", async () => {
    const to = await server()
    const id = await open(to)
    const headers = { ...headersOf(to), "mcp-session-id": id, "mcp-protocol-version": version }
    expect((await ask(to, { headers, body: evaluation("1+1") })).status).toBe(400)
    expect((await ask(to, { headers: { ...headersOf(to), "mcp-session-id": id }, body: evaluation("1+1") })).status).toBe(200)
  })
})

describe("N1 a call", () => {
  const later = headOf("tools/call", "k_validate")
  const params = { name: "k_validate", arguments: { code: "1+1" } }
  const resultIn = ({ text }: { readonly text: string }): unknown => JSON.parse(/\{.*\}/.exec(text)![0])

  it("that is a plain one, and one that the SDK has to judge, are answered in the same words, in both eras", async () => {
    const to = await server()
    const older = { ...headersOf(to), "mcp-session-id": await open(to) }
    const call = (headers: Record<string, string>, more: object) =>
      ask(to, { headers, body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { ...params, ...more } }) })
    const plain = resultIn(await call(older, {}))
    expect(plain).toMatchObject({ id: 1, result: { structuredContent: { ok: true } } })
    expect(resultIn(await call(older, { unknown: 1 }))).toEqual(plain)
    const modern = { ...headersOf(to), ...later }
    const plainModern = resultIn(await call(modern, { _meta: metaOf() }))
    expect(plainModern).toMatchObject({ id: 1, result: { resultType: "complete", structuredContent: { ok: true } } })
    expect(resultIn(await call(modern, { _meta: metaOf(), unknown: 1 }))).toEqual(plainModern)
  })

  it.each([
    ["another tool", { ...later, "mcp-name": "k_reset" }, "Mcp-Name"],
    ["another method", { ...later, "mcp-method": "tools/list" }, "Mcp-Method"],
    ["another version", { ...later, "mcp-protocol-version": "2025-11-25" }, "MCP-Protocol-Version"],
    ["no version", { "mcp-method": "tools/call", "mcp-name": "k_validate" }, "MCP-Protocol-Version"],
  ])("whose head names %s is refused, and does nothing", async (_, head, told) => {
    const to = await server()
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { ...params, _meta: metaOf() } })
    expect(await ask(to, { headers: { ...headersOf(to), ...(head as Record<string, string>) }, body })).toMatchObject({
      status: 400,
      text: expect.stringContaining(told),
    })
  })

  it("that declares what is no capability is refused", async () => {
    const to = await server()
    const _meta = metaOf({ elicitation: 1 })
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { ...params, _meta } })
    expect((await ask(to, { headers: { ...headersOf(to), ...later }, body })).status).toBe(400)
  })
})

describe.each([
  ["the legacy era", {}],
  ["the modern era", auto],
] as const)("N1 in %s", (era, options) => {
  it("an evaluation in the background is followed by repeated waits with progress, and stopped", async () => {
    const client = await connect(await server(), options)
    const session = era.replaceAll(" ", "-")
    const code = "i:0;while[1;i+:1;do[100000;1+1];`0:,$i]"
    const { handle } = await callTool(client, "k_eval", { code, background: true, session })
    const steps: number[] = []
    let from = 0
    let text = ""
    const follow = async (wait_ms: number) => {
      const given = { handle, from, unit: "byte", wait_ms }
      const reply = (await client.callTool({ name: "k_output", arguments: given }, { onprogress: () => {} })).structuredContent as any
      text += reply.output
      from = reply.next?.from ?? from
      return reply
    }
    while (steps.length < 10) {
      const { phase } = await follow(60_000)
      expect(phase).toBe("running")
      steps.push(text.length)
    }
    expect(steps.every((bytes, n) => n === 0 || bytes > steps[n - 1]!)).toBe(true)
    expect(await callTool(client, "k_session", { action: "interrupt", name: handle })).toMatchObject({ ok: true, stopped: true })
    let last = await follow(60_000)
    while (last.next !== undefined) last = await follow(0)
    expect(last).toMatchObject({ phase: "ended", error: { name: "interrupt" } })
    const numbers = text.trim().split("\n").map(Number)
    expect(numbers).toEqual(numbers.map((_, n) => n + 1))
    expect((await callTool(client, "k_status", { session })).running).toBeUndefined()
  })
})

describe("N7 the end", () => {
  it("SIGTERM lets running calls end, refuses new ones, and writes the state", async () => {
    const folder = scratchFolder()
    const release = join(folder, "release")
    writeFileSync(release, "")
    const to = await alone("--drain", "60s", "--roots", folder)
    const client = await connect(to, auto)
    const other = await connect(to, auto)
    await callTool(client, "k_eval", { code: "x:7" })
    const calls = Array.from({ length: 50 }, (_, n) =>
      callTool(client, "k_eval", { code: n === 0 ? `while[0=#6:"${release}"]\n1+1` : "1+1", timeout_ms: 60_000 }),
    )
    await expect.poll(async () => (await callTool(other, "k_status")).running?.waiting).toBe(49)
    expect((await ask(to, { path: "/readyz", method: "GET" })).status).toBe(200)
    to.own.process.kill("SIGTERM")
    await expect.poll(async () => (await ask(to, { path: "/readyz", method: "GET" })).status).toBe(503)
    expect((await ask(to, { path: "/healthz", method: "GET" })).status).toBe(200)
    expect(await ask(to, { headers: headersOf(to), body: evaluation("1") })).toMatchObject({
      status: 503,
      text: expect.stringContaining("The server is ending"),
    })
    writeFileSync(release, "now")
    for (const each of await Promise.all(calls)) expect(each).toMatchObject({ ok: true, output: "2\n" })
    expect(await to.own.ended).toEqual({ code: 0, signal: null })
    const again = await connect(await alone("--state-dir", to.state))
    expect(await callTool(again, "k_eval", { code: "x" })).toMatchObject({ output: "7\n" })
  })

  it.each([
    ["before its answer begins", "100ms"],
    ["after its answer has begun", "1500ms"],
  ])("waits for a call at most for the drain time, and answers it: %s", async (_, drain) => {
    const to = await alone("--drain", drain)
    const client = await connect(to, auto)
    const call = client.callTool({ name: "k_eval", arguments: { code: loop, timeout_ms: 600_000 } })
    const answered = expect(call).rejects.toThrow("The call was ended: the server ends, or the limits of this principal were changed.")
    await expect.poll(async () => (await callTool(client, "k_status")).running?.statement).toBe(loop)
    to.own.process.kill("SIGTERM")
    await answered
    expect(await to.own.ended).toEqual({ code: 0, signal: null })
  })
})

it("N9 a start without --listen opens no socket and makes no token", async () => {
  const state = join(scratchFolder(), "state")
  const own = start(["--engine", "embedded", "--state-dir", state])
  await own.initialize()
  expect((await own.call("k_status")).structuredContent.http).toBeUndefined()
  expect(() => statSync(join(state, "token"))).toThrow()
})
