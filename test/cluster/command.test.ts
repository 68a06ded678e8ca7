/** `npm run cluster`: the command that starts five machines and a database serves an MCP client, which outlives the loss of a machine. */
import { spawn } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { gone } from "../e2e/server.ts"
import { clientOf, statusOf } from "./machines.ts"
import { node, skipped, why } from "./prerequisites.ts"

const command = join(import.meta.dirname, "../cluster.mjs")

describe(`one command for a cluster${why}`, () => {
  it.skipIf(skipped)(
    "serves a client over HTTP; a machine killed in the middle of an evaluation is told of, and it goes on elsewhere with its variables",
    { timeout: 150_000 },
    async () => {
      const own = spawn(node!, [command, "0"], { stdio: ["ignore", "pipe", "inherit"], env: { ...process.env, K3_FENCE: "off" } })
      const ended = new Promise<number | null>((resolve) => own.once("exit", resolve))
      onTestFinished(async () => {
        own.kill()
        await ended
      })
      let said = ""
      own.stdout.setEncoding("utf8").on("data", (chunk: string) => (said += chunk))
      await expect.poll(() => said, { timeout: 60_000 }).toContain("Ready.")
      const machines = [...said.matchAll(/^(runner|front) +(\S+) \(pid (\d+)\)$/gm)].map(([, role, address, pid]) => ({
        role,
        address: address!,
        pid: Number(pid),
      }))
      expect(machines.map(({ role }) => role)).toEqual(["runner", "runner", "runner", "front", "front"])
      const folder = /^folder +(\S+)/m.exec(said)![1]!
      const token = readFileSync(/^token +(\S+)$/m.exec(said)![1]!, "utf8").trim()
      const [one, other] = await Promise.all(machines.slice(3).map(({ address }) => clientOf(new URL(address), token)))
      expect((await one!.call("k_eval", { code: "kept:42\nkept" })).text).toBe("42\n")
      // The write that follows an evaluation.
      await expect.poll(async () => (await one!.call("k_status")).structured.disk.behind).toBe(0)
      const before = await statusOf(one!.call)
      const owner = machines.find(({ address }) => String(before.machine).startsWith(`${address}#`))!
      const begun = join(folder, "begun.l")
      const lost = one!.call("k_eval", { code: `"${begun}" 5:,"begun"\nwhile[1;1]`, timeout_ms: 60_000 })
      await expect.poll(() => existsSync(begun)).toBe(true)
      process.kill(owner.pid, "SIGKILL")
      const told = await lost
      expect(told.isError).toBe(true)
      expect(told.text).toContain("The machine that ran this was lost; it may have run in part, and is not run again")
      const next = await one!.call("k_eval", { code: "kept" })
      expect(next.text).toContain("42")
      expect((await other!.call("k_eval", { code: "kept+1" })).text).toContain("43")
      const after = await statusOf(other!.call)
      expect(after.machine).not.toBe(before.machine)
      expect(readFileSync(begun, "latin1").split("begun").length - 1).toBe(1)
      own.kill("SIGINT")
      expect(await ended).toBe(0)
      for (const { pid } of machines) await gone(pid)
      for (const { pid } of [before, after]) await gone(pid)
      expect(existsSync(folder)).toBe(false)
    },
  )
})
