/** The process that kills a machine's interpreters when its lease runs out. `Lease.test.ts` and the tests of clusters have the rest of it. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { expect, it, onTestFinished } from "vitest"
import { program } from "../../src/platform/watchdog.ts"

const movedClock = pathToFileURL(join(import.meta.dirname, "../lib/movedClock.mjs")).href
/** Each look of the watchdog at its lease says so afterwards. */
const audible = `const real = setInterval
globalThis.setInterval = (look, ms) => real(() => { look(); process.stderr.write("looked\\n") }, ms)`

/** A watchdog over one process. */
const watching = async (leaseMs: number) => {
  const watched = spawn("sleep", ["1000"], { detached: true, stdio: "ignore" })
  onTestFinished(() => void watched.kill("SIGKILL"))
  const imports = [movedClock, `data:text/javascript,${encodeURIComponent(audible)}`].flatMap((each) => ["--import", each])
  const watchdog = spawn(process.execPath, [...imports, "-e", program(leaseMs)], { stdio: ["pipe", "ignore", "pipe"] })
  onTestFinished(() => void watchdog.kill("SIGKILL"))
  let said = ""
  watchdog.stderr.setEncoding("utf8").on("data", (text: string) => (said += text))
  watchdog.stdin.write(`.\n+${watched.pid}\n`)
  await expect.poll(() => said).toContain("looked")
  return { watched, watchdog, said: () => said }
}

it("X4 the clock jumps by a day: the lease counts on, and no interpreter is killed", async () => {
  const { watched, watchdog, said } = await watching(600_000)
  for (const moved of ["by 86400000", "by -86400000"]) {
    watchdog.kill("SIGUSR2")
    await expect.poll(() => said().split(moved)[1] ?? "").toMatch(/looked\n[^]*looked\n/)
  }
  expect(watched.signalCode).toBe(null)
})

it("X4 the interpreters of a lease that is not renewed are killed", async () => {
  const { watched } = await watching(1000)
  if (watched.signalCode === null) await once(watched, "exit")
  expect(watched.signalCode).toBe("SIGKILL")
})
