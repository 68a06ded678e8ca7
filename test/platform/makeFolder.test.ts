/** Folders that the server makes for itself. */
import { existsSync, mkdirSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { makeFolder } from "../../src/platform/makeFolder.ts"
import { makeScratch } from "../lib/scratchFolder.ts"

it("makes a folder and those above it for their owner alone, and leaves one that is there", () => {
  const folder = makeScratch()
  onTestFinished(() => rmSync(folder, { recursive: true }))
  mkdirSync(join(folder, "there"), { mode: 0o755 })
  makeFolder(join(folder, "there/a/b"))
  makeFolder(join(folder, "there/a/b"))
  expect(["there", "there/a", "there/a/b"].map((each) => statSync(join(folder, each)).mode & 0o777)).toEqual([0o755, 0o700, 0o700])
})

it("fails where the system makes no folder, and ends", () => {
  const parent = existsSync("/proc/self") ? "/proc/k3-mcp" : "/dev/null"
  expect(() => makeFolder(join(parent, "a/b"))).toThrow(/ENOENT|ENOTDIR/)
})
