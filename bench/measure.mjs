/**
 * What the benchmarks of the server share: a raw JSON-RPC client over a process's pipes, the children that can be asked, and the
 * statistics. Nothing here interprets: a benchmark prints its ratios itself.
 */
import { spawn } from "node:child_process"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const file = (path) => fileURLToPath(new URL(path, import.meta.url))
export const ourServer = file("../dist/k3-mcp.js")
export const floorServer = file("reference/server.mjs")
export const embedded = file("../dist/k3.js")

/** The engines that are here: name, the command of a bare child, the flags that make our server use it. */
export const engines = [
  { name: "embedded", child: [process.execPath, embedded, "--mcp"], flags: ["--engine", "embedded"] },
  ...(process.env.K3_BUILD_DIR && existsSync(join(process.env.K3_BUILD_DIR, "K3CSharp"))
    ? [{ name: "k3csharp", child: [join(process.env.K3_BUILD_DIR, "K3CSharp"), "--mcp"], flags: ["--engine", "k3csharp"] }]
    : []),
]

const environment = { ...process.env, DOTNET_ROLL_FORWARD: "Major", K3_STATE_DIR: "none" }

/** Flags for a server whose children are killed again and again: its breaker stays closed, and its launches wait for nothing. */
export const killable = ["--restart-crashes", "1000", "--restart-window", "1ms", "--restart-first-delay", "1ms"]

/** A JSON-RPC peer on a process. */
export const startServer = (args, { cwd, env = {} } = {}) => {
  const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "ignore"], cwd, env: { ...environment, ...env } })
  const ended = new Promise((resolve) => child.once("exit", resolve))
  const waiting = new Map()
  let next = 1
  let held = ""
  // A killed server closes its input; the request without a reply shows it.
  child.stdin.on("error", () => {})
  child.stdout.setEncoding("utf8").on("data", (chunk) => {
    held += chunk
    for (let end = held.indexOf("\n"); end >= 0; end = held.indexOf("\n")) {
      const message = JSON.parse(held.slice(0, end))
      held = held.slice(end + 1)
      if (message.id === undefined) continue
      waiting.get(message.id)?.(message.result ?? message)
      waiting.delete(message.id)
    }
  })
  const send = (message) => void child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
  /** A request under way: its reply, and `cancel`, after which no reply comes. */
  const sent = (method, params) => {
    const id = next++
    const reply = new Promise((resolve) => waiting.set(id, resolve))
    send({ id, method, params })
    const cancel = () => {
      waiting.delete(id)
      send({ method: "notifications/cancelled", params: { requestId: id } })
    }
    return { reply, cancel }
  }
  const request = (method, params) => sent(method, params).reply
  return {
    pid: child.pid,
    ended,
    sent,
    request,
    initialize: async () => {
      const result = await request("initialize", {
        protocolVersion: "2025-06-18",
        capabilities: {},
        clientInfo: { name: "bench", version: "1" },
      })
      send({ method: "notifications/initialized" })
      return result
    },
    evaluate: (code, rest = {}) => request("tools/call", { name: "k_eval", arguments: { code, ...rest } }),
    /** Structured content of a tool's reply. */
    call: async (name, args = {}) => (await request("tools/call", { name, arguments: args })).structuredContent,
    close: () => {
      child.stdin.end()
      return ended
    },
    kill: () => {
      child.kill("SIGKILL")
      return ended
    },
  }
}

/** A bare child, asked over its own framing; `counting` lets the output go and answers with nothing. */
export const startChild = ([command, ...args], { counting = false } = {}) => {
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "ignore"], env: environment })
  let done
  let last = ""
  child.stdout.setEncoding("latin1").on("data", (chunk) => {
    last = counting ? (last + chunk.slice(-2)).slice(-2) : last + chunk
    if (last.endsWith("\x01\x02")) {
      const reply = last.slice(0, -2)
      last = ""
      done(reply)
    }
  })
  const reply = () => new Promise((resolve) => (done = resolve))
  return {
    ready: reply(),
    evaluate: (code) => {
      const answer = reply()
      child.stdin.write(`${code}\n`)
      return answer
    },
    close: () =>
      new Promise((resolve) => {
        child.once("exit", resolve)
        child.stdin.end()
      }),
  }
}

/** Milliseconds from the launch of a bare child to its first answer. */
export const bareLaunch = async (command) => {
  let child
  const elapsed = await time(async () => {
    child = startChild(command)
    await child.ready
    await child.evaluate("1+2")
  })
  await child.close()
  return elapsed
}

/** Resident memory of a process, MB of 2^20 bytes; Linux. */
export const residentMB = (pid) => Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]) / 1024

/** The most that was ever resident of a process, MB of 2^20 bytes; Linux. */
export const peakMB = (pid) => Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]) / 1024

const childrenOf = (pid) =>
  readdirSync(`/proc/${pid}/task`)
    .flatMap((thread) => readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8").trim().split(" "))
    .filter((child) => child !== "")

/** All processes below one; Linux. */
export const descendants = (pid) => {
  const children = childrenOf(pid).map(Number)
  return children.concat(children.flatMap(descendants))
}

/** The embedded interpreter that a server launched, below others or not; Linux. */
export const childOf = (pid) => {
  for (const child of childrenOf(pid)) {
    const found = readFileSync(`/proc/${child}/cmdline`, "utf8").split("\0")[0] === process.execPath ? Number(child) : childOf(child)
    if (found !== undefined) return found
  }
  return undefined
}

/** CPU time of all threads that a process has; Linux. */
export const cpuNanoseconds = (pid) =>
  readdirSync(`/proc/${pid}/task`)
    .map((thread) => Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0]))
    .reduce((sum, each) => sum + each, 0)

export const quantile = (times, q) => times.toSorted((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * q))]
export const median = (times) => quantile(times, 0.5)

/** Milliseconds of one run. */
export const time = async (run) => {
  const begun = performance.now()
  await run()
  return performance.now() - begun
}

export const ms = (value) => value.toFixed(value < 1 ? 3 : 1)
export const ratio = (value, reference) => `${(value / reference).toFixed(2)}×`

/** A table on standard output, first row the head. */
export const printTable = (rows) => {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => String(row[column]).length)))
  for (const row of rows)
    console.log(
      row
        .map((cell, column) => String(cell).padEnd(widths[column]))
        .join("  ")
        .trimEnd(),
    )
}
