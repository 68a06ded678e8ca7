/**
 * A thousand kills in the middle of an evaluation. After each, the variables have their values of before; at the end, the server's memory is
 * within 5 % of its size at the beginning, and no process is left. Memory is measured after a collection of garbage, once the parts with a limit
 * (history, the latest inputs, crash records) have reached it. Exit code 1 otherwise. Linux.
 * Usage: node test/kills.mjs [KILLS] [ENGINE]
 */
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { engines, killable, median, ourServer, residentMB, startServer } from "../bench/measure.mjs"

const kills = Number(process.argv[2] ?? 1000)
const flags = ["--state-dir", "none", "--history-kept", "1MiB", ...killable]
const collecting = ["-r", fileURLToPath(new URL("lib/collect.cjs", import.meta.url))]
const settled = 0.2

/** When a process began, in ticks, which tells it from a later one of the same id; undefined when there is none. */
const beganAt = (pid) => {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1).split(" ")[19]
  } catch {
    return undefined
  }
}
const identity = (pid) => ({ pid, began: beganAt(pid) })
const isAlive = ({ pid, began }) => beganAt(pid) === began

const soak = async ({ name, flags: engine }) => {
  const server = startServer([...collecting, ourServer, ...engine, ...flags])
  await server.initialize()
  const { call } = server
  const problems = []
  const expect = (what, seen, wanted) => {
    if (JSON.stringify(seen) !== JSON.stringify(wanted)) problems.push(`${what}: ${JSON.stringify(seen)}, not ${JSON.stringify(wanted)}`)
  }
  await server.evaluate('a:!50000\nb:1%3\nc:("text";`s;1 2 3)\nf:{x+1}\nd:.((`a;1);(`b;2))\nn:0')
  await call("k_snapshot", { action: "save" })
  // Fills the history, and the latest inputs beside it.
  for (let at = 0; at < 200; at++) await server.evaluate(`0;"${"x".repeat(10_000)}";0`)
  const killed = []
  const memory = []
  const heldMB = async () => {
    process.kill(server.pid, "SIGUSR2")
    // Two replies later it has heard of it.
    for (let reply = 0; reply < 2; reply++) await call("k_status")
    return residentMB(server.pid)
  }
  for (let kill = 1; kill <= kills && problems.length === 0; kill++) {
    await server.evaluate(`n:${kill}`)
    await call("k_snapshot", { action: "diff" })
    const { pid } = await call("k_status")
    killed.push(identity(pid))
    const lost = server.evaluate("a:0\nn:-1\nwhile[1;1]")
    while ((await call("k_status")).running?.statement !== "while[1;1]") await new Promise((resolve) => setTimeout(resolve, 2))
    process.kill(pid, "SIGKILL")
    expect(`kill ${kill}, its reply`, (await lost).structuredContent.error?.name, "crash")
    expect(`kill ${kill}, n`, (await call("k_eval", { code: "n" })).output.trim(), String(kill))
    const { changes } = await call("k_snapshot", { action: "diff" })
    expect(
      `kill ${kill}, differences`,
      changes?.map((each) => each.name),
      [".k.n"],
    )
    if (kill % 5 === 0) memory.push(await heldMB())
    if (kill % 100 === 0) console.log(`${name}: ${kill} kills, ${memory.at(-1)?.toFixed(1)} MB`)
  }
  expect("processes left while it runs", killed.filter(isAlive), [])
  const last = [identity((await call("k_status")).pid), identity(server.pid)]
  await server.close()
  expect("processes left at the end", last.filter(isAlive), [])
  // A server settles in its first fifth; a short run shows nothing.
  const tenth = Math.floor(memory.length / 10)
  const from = Math.floor(memory.length * settled)
  const [early, late] = [median(memory.slice(from, from + tenth)), median(memory.slice(-tenth))]
  if (problems.length === 0 && kills >= 200 && late > early * 1.05)
    problems.push(`memory grew from ${early.toFixed(1)} to ${late.toFixed(1)} MB`)
  const grown = early === undefined ? "" : `, memory ${early.toFixed(1)} → ${late.toFixed(1)} MB`
  console.log(problems.length === 0 ? `${name}: ${kills} kills, variables equal after each, no process left${grown}` : problems.join("\n"))
  return problems.length === 0
}

let well = true
for (const engine of engines) if ([undefined, engine.name].includes(process.argv[3])) well = (await soak(engine)) && well
process.exitCode = well ? 0 : 1
