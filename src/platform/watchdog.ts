/**
 * A process beside a server of a cluster that kills the server's interpreters when their lease runs out, or when the server is gone.
 * Guarantees: it depends only on the lines that the server sends, so it works while the server is stopped. It kills the group of each pid, or the
 * process if the pid leads no group. Does not: run longer than the server, except for a last kill.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { spawn } from "node:child_process"
import { Watchdog } from "../cluster/Watchdog.ts"

/**
 * The source of the watchdog's process. Its input is lines: `+PID` to watch a process, `-PID` to forget it, `.` to renew the lease. The process
 * reads the time since the computer started: the monotonic clock stops while the computer sleeps, the wall clock can be set.
 */
export const program = (leaseMs: number): string => `
const { uptime } = require("node:os")
const pids = new Set()
let renewed = uptime()
const kill = () => {
  for (const pid of pids) for (const each of [-pid, pid]) try { process.kill(each, "SIGKILL"); break } catch {}
  pids.clear()
}
let rest = ""
process.stdin.on("data", (chunk) => {
  const lines = (rest + chunk).split("\\n")
  rest = lines.pop()
  for (const line of lines) {
    const pid = Number(line.slice(1))
    if (line === ".") renewed = uptime()
    else if (line[0] === "+" && pid > 1) pids.add(pid)
    else if (line[0] === "-") pids.delete(pid)
  }
})
process.stdin.on("end", () => { kill(); process.exit() })
setInterval(() => { if ((uptime() - renewed) * 1000 > ${leaseMs}) kill() }, 200)
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => {})
`

export const layer = (leaseMs: number) =>
  Layer.effect(
    Watchdog,
    Effect.gen(function* () {
      const watcher = yield* Effect.acquireRelease(
        Effect.sync(() =>
          spawn(process.execPath, ["-e", program(leaseMs)], { detached: true, env: {}, stdio: ["pipe", "ignore", "ignore"] }),
        ),
        (child) => Effect.sync(() => child.stdin.end()),
      )
      // Without the watchdog the lease cannot be enforced, so this server must not hold a session.
      watcher.once("exit", () => process.kill(process.pid, "SIGTERM"))
      watcher.stdin.on("error", () => {})
      yield* Effect.addFinalizer(() => Effect.sync(() => watcher.removeAllListeners("exit")))
      const say = (line: string) => void watcher.stdin.write(`${line}\n`)
      return Watchdog.of({ renew: () => say("."), watch: (pid) => say(`+${pid}`), forget: (pid) => say(`-${pid}`) })
    }),
  )
