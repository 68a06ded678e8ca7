/**
 * What one principal notices of another one's load over HTTP: `k_eval` of `1+2`, one call after the other, while another principal makes as
 * many calls at once as it is let, against the same with nobody beside it. Usage: node bench/share.mjs [CALLS]
 */
import { execFileSync, spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { median, ourServer, printTable, ratio, time } from "./measure.mjs"

const calls = Number(process.argv[2] ?? 200)
const folder = mkdtempSync(join(tmpdir(), "k3-share-"))
const state = ["--state-dir", join(folder, "state")]
const token = (name) =>
  execFileSync(process.execPath, [ourServer, "token", "add", name, "--calls", "100000000", ...state], { encoding: "utf8" }).trim()
const [quiet, greedy] = [token("quiet"), token("greedy")]
const server = spawn(
  process.execPath,
  [ourServer, "--no-stdio", "--listen", "127.0.0.1:0", "--engine", "embedded", "--principals", join(folder, "roots"), ...state],
  { stdio: ["ignore", "ignore", "pipe"] },
)
const url = await new Promise((resolve) => {
  let log = ""
  server.stderr.on("data", (chunk) => {
    log += chunk
    const found = /listening at (http:\S+\/mcp)/.exec(log)
    if (found !== null) resolve(found[1])
  })
})

const key = (name) => `io.modelcontextprotocol/${name}`
const evaluate = async (bearer, code, session = "main") => {
  const params = {
    name: "k_eval",
    arguments: { code, session },
    _meta: {
      [key("protocolVersion")]: "2026-07-28",
      [key("clientCapabilities")]: {},
      [key("clientInfo")]: { name: "bench", version: "1" },
    },
  }
  const reply = await fetch(url, {
    method: "POST",
    headers: {
      authorization: `Bearer ${bearer}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": "k_eval",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
  })
  return reply.text()
}

const measured = async () => {
  const times = []
  for (let n = 0; n < calls; n++) times.push(await time(() => evaluate(quiet, "1+2")))
  return times
}

/** `clients` of the other principal call until it is over; gives how many answers they had. */
const beside = async (clients, code, work) => {
  let ended = false
  let answers = 0
  const all = Array.from({ length: clients }, async (_, n) => {
    while (!ended) {
      await evaluate(greedy, code, `s${n % 8}`)
      answers++
    }
  })
  const times = await work()
  ended = true
  await Promise.all(all)
  return { times, answers }
}

await beside(4, "1+2", measured)
const loads = [
  ["short calls of 4 clients", 4, "1+2"],
  ["short calls of 64 clients", 64, "1+2"],
  ["loops in 8 sessions", 8, "i:0;while[i<100000;i+:1]"],
]
const rows = []
const alone = []
for (const [name, clients, code] of loads) {
  alone.push(...(await measured()))
  const { times, answers } = await beside(clients, code, measured)
  rows.push({ name, times, answers })
}
const p99 = (times) => times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)]
console.log(`${calls} calls of one principal beside another one, node ${process.version}`)
printTable([
  ["beside it", "median ms", "ratio", "p99 ms", "answers to the other"],
  ["nobody", median(alone).toFixed(2), ratio(1, 1), p99(alone).toFixed(1), ""],
  ...rows.map(({ name, times, answers }) => [
    name,
    median(times).toFixed(2),
    ratio(median(times), median(alone)),
    p99(times).toFixed(1),
    String(answers),
  ]),
])
server.kill("SIGTERM")
await new Promise((resolve) => server.once("exit", resolve))
rmSync(folder, { recursive: true, force: true })
