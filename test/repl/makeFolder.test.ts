/** Folders that the server makes for itself. */
import { existsSync, mkdirSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { makeFolder } from "../../src/repl/makeFolder.ts"
import { makeScratch } from "../lib/scratchFolder.ts"

it("makes a folder and its parents for their owner alone, and does not change an existing one", () => {
  const folder = makeScratch()
  onTestFinished(() => rmSync(folder, { recursive: true }))
  mkdirSync(join(folder, "there"), { mode: 0o755 })
  makeFolder(join(folder, "there/a/b"))
  makeFolder(join(folder, "there/a/b"))
  expect(["there", "there/a", "there/a/b"].map((each) => statSync(join(folder, each)).mode & 0o777)).toEqual([0o755, 0o700, 0o700])
})

it("fails, and does not loop, where no folder can be made", () => {
  const parent = existsSync("/proc/self") ? "/proc/k3-mcp" : "/dev/null"
  expect(() => makeFolder(join(parent, "a/b"))).toThrow(/ENOENT|ENOTDIR/)
})
