import { readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { appendHistory, historyFile, readHistory } from "../../src/repl/history.ts"
import { scratchFolder } from "./interpreter.ts"

it("is where K3_HISTORY says, else in the platform's folder for state", () => {
  expect(historyFile({ K3_HISTORY: "/x/h" }, "linux")).toBe("/x/h")
  expect(historyFile({ XDG_STATE_HOME: "/state" }, "linux")).toBe(join("/state", "k3", "history"))
  expect(historyFile({}, "linux")).toMatch(/\.local.state.k3.history$/)
  expect(historyFile({}, "darwin")).toMatch(/Library.Application Support.k3.history$/)
  expect(historyFile({ LOCALAPPDATA: "/local" }, "win32")).toBe(join("/local", "k3", "history"))
})

it("keeps lines between runs, for their owner only, and makes its folder", () => {
  const file = join(scratchFolder(), "new", "history")
  expect(readHistory(file)).toEqual([])
  appendHistory(file, "a:1")
  appendHistory(file, "a")
  expect(readHistory(file)).toEqual(["a:1", "a"])
  if (process.platform !== "win32") expect(statSync(file).mode & 0o077).toBe(0)
})

it("does not grow without bound", () => {
  const file = join(scratchFolder(), "history")
  writeFileSync(file, Array.from({ length: 3000 }, (_, i) => `${i}\n`).join(""))
  expect(readHistory(file)).toHaveLength(1000)
  expect(readFileSync(file, "utf8").split("\n")).toHaveLength(1001)
})

it("that cannot be kept fails nothing", () => {
  const file = join(scratchFolder(), "file")
  writeFileSync(file, "")
  for (const nowhere of [join(file, "history"), "/proc/nowhere/k3/history"]) expect(() => appendHistory(nowhere, "a")).not.toThrow()
})
