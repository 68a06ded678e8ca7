/**
 * 100 MB printed by one evaluation: the rate through k3-mcp against the same bytes read from the bare child, and the server's growth.
 * Linux, for the memory. Usage: node bench/output.mjs [RUNS]
 */
import { engines, median, ourServer, printTable, ratio, residentMB, startChild, startServer, time } from "./measure.mjs"

const runs = Number(process.argv[2] ?? 5)
const megabytes = 100
/** 100 lines of a million characters, made once: the time is that of their transport. */
const prepare = 't:1000000#"x"'
const flood = `do[${megabytes};\`0:,t]`

// K3CSharp is left out: it prints nothing before the end of a statement, and has no room for 100 MB.
for (const { name, child, flags } of engines.filter((each) => each.name === "embedded")) {
  const bare = startChild(child, { counting: true })
  await bare.ready
  const ours = startServer([ourServer, ...flags])
  await ours.initialize()
  await bare.evaluate(prepare)
  await ours.evaluate(prepare)
  const before = residentMB(ours.pid)
  const times = { bare: [], ours: [] }
  let peak = before
  let printed = 0
  for (let run = 0; run < runs; run++) {
    times.bare.push(await time(() => bare.evaluate(flood)))
    let reply
    times.ours.push(await time(async () => (reply = await ours.evaluate(flood, { timeout_ms: 300_000 }))))
    printed = reply.structuredContent.truncated?.bytes ?? 0
    peak = Math.max(peak, residentMB(ours.pid))
  }
  await Promise.all([bare.close(), ours.close()])
  const rate = (of) => megabytes / (median(of) / 1000)
  console.log(`\n${(printed / 1e6).toFixed(1)} MB of output on ${name}, node ${process.version}, median of ${runs}`)
  printTable([
    ["", "MB/s", "rate", "growth MiB"],
    ["bare child", rate(times.bare).toFixed(0), ratio(1, 1), ""],
    ["k3-mcp", rate(times.ours).toFixed(0), ratio(rate(times.ours), rate(times.bare)), (peak - before).toFixed(1)],
  ])
}
