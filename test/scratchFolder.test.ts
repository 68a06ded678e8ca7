import { spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it } from "vitest"
import removeLeft, { makeScratch } from "./lib/scratchFolder.ts"

it("a run removes the folders of tests that were killed, and no others", () => {
  const { pid } = spawnSync(process.execPath, ["-e", ""])
  const ofDead = mkdtempSync(join(tmpdir(), `k3-mcp-test-${pid}-`))
  const own = makeScratch()
  const another = mkdtempSync(join(tmpdir(), "k3-mcp-other-"))
  removeLeft()
  expect([ofDead, own, another].map(existsSync)).toEqual([false, true, true])
  for (const folder of [own, another]) rmSync(folder, { recursive: true })
})
