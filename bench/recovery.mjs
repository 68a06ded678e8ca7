/**
 * The deadline's reply → the next answered evaluation, against a bare launch of the engine and its first answer; runs alternate. And the
 * death of the child, by SIGKILL from outside → the next answered evaluation, without and with a spare.
 * Usage: node bench/recovery.mjs [RUNS]
 */
import { bareLaunch, engines, killable, median, ms, ourServer, printTable, ratio, startServer, time } from "./measure.mjs"

const runs = Number(process.argv[2] ?? 15)
const deadline = 200
const runaway = "while[1;zz:1]"

/** Milliseconds from the death of an idle server's child to the next answer. Waits for a status that `isReady` takes. */
const afterDeath = async (server, isReady) => {
  let now
  do now = await server.call("k_status")
  while (!isReady(now))
  return time(async () => {
    process.kill(now.pid, "SIGKILL")
    for (;;) {
      const reply = await server.evaluate("1+2")
      if (reply.isError !== true && reply.structuredContent.generation > now.generation) return
    }
  })
}

for (const { name, child, flags } of engines) {
  const ours = startServer([ourServer, ...flags, ...killable])
  await ours.initialize()
  await ours.evaluate("1+2")
  const spared = startServer([ourServer, ...flags, ...killable, "--spare", "1"])
  await spared.initialize()
  await spared.evaluate("1+2")
  const launch = []
  const death = []
  const sparedDeath = []
  const late = []
  const recovery = []
  for (let run = 0; run < runs; run++) {
    launch.push(await bareLaunch(child))
    late.push((await time(() => ours.evaluate(runaway, { timeout_ms: deadline }))) - deadline)
    recovery.push(await time(() => ours.evaluate("1+2")))
    death.push(await afterDeath(ours, ({ pid }) => pid !== undefined))
    sparedDeath.push(await afterDeath(spared, ({ spare_pid }) => spare_pid !== undefined))
  }
  await ours.close()
  await spared.close()
  console.log(`\ndeadline of ${deadline} ms → next answer on ${name}, node ${process.version}, median of ${runs}`)
  printTable([
    ["", "ms", "against a bare launch"],
    ["bare launch and first answer", ms(median(launch)), ratio(1, 1)],
    ["deadline passed → its reply", ms(median(late)), ratio(median(late), median(launch))],
    ["its reply → next answer", ms(median(recovery)), ratio(median(recovery), median(launch))],
    ["death of the child → next answer", ms(median(death)), ratio(median(death), median(launch))],
    ["the same with a spare", ms(median(sparedDeath)), ratio(median(sparedDeath), median(launch))],
  ])
}
