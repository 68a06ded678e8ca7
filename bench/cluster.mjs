/**
 * Benchmark of a cluster on one machine, against one server without a cluster. Measures the time of `k_eval` of `1+2`; the bytes of database log
 * of an evaluation that changes a variable; the bytes of log and the commits a second at rest; the calls a second with 1, 2 and 4 runners; and
 * the time from SIGTERM or `kill -9` of a session's runner to the session's next answer. Needs PostgreSQL and Node 22.19.
 * Usage: node bench/cluster.mjs [CALLS] [SECONDS]
 */
import { spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { loadavg, tmpdir } from "node:os"
import { join } from "node:path"
import { needRecentNode } from "../test/lib/recentNode.mjs"
import { median, ms, ourServer, printTable, quantile, ratio, time } from "./measure.mjs"

needRecentNode()
const { LocalCluster, saidByFront } = await import("../test/lib/localCluster.ts")
const { Caller } = await import("../test/lib/caller.ts")

const calls = Number(process.argv[2] ?? 1000)
const seconds = Number(process.argv[3] ?? 3)
const turn = 100
const sessions = 16
const env = { K3_FENCE: "off", K3_MAX_SESSIONS: "100", K3_HTTP_CONNECTIONS: "1000", K3_HTTP_REQUESTS: "4000" }

/** Starts a server without a cluster; its store is a folder. */
const alone = async () => {
  const folder = mkdtempSync(join(tmpdir(), "k3-alone-"))
  const flags = ["--engine", "embedded", "--no-stdio", "--listen", "127.0.0.1:0", "--state-dir", folder]
  const child = spawn(process.execPath, [ourServer, ...flags], { stdio: ["ignore", "ignore", "pipe"], env: { ...process.env, ...env } })
  const ended = new Promise((resolve) => child.once("exit", resolve))
  const url = await new Promise((resolve) => {
    let said = ""
    child.stderr.setEncoding("utf8").on("data", (text) => {
      said += text
      const found = saidByFront.exec(said)
      if (found !== null) resolve(found[1])
    })
  })
  const end = async () => {
    child.kill("SIGTERM")
    await ended
    rmSync(folder, { recursive: true, force: true })
  }
  return { url, token: readFileSync(join(folder, "token"), "utf8").trim(), end }
}

const told = async (caller, url, name, given) => {
  const answer = await caller.call(url, name, given, 60_000)
  if (answer.kind !== "reply" || answer.isError) throw new Error(JSON.stringify(answer))
  return answer.structured
}
const evaluate = (caller, url, session = "main", code = "1+2") => told(caller, url, "k_eval", { session, code })

/** The calls a second of all sessions together. Each session makes one call after the other. */
const rate = async (caller, url) => {
  const names = Array.from({ length: sessions }, (_, n) => `s${n}`)
  // A runner that joins takes sessions over, and calls to these sessions may fail. The time begins after five successful calls in a row in each.
  const settle = async (name) => {
    for (let answered = 0; answered < 5;) {
      const answer = await caller.call(url, "k_eval", { session: name, code: "1" }, 60_000)
      answered = answer.kind === "reply" && !answer.isError ? answered + 1 : 0
    }
  }
  await Promise.all(names.map(settle))
  let done = 0
  const until = performance.now() + 1000 * seconds
  const work = async (name) => {
    while (performance.now() < until) {
      const answer = await caller.call(url, "k_eval", { session: name, code: "1+2" }, 60_000)
      if (answer.kind === "reply" && !answer.isError) done++
    }
  }
  await Promise.all(names.map(work))
  return (done / seconds).toFixed(0)
}

const cluster = await LocalCluster.start({ env })
const single = await alone()
try {
  await cluster.runner()
  const { address: url } = await cluster.front()
  const caller = new Caller(cluster.token, 64)
  const bare = new Caller(single.token, 64)
  const contestants = [
    { name: "one server", run: () => evaluate(bare, single.url), times: [] },
    { name: "front end and runner", run: () => evaluate(caller, url), times: [] },
  ]
  for (const { run } of contestants) for (let n = 0; n < 300; n++) await run()
  for (let done = 0; done < calls; done += turn)
    for (const { run, times } of contestants) for (let n = 0; n < turn; n++) times.push(await time(run))
  console.log(`k_eval of 1+2 over HTTP, node ${process.version}, ${calls} calls each, load ${loadavg()[0].toFixed(1)}`)
  const base = median(contestants[0].times)
  printTable([
    ["", "median ms", "99 % ms", "median"],
    ...contestants.map(({ name, times }) => [name, ms(median(times)), ms(quantile(times, 0.99)), ratio(median(times), base)]),
  ])

  const written = async () =>
    (await cluster.postgres.run("SELECT pg_current_wal_insert_lsn() - '0/0', xact_commit FROM pg_stat_database WHERE datname = 'postgres'"))
      .split("|")
      .map(Number)
  /** The number of evaluations that change a variable; each is measured until it is written. */
  const count = 20
  const changes = []
  for (let n = 0; n < count; n++) {
    const [bytesBefore] = await written()
    await evaluate(caller, url, "main", `b:${n};`)
    for (;;) {
      const { disk } = await told(caller, url, "k_status", {})
      if (disk.behind === 0) break
    }
    const [bytesAfter] = await written()
    changes.push(bytesAfter - bytesBefore)
  }
  const quiet = await written()
  await new Promise((resolve) => setTimeout(resolve, 10_000))
  const later = await written()
  console.log(`\nthe database, one evaluation that changes a variable until it is written: ${median(changes)} bytes of log`)
  console.log(
    `at rest, one runner and one front end: ${(later[0] - quiet[0]) / 10} bytes of log and ${(later[1] - quiet[1]) / 10} commits a second`,
  )

  console.log(`\ncalls a second of ${sessions} sessions at once, ${seconds} s`)
  const rates = [["one server", await rate(bare, single.url)]]
  for (const wanted of [1, 2, 4]) {
    const runners = () => [...cluster.machines].filter(({ role }) => role === "runner").length
    while (runners() < wanted) await cluster.runner()
    rates.push([`${wanted} runners`, await rate(caller, url)])
  }
  printTable([["", "a second"], ...rates])

  const failovers = []
  for (const signal of ["SIGTERM", "SIGTERM", "SIGTERM", "SIGKILL", "SIGKILL", "SIGKILL"]) {
    await evaluate(caller, url, "main", "b:1;")
    const { machine } = await told(caller, url, "k_status", {})
    const owner = [...cluster.machines].find(({ address }) => machine.startsWith(`${address}#`))
    owner.process.kill(signal)
    const begun = performance.now()
    for (;;) {
      const answer = await caller.call(url, "k_eval", { session: "main", code: "b" }, 60_000)
      const { machine: now } = await told(caller, url, "k_status", {})
      if (answer.kind === "reply" && !answer.isError && now !== machine) break
    }
    failovers.push([signal, ((performance.now() - begun) / 1000).toFixed(1)])
    await cluster.runner()
  }
  console.log("")
  printTable([["", "s until the next answer elsewhere"], ...failovers])
  caller.end()
  bare.end()
} finally {
  await single.end()
  await cluster.end()
}
