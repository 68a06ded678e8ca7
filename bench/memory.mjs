/**
 * Resident memory of the server process, children not counted: idle, after the first evaluation, for each idle session, and after many
 * calls. The reference is the hand-written server in the same states. Linux. Usage: node bench/memory.mjs [CALLS]
 */
import { embedded, floorServer, ourServer, printTable, ratio, residentMB, startServer } from "./measure.mjs"

const calls = Number(process.argv[2] ?? 100_000)
const sessions = 8

const floor = startServer([floorServer, process.execPath, embedded, "--mcp"])
const ours = startServer([ourServer, "--engine", "embedded", "--max-sessions", String(sessions + 1)])
const rows = [["", "hand-written MB", "k3-mcp MB", "ratio"]]
const note = (state) => {
  const [reference, measured] = [residentMB(floor.pid), residentMB(ours.pid)]
  rows.push([state, reference.toFixed(1), measured.toFixed(1), ratio(measured, reference)])
  return measured
}

await Promise.all([floor.initialize(), ours.initialize()])
await ours.request("tools/list")
note("idle, tools listed")
for (const { evaluate } of [floor, ours]) await evaluate("1+2")
const one = note("one evaluation")
for (let at = 0; at < sessions; at++) await ours.evaluate("1+2", { session: `s${at}` })
const perSession = (residentMB(ours.pid) - one) / sessions
for (const { evaluate } of [floor, ours]) for (let call = 0; call < calls; call++) await evaluate("1+2")
note(`${calls} calls`)
await Promise.all([floor.close(), ours.close()])

console.log(`resident memory of the server, node ${process.version}`)
printTable(rows)
console.log(`each further idle session: ${perSession.toFixed(2)} MB`)
