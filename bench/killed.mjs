/**
 * A kill → the next answered evaluation, with 100 MB of variables held, against a bare launch of the embedded engine and its first
 * answer, and against the same with nothing held and with a spare; runs alternate. Beside it the longest call of another session while
 * the 100 MB are restored. Usage: node bench/killed.mjs [RUNS]
 */
import { bareLaunch, embedded, killable, median, ms, ourServer, printTable, ratio, startServer, time } from "./measure.mjs"

const runs = Number(process.argv[2] ?? 9)
const flags = ["--engine", "embedded", "--state-dir", "none", ...killable]

const held = async (assign, more = []) => {
  const server = startServer([ourServer, ...flags, ...more])
  await server.initialize()
  await server.evaluate(assign)
  await server.call("k_snapshot", { action: "save" })
  return server
}
/** Kills the child in the middle of a loop. `took`: ms until the next evaluation is answered; `longest`: ms of another session's slowest call. */
const killed = async (server, spared = false) => {
  let now = await server.call("k_status")
  if (spared) while (now.spare_pid === undefined) now = await server.call("k_status")
  const { pid } = now
  const loop = server.evaluate("while[1;1]")
  while ((await server.call("k_status")).running === undefined) await new Promise((resolve) => setTimeout(resolve, 2))
  process.kill(pid, "SIGKILL")
  const state = { answered: false, longest: 0 }
  const beside = (async () => {
    while (!state.answered) state.longest = Math.max(state.longest, await time(() => server.evaluate("1+2", { session: "other" })))
  })()
  const took = await time(async () => {
    await loop
    await server.evaluate("1+2")
  })
  state.answered = true
  await beside
  const { notice } = await server.call("k_snapshot", { action: "diff" })
  if (!notice.includes("generation")) throw new Error(`the variables were not restored: ${notice}`)
  return { took, longest: state.longest }
}

const nothing = await held("x:1")
const hundred = `.:'"v",/:($!8),\\:":!3276800"`
const much = await held(hundred)
const spared = await held(hundred, ["--spare", "1"])
for (const server of [nothing, much, spared]) await server.evaluate("1+2", { session: "other" })
const [launch, few, many, withSpare, stall] = [[], [], [], [], []]
for (let run = 0; run < runs; run++) {
  launch.push(await bareLaunch([process.execPath, embedded, "--mcp"]))
  few.push((await killed(nothing)).took)
  const { took, longest } = await killed(much)
  many.push(took)
  stall.push(longest)
  withSpare.push((await killed(spared, true)).took)
}
await nothing.close()
await much.close()
await spared.close()
console.log(`\nkill → next answer on embedded, node ${process.version}, median of ${runs}`)
printTable([
  ["", "ms", "against a bare launch"],
  ["bare launch and first answer", ms(median(launch)), ratio(1, 1)],
  ["1 variable held", ms(median(few)), ratio(median(few), median(launch))],
  ["100 MB held in 8 variables", ms(median(many)), ratio(median(many), median(launch))],
  ["the same with a spare", ms(median(withSpare)), ratio(median(withSpare), median(launch))],
  ["another session meanwhile, the longest call", ms(median(stall)), ratio(median(stall), median(launch))],
])
