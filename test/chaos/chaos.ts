/** The chaos run, which `run.mjs` describes and starts. */
import { mkdirSync, readdirSync, readFileSync, readlinkSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { Caller } from "../lib/caller.ts"
import { builtServer, LocalCluster } from "../lib/localCluster.ts"
import { randomFrom } from "../lib/random.ts"
import { makeClient, type Tally } from "./client.ts"
import { makeFaults } from "./faults.ts"

interface Given {
  readonly seconds: number
  readonly seed: number
  readonly sessions: number
  readonly from: string | undefined
  /** Resolves when the run has to end early. */
  readonly told: Promise<unknown>
}

type Client = ReturnType<typeof makeClient>
type Row = readonly [what: string, value: string | number]

const env = {
  K3_FENCE: "off",
  K3_MAX_SESSIONS: "1000",
  K3_RESTART_CRASHES: "1000",
  K3_HTTP_CONNECTIONS: "1000",
  K3_HTTP_REQUESTS: "4000",
  K3_CHILD_MEMORY: "256MiB",
}
/** The pause between two faults is 500 ms and a random time below this, ms. */
const gap = 4000
/** The time reserved at the end of the run for the replacement of all machines, ms. */
const rolling = 25_000
/** A run that takes longer than its load by this time fails with a description of its state, ms. */
const longestRest = 600_000

/** Yields all names in a random order, then all again in another order, without end. */
async function* shuffled(names: readonly string[], random: () => number): AsyncGenerator<string> {
  for (;;)
    yield* names
      .map((name) => [random(), name] as const)
      .sort(([a], [b]) => a - b)
      .map(([, name]) => name)
}

/** The number of starts of each evaluation, counted from the tokens that evaluations append to the files of the folder. */
const startsIn = (folder: string): ReadonlyMap<string, number> => {
  const starts = new Map<string, number>()
  for (const file of readdirSync(folder))
    for (const [, token] of readFileSync(join(folder, file), "latin1").matchAll(/<(s\d+\.\d+)>/g))
      starts.set(token!, (starts.get(token!) ?? 0) + 1)
  return starts
}

/** The processes whose working folder is in the cluster's folder. Waits up to two minutes for their end, since a busy machine is slow. */
const processesLeft = async (folder: string): Promise<readonly string[]> => {
  const look = (): readonly string[] =>
    readdirSync("/proc").flatMap((pid) => {
      try {
        if (!/^\d+$/.test(pid) || !readlinkSync(`/proc/${pid}/cwd`).startsWith(folder)) return []
        return [`${pid} ${readFileSync(`/proc/${pid}/cmdline`, "latin1").replaceAll("\0", " ")}`]
      } catch {
        return []
      }
    })
  for (const until = performance.now() + 120_000; performance.now() < until && look().length > 0;) await pause(100)
  return look()
}

const judgeStarts = (clients: readonly Client[], starts: ReadonlyMap<string, number>, { complaints }: Tally): readonly Row[] => {
  const twice = [...starts].filter(([, n]) => n > 1)
  for (const [token, n] of twice) complaints.push(`evaluation ${token} was started ${n} times`)
  const acknowledged = clients.flatMap(({ model }) => Array.from(model.acknowledged, (n) => `${model.session}.${n}`))
  const missing = acknowledged.filter((token) => !starts.has(token))
  for (const token of missing) complaints.push(`evaluation ${token} was acknowledged and never started`)
  return [
    ["evaluations acknowledged", acknowledged.length],
    ["evaluations without an answer that ran", [...starts.keys()].filter((token) => !acknowledged.includes(token)).length],
    ["evaluations started twice", twice.length],
    ["evaluations acknowledged, never started", missing.length],
  ]
}

const quantile = (sorted: readonly number[], q: number): string =>
  `${Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? 0)} ms`

/** The calls that wait, and the machines that run or start, with the ends of their logs. */
const stateOf = ({ running }: LocalCluster, clients: readonly Client[]): readonly string[] => [
  ...clients.flatMap(({ waits }) => waits() ?? []),
  ...Array.from(running, ({ name, process, log }) => `${name}, process ${process.pid}:\n${log().slice(-1500)}`),
]

export const chaos = async ({ seconds, seed, sessions, from = builtServer, told }: Given) => {
  const random = randomFrom(seed)
  const cluster = await LocalCluster.start({ env })
  cluster.server = from
  const tally: Tally = { counts: new Map(), times: [], complaints: [], pids: new Set() }
  const faults = makeFaults(cluster, random)
  const happened = new Map<string, number>()
  const started = performance.now()
  let step = ""
  const enter = (what: string): void => {
    step = what
    console.error(`${((performance.now() - started) / 1000).toFixed(1)} s: ${what}`)
  }
  let clients: readonly Client[] = []
  const run = async () => {
    enter("the start of the machines")
    await Promise.all([cluster.runner(), cluster.runner(), cluster.runner(), cluster.front()])
    await cluster.front()
    const folder = join(cluster.shared, "starts")
    mkdirSync(folder)
    const caller = new Caller(cluster.token, 4 * sessions)
    let isOver = false
    void told.then(() => (isOver = true))
    let disturbed = performance.now()
    let isDisturbed = false
    let turn = 0
    clients = Array.from({ length: sessions }, (_, n) =>
      makeClient({
        session: `s${n}`,
        caller,
        random: randomFrom(seed + n + 1),
        tally,
        folder,
        url: () => faults.urls()[turn++ % faults.urls().length] ?? "http://127.0.0.1:9/mcp",
        isCalm: (since) => !isDisturbed && disturbed < since,
      }),
    )
    const begun = performance.now()
    const remaining = (): number => seconds * 1000 - (performance.now() - begun)
    const working = Promise.all(clients.map(({ work }) => work(() => isOver)))
    const during = async (what: string, run: () => Promise<void>): Promise<void> => {
      happened.set(what, (happened.get(what) ?? 0) + 1)
      enter(what)
      isDisturbed = true
      await run()
      isDisturbed = false
      disturbed = performance.now()
    }
    await pause(Math.min(5000, seconds * 100))
    for await (const what of shuffled(Object.keys(faults.kinds), random)) {
      if (isOver || remaining() < rolling) break
      await during(what, faults.kinds[what]!)
      await pause(500 + random() * gap)
    }
    cluster.server = builtServer
    if (!isOver) await during("all machines replaced one by one", faults.roll)
    isOver = true
    enter("the last calls of the clients")
    await working
    enter("the last check of the sessions")
    await Promise.all(clients.map(({ finish }) => finish()))
    caller.end()
    const took = (performance.now() - begun) / 1000
    const starts = startsIn(folder)
    enter("the end of the machines")
    await cluster.stop()
    tally.complaints.push(...faults.complaints)
    enter("the end of the interpreters")
    const left = await processesLeft(cluster.shared)
    for (const each of left) tally.complaints.push(`left: ${each}`)
    const times = tally.times.sort((a, b) => a - b)
    const table: readonly Row[] = [
      ["seconds of load", Math.round(took)],
      ["seed", seed],
      ["sessions", sessions],
      ...happened,
      ...[...tally.counts].sort(([a], [b]) => (a < b ? -1 : 1)),
      ...judgeStarts(clients, starts, tally),
      ...["values lost", "values unsaid", "values wrong"].filter((what) => !tally.counts.has(what)).map((what) => [what, 0] as const),
      ["replies missing", tally.counts.get("missing") ?? 0],
      ["interpreters seen", tally.pids.size],
      ["processes left", left.length],
      ["a reply, median", quantile(times, 0.5)],
      ["a reply, 99 %", quantile(times, 0.99)],
      ["a reply, longest", quantile(times, 1)],
    ]
    return { table, complaints: tally.complaints }
  }
  try {
    return (
      (await Promise.race([run(), pause(seconds * 1000 + longestRest, undefined, { ref: false })])) ?? {
        table: [["seed", seed]] as readonly Row[],
        complaints: [...tally.complaints, ...faults.complaints, `the run is held up by ${step}`, ...stateOf(cluster, clients)],
      }
    )
  } finally {
    cluster.kill()
    await cluster.end()
  }
}
