/**
 * `k_eval` of `1+2` over HTTP: one client, one call after the other on a connection that is kept, in both eras of the protocol, against
 * stdio on the same server, in turns; and calls a second of 50 clients, each with a connection of its own, against the SDK's own server
 * with nothing behind it. Usage: node bench/http.mjs [CALLS] [SECONDS]
 */
import { spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { Agent, request } from "node:http"
import { loadavg, tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { median, ms, ourServer, printTable, quantile, ratio, startServer, time } from "./measure.mjs"

const calls = Number(process.argv[2] ?? 4000)
const seconds = Number(process.argv[3] ?? 2)
const clients = 50
const turn = 200
const rounds = 5

const folder = mkdtempSync(join(tmpdir(), "k3-http-"))
const state = join(folder, "state")
const ours = startServer([ourServer, "--engine", "embedded", "--state-dir", state, "--listen", "127.0.0.1:0"])
await ours.initialize()
let url = ""
while (!url.startsWith("http:")) url = (await ours.call("k_status")).http
const authorization = `Bearer ${readFileSync(join(state, "token"), "utf8").trim()}`

const bare = spawn(process.execPath, [fileURLToPath(new URL("reference/sdkHttp.mjs", import.meta.url))], {
  stdio: ["ignore", "pipe", "inherit"],
})
const bareUrl = await new Promise((resolve) => bare.stdout.once("data", (line) => resolve(String(line).trim())))

const agent = new Agent({ keepAlive: true, maxSockets: clients })

/** One message; its reply's head and text. */
const post = (to, headers, message) =>
  new Promise((resolve, reject) => {
    const body = JSON.stringify({ jsonrpc: "2.0", ...message })
    const all = {
      authorization,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "content-length": Buffer.byteLength(body),
      ...headers,
    }
    request(to, { agent, method: "POST", headers: all }, (reply) => {
      let text = ""
      reply.setEncoding("utf8").on("data", (chunk) => (text += chunk))
      reply.on("end", () => resolve({ headers: reply.headers, text }))
    })
      .on("error", reject)
      .end(body)
  })

const key = (name) => `io.modelcontextprotocol/${name}`
const _meta = {
  [key("protocolVersion")]: "2026-07-28",
  [key("clientCapabilities")]: {},
  [key("clientInfo")]: { name: "bench", version: "1" },
}
const params = { name: "k_eval", arguments: { code: "1+2" } }
let id = 0
const modern = (to) => async () => {
  const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "k_eval" }
  const { text } = await post(to, headers, { id: id++, method: "tools/call", params: { ...params, _meta } })
  if (!text.includes("3")) throw new Error(text)
}
const initialize = {
  id: "initialize",
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "bench", version: "1" } },
}
/** A session for each client. */
const sessions = []
for (let n = 0; n < clients; n++) sessions.push((await post(url, {}, initialize)).headers["mcp-session-id"])
const legacy = async (client = 0) => {
  const headers = { "mcp-session-id": sessions[client], "mcp-protocol-version": "2025-11-25" }
  const { text } = await post(url, headers, { id: id++, method: "tools/call", params })
  if (!text.includes("3")) throw new Error(text)
}

/** Calls a second of all clients. */
const rate = async (evaluate, ms) => {
  const until = performance.now() + ms
  const begun = performance.now()
  const counts = await Promise.all(
    Array.from({ length: clients }, async (_, client) => {
      let count = 0
      for (; performance.now() < until; count++) await evaluate(client)
      return count
    }),
  )
  return (1000 * counts.reduce((sum, each) => sum + each, 0)) / (performance.now() - begun)
}

const single = [
  { name: "stdio", evaluate: () => ours.evaluate("1+2"), times: [] },
  { name: "HTTP, legacy era", evaluate: legacy, times: [] },
  { name: "HTTP, modern era", evaluate: modern(url), times: [] },
]
for (const { evaluate } of single) for (let n = 0; n < 2000; n++) await evaluate()
for (let done = 0; done < calls; done += turn)
  for (const { evaluate, times } of single) for (let n = 0; n < turn; n++) times.push(await time(() => evaluate()))
console.log(`k_eval of 1+2, node ${process.version}, ${calls} calls each, load ${loadavg()[0].toFixed(1)}`)
const of = (q) => (each) => quantile(each.times, q)
printTable([
  ["", "median ms", "99 % ms", "median", "99 %"],
  ...single.map((each) => [
    each.name,
    ms(median(each.times)),
    ms(of(0.99)(each)),
    ratio(median(each.times), median(single[0].times)),
    ratio(of(0.99)(each), of(0.99)(single[0])),
  ]),
])

const many = [
  { name: "SDK alone, modern era", evaluate: modern(bareUrl), rates: [] },
  { name: "k3-mcp, modern era", evaluate: modern(url), rates: [] },
  { name: "k3-mcp, legacy era", evaluate: legacy, rates: [] },
]
for (const { evaluate } of many) await rate(evaluate, 1000 * seconds)
for (let round = 0; round < rounds; round++) for (const { evaluate, rates } of many) rates.push(await rate(evaluate, 1000 * seconds))
console.log(`\ncalls a second of ${clients} clients, ${rounds} turns of ${seconds} s, load ${loadavg()[0].toFixed(1)}`)
printTable([
  ["", "a second", "ratio"],
  ...many.map(({ name, rates }) => [name, median(rates).toFixed(0), ratio(median(rates), median(many[0].rates))]),
])
agent.destroy()
bare.kill()
await ours.close()
rmSync(folder, { recursive: true, force: true })
