/**
 * `k_eval` of `1+2` on servers with many variables, sessions or entries of history, which must not slow it, against an empty one, in turns of
 * a few dozen calls. Usage: node bench/holding.mjs [CALLS] [ENTRIES]
 */
import { median, ms, ourServer, printTable, quantile, ratio, startServer, time } from "./measure.mjs"

const calls = Number(process.argv[2] ?? 3000)
const turn = 50
const entries = Number(process.argv[3] ?? 100_000)
const flags = ["--engine", "embedded", "--state-dir", "none", "--max-sessions", "17"]
const other = ["--history-kept", "1GiB"]

const start = async (name, fill = async () => {}, more = []) => {
  const server = startServer([ourServer, ...flags, ...more])
  await server.initialize()
  await fill(server)
  return { name, ...server, times: [] }
}
const contest = async (contestants) => {
  for (const { evaluate } of contestants) for (let call = 0; call < 2000; call++) await evaluate("1+2")
  for (let done = 0; done < calls; done += turn)
    for (const { evaluate, times } of contestants) for (let call = 0; call < turn; call++) times.push(await time(() => evaluate("1+2")))
  const [reference] = contestants
  console.log(`\nk_eval of 1+2, node ${process.version}, ${calls} calls each`)
  printTable([
    ["", "median ms", "99 % ms", "median", "99 %"],
    ...contestants.map(({ name, times }) => [
      name,
      ms(median(times)),
      ms(quantile(times, 0.99)),
      ratio(median(times), median(reference.times)),
      ratio(quantile(times, 0.99), quantile(reference.times, 0.99)),
    ]),
  ])
  await Promise.all(contestants.map(({ close }) => close()))
}

const variables = async ({ evaluate, request }) => {
  await evaluate(`.:'"v",/:($!100000),\\:":1";0`)
  // Waits until all of them have been captured.
  await request("tools/call", { name: "k_snapshot", arguments: { action: "save" } })
}
const sessions = async ({ evaluate }) => {
  for (let at = 0; at < 15; at++) await evaluate("x:1", { session: `s${at}` })
}
const history = async ({ evaluate }) => {
  for (let done = 0; done < entries; done += 100) await Promise.all(Array.from({ length: 100 }, () => evaluate("1+2")))
}

await contest([
  await start("nothing held"),
  await start("100,000 variables", variables),
  await start("16 sessions", sessions),
  await start(`${entries} entries in the history`, history, other),
])
