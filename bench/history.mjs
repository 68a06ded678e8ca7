/**
 * `k_eval` of `1+2` on a server whose session has ENTRIES entries in its history, against one with an empty history, in turns. Usage: node bench/history.mjs [ENTRIES] [CALLS]
 */
import { median, ms, ourServer, printTable, quantile, ratio, residentMB, startServer, time } from "./measure.mjs"

const entries = Number(process.argv[2] ?? 1_000_000)
const calls = Number(process.argv[3] ?? 3000)
const turn = 250
const flags = ["--engine", "embedded", "--history-kept", "1GiB", "--state-dir", "none"]

const start = async (name) => {
  const server = startServer([ourServer, ...flags])
  await server.initialize()
  return { name, ...server, times: [] }
}

const full = await start(`${entries} entries`)
const fresh = await start("empty history")
for (let done = 0; done < entries; done += 100) await Promise.all(Array.from({ length: 100 }, () => full.evaluate("1+2")))
const newest = await full.request("tools/call", { name: "k_history", arguments: { action: "list", limit: 1 } })
const held = newest.structuredContent.entries[0].n
for (let call = 0; call < 3000; call++) await fresh.evaluate("1+2")
// Both servers are warm now; 3,000 entries count as an empty history.
for (let done = 0; done < calls; done += turn)
  for (const { evaluate, times } of [full, fresh]) for (let call = 0; call < turn; call++) times.push(await time(() => evaluate("1+2")))

console.log(`\nk_eval of 1+2, newest entry ${held}, node ${process.version}, ${calls} calls each`)
printTable([
  ["", "median ms", "99 % ms", "median", "99 %", "server MB"],
  ...[full, fresh].map(({ name, times, pid }) => [
    name,
    ms(median(times)),
    ms(quantile(times, 0.99)),
    ratio(median(times), median(fresh.times)),
    ratio(quantile(times, 0.99), quantile(fresh.times, 0.99)),
    residentMB(pid).toFixed(0),
  ]),
])
await Promise.all([full.close(), fresh.close()])
