/**
 * Launch → first answer behind the fence, against the same engine without one; runs alternate. Usage: [K3_BUILD_DIR=…] node bench/fence.mjs [RUNS]
 */
import { median, ms, ourServer, printTable, ratio, startServer, time } from "./measure.mjs"

const runs = Number(process.argv[2] ?? 15)
const build = process.env.K3_BUILD_DIR
const engines = build === undefined ? ["embedded"] : ["embedded", "k3csharp"]

/** The first child launches the server's parts, and tries the fence; the second, of another session, is measured. */
const measured = async (engine, fence) => {
  const server = startServer([
    ourServer,
    "--engine",
    engine,
    "--fence",
    fence,
    "--state-dir",
    "none",
    ...(build === undefined ? [] : ["--build-dir", build]),
  ])
  await server.initialize()
  const evaluate = (session) => server.call("k_eval", { code: "1+1", session })
  await evaluate("first")
  const elapsed = await time(() => evaluate("second"))
  await server.close()
  return elapsed
}

const rows = [["engine", "no fence, ms", "fence, ms", "ratio", "no fence, least", "fence, least", "ratio"]]
for (const engine of engines) {
  const off = []
  const required = []
  for (let run = -1; run < runs; run++) {
    const pair = [await measured(engine, "off"), await measured(engine, "required")]
    if (run < 0) continue
    off.push(pair[0])
    required.push(pair[1])
  }
  const compared = (of) => [ms(of(off)), ms(of(required)), ratio(of(required), of(off))]
  rows.push([engine, ...compared(median), ...compared((times) => Math.min(...times))])
}
console.log(`launch → first answer, node ${process.version}, median and least of ${runs}`)
printTable(rows)
