/** Spawn → `initialize` reply, against a hand-written JSON-RPC server on the same Node; runs alternate. Usage: node bench/startup.mjs [RUNS] */
import { floorServer, median, ms, ourServer, printTable, ratio, startServer, time } from "./measure.mjs"

const runs = Number(process.argv[2] ?? 15)

const once = async (args) => {
  let server
  const elapsed = await time(async () => {
    server = startServer(args)
    await server.initialize()
  })
  await server.close()
  return elapsed
}

const floor = []
const ours = []
for (let run = -1; run < runs; run++) {
  const pair = [await once([floorServer, "false"]), await once([ourServer])]
  if (run < 0) continue
  floor.push(pair[0])
  ours.push(pair[1])
}

console.log(`spawn → initialize reply, node ${process.version}, median of ${runs}`)
printTable([
  ["server", "ms", "against the floor"],
  ["hand-written JSON-RPC", ms(median(floor)), ratio(1, 1)],
  ["k3-mcp", ms(median(ours)), ratio(median(ours), median(floor))],
])
