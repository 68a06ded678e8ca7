/**
 * `k_eval` of `1+2`, one client: the bare child, a hand-written server in front of the same child, and k3-mcp, in turns of a few hundred
 * calls after each has settled. Usage: node bench/evaluate.mjs [CALLS]
 */
import { engines, floorServer, median, ms, ourServer, printTable, quantile, ratio, startChild, startServer, time } from "./measure.mjs"

const calls = Number(process.argv[2] ?? 5000)
const turn = 250

for (const { name, child, flags } of engines) {
  const bare = startChild(child)
  await bare.ready
  const floor = startServer([floorServer, ...child])
  const ours = startServer([ourServer, ...flags])
  await floor.initialize()
  await ours.initialize()
  const contestants = [
    { name: "bare child", evaluate: bare.evaluate, times: [] },
    { name: "hand-written server", evaluate: floor.evaluate, times: [] },
    { name: "k3-mcp", evaluate: ours.evaluate, times: [] },
  ]
  for (const { evaluate } of contestants) for (let call = 0; call < 3000; call++) await evaluate("1+2")
  for (let done = 0; done < calls; done += turn)
    for (const { evaluate, times } of contestants) for (let call = 0; call < turn; call++) times.push(await time(() => evaluate("1+2")))
  await Promise.all([bare.close(), floor.close(), ours.close()])

  const [, reference] = contestants
  console.log(`\nk_eval of 1+2 on ${name}, node ${process.version}, ${calls} calls each`)
  printTable([
    ["", "median ms", "99 % ms", "median", "99 %"],
    ...contestants.map((each) => [
      each.name,
      ms(median(each.times)),
      ms(quantile(each.times, 0.99)),
      ratio(median(each.times), median(reference.times)),
      ratio(quantile(each.times, 0.99), quantile(reference.times, 0.99)),
    ]),
  ])
}
