/**
 * The deadline's reply → the next answered evaluation, against a bare launch of the engine and its first answer; runs alternate.
 * Usage: node bench/recovery.mjs [RUNS]
 */
import { engines, median, ms, ourServer, printTable, ratio, startChild, startServer, time } from "./measure.mjs"

const runs = Number(process.argv[2] ?? 15)
const deadline = 200
const runaway = "while[1;zz:1]"

for (const { name, child, flags } of engines) {
  const ours = startServer([ourServer, ...flags])
  await ours.initialize()
  await ours.evaluate("1+2")
  const launch = []
  const late = []
  const recovery = []
  for (let run = 0; run < runs; run++) {
    let bare
    launch.push(
      await time(async () => {
        bare = startChild(child)
        await bare.ready
        await bare.evaluate("1+2")
      }),
    )
    await bare.close()
    late.push((await time(() => ours.evaluate(runaway, { timeout_ms: deadline }))) - deadline)
    recovery.push(await time(() => ours.evaluate("1+2")))
  }
  await ours.close()
  console.log(`\ndeadline of ${deadline} ms → next answer on ${name}, node ${process.version}, median of ${runs}`)
  printTable([
    ["", "ms", "against a bare launch"],
    ["bare launch and first answer", ms(median(launch)), ratio(1, 1)],
    ["deadline passed → its reply", ms(median(late)), ratio(median(late), median(launch))],
    ["its reply → next answer", ms(median(recovery)), ratio(median(recovery), median(launch))],
  ])
}
