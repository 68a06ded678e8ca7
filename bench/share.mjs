/**
 * `k_eval` of `1+2` over HTTP, one call after the other, while another principal makes as many calls at once as its limits allow, from a thread
 * of its own, against the same without the other principal. Usage: node bench/share.mjs [CALLS]
 */
import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { Agent, request } from "node:http"
import { loadavg, tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads"
import { median, ourServer, printTable, ratio, time } from "./measure.mjs"

const agent = new Agent({ keepAlive: true })

const key = (name) => `io.modelcontextprotocol/${name}`
const evaluate = (url, bearer, code, session = "main") => {
  const params = {
    name: "k_eval",
    arguments: { code, session },
    _meta: {
      [key("protocolVersion")]: "2026-07-28",
      [key("clientCapabilities")]: {},
      [key("clientInfo")]: { name: "bench", version: "1" },
    },
  }
  const headers = {
    authorization: `Bearer ${bearer}`,
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": "tools/call",
    "mcp-name": "k_eval",
  }
  return new Promise((resolve, reject) => {
    request(url, { agent, method: "POST", headers }, (reply) => {
      reply.resume().on("end", () => resolve(reply.statusCode === 200))
    })
      .on("error", reject)
      .end(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }))
  })
}

/** The other principal: its clients call until they are told to end, and repeat a refused call at once. */
const flood = async ({ url, bearer, clients, code }) => {
  let ended = false
  let answers = 0
  let refused = 0
  parentPort.once("message", () => (ended = true))
  const all = Array.from({ length: clients }, async (_, n) => {
    while (!ended) {
      if (await evaluate(url, bearer, code, `s${n % 8}`)) answers++
      else refused++
    }
  })
  await Promise.all(all)
  agent.destroy()
  // oxlint-disable-next-line unicorn/require-post-message-target-origin
  parentPort.postMessage({ answers, refused })
}

const compare = async () => {
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

  const measured = async () => {
    const times = []
    for (let n = 0; n < calls; n++) times.push(await time(() => evaluate(url, quiet, "1+2")))
    return times
  }

  /** Times beside those clients of the other one, and how many answers and refusals these had. */
  const beside = async (clients, code) => {
    const worker = new Worker(fileURLToPath(import.meta.url), { workerData: { url, bearer: greedy, clients, code } })
    await once(worker, "online")
    const times = await measured()
    // oxlint-disable-next-line unicorn/require-post-message-target-origin
    worker.postMessage("end")
    const [counts] = await once(worker, "message")
    return { times, ...counts }
  }

  await beside(4, "1+2")
  const loads = [
    ["short calls of 4 clients", 4, "1+2"],
    ["short calls of 64 clients", 64, "1+2"],
    ["loops in 8 sessions", 8, "i:0;while[i<100000;i+:1]"],
  ]
  const rows = []
  const alone = []
  for (const [name, clients, code] of loads) {
    alone.push(...(await measured()))
    rows.push({ name, ...(await beside(clients, code)) })
  }
  const p99 = (times) => times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)]
  console.log(`${calls} calls of one principal beside another one, node ${process.version}, load ${loadavg()[0].toFixed(1)}`)
  printTable([
    ["beside it", "median ms", "ratio", "p99 ms", "answers to the other", "refused"],
    ["nobody", median(alone).toFixed(2), ratio(1, 1), p99(alone).toFixed(1), "", ""],
    ...rows.map(({ name, times, answers, refused }) => [
      name,
      median(times).toFixed(2),
      ratio(median(times), median(alone)),
      p99(times).toFixed(1),
      String(answers),
      String(refused),
    ]),
  ])
  agent.destroy()
  server.kill("SIGTERM")
  await new Promise((resolve) => server.once("exit", resolve))
  rmSync(folder, { recursive: true, force: true })
}

await (isMainThread ? compare() : flood(workerData))
