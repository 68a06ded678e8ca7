/**
 * Any tool called with anything, one after the other, on the built server with its interpreter and its state folder: each call ends in one
 * reply that says ok or the next step, none in a defect, and earlier calls never disturb the next.
 */
import { readdirSync } from "node:fs"
import { join } from "node:path"
import * as fc from "fast-check"
import { expect, it } from "vitest"
import { scratchFolder, start } from "../e2e/server.ts"
import { report, tries } from "./scale.ts"
import { toolCall } from "./toolCalls.ts"

it("calls: every one is answered, whatever the ones before it did", { timeout: 36_000_000 }, async () => {
  const folder = scratchFolder()
  const limits = { "eval-timeout": "200ms", "eval-timeout-max": "30s", "restart-crashes": "1000", "restart-first-delay": "1ms" }
  const flags = { engine: "embedded", "state-dir": join(folder, "state"), "build-command": "exit 1", ...limits }
  const server = start(Object.entries(flags).flatMap(([name, value]) => [`--${name}`, value]))
  await server.initialize()
  let made = 0
  await fc.assert(
    fc.asyncProperty(toolCall, async ({ tool, given }) => {
      made++
      const { result, error } = await server.request("tools/call", { name: tool.name, arguments: given })
      expect(error).toBeUndefined()
      const { structuredContent: structured, content, isError } = result
      expect(content[0].text).toMatch(/\S/)
      expect(typeof structured.ok).toBe("boolean")
      if (isError === true) expect(structured.error?.text).toMatch(/\S/)
      expect(structured.error?.name).not.toBe("internal")
      if (made % 20 > 0) return
      const { structuredContent: after } = await server.call("k_eval", { code: "3+4", session: "sane", timeout_ms: 30_000 })
      expect(after.ok ? after.output : after.error.name).toMatch(/^7\n$|^session-limit$/)
    }),
    { ...tries(300), endOnFailure: true },
  )
  expect(server.log()).not.toMatch(/level=(ERROR|FATAL)|at .*\.js:\d+/)
  server.process.stdin!.end()
  expect(await server.ended).toMatchObject({ code: 0 })
  report("calls", { made, "files left": readdirSync(folder).length })
})
