import { readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { LineHistory, historyFile } from "../../src/repl/history.ts"
import { stateHome } from "../../src/repl/stateHome.ts"
import { scratchFolder } from "./interpreter.ts"

it("is where K3_HISTORY says, else in the platform's folder for state", () => {
  expect(historyFile({ K3_HISTORY: "/x/h" }, "linux")).toBe("/x/h")
  expect(historyFile({ XDG_STATE_HOME: "/state" }, "linux")).toBe(join("/state", "k3", "history"))
  expect(stateHome({}, "linux")).toMatch(/\.local.state$/)
  expect(stateHome({ XDG_STATE_HOME: "state" }, "linux")).toMatch(/\.local.state$/)
  expect(stateHome({}, "darwin")).toMatch(/Library.Application Support$/)
  expect(stateHome({ LOCALAPPDATA: "/local" }, "win32")).toBe("/local")
})

it("keeps entries between runs, also of several lines, for their owner only, and makes its folder", () => {
  const file = join(scratchFolder(), "new", "history")
  const history = new LineHistory(file)
  expect(history.entries).toEqual([])
  for (const entry of ["a:1", "f:{[x]\n  x+1}", "a", " ", "a:1"]) history.add(entry)
  expect(history.entries).toEqual(["a:1", "a", "f:{[x]\n  x+1}"])
  expect(readFileSync(file, "utf8").split("\n")).toHaveLength(5)
  expect(new LineHistory(file).entries).toEqual(["a:1", "a", "f:{[x]\n  x+1}"])
  if (process.platform !== "win32") expect(statSync(file).mode & 0o077).toBe(0)
})

it("gives no character of the file that a terminal obeys", () => {
  const file = join(scratchFolder(), "history")
  writeFileSync(file, "a:1\x1b[2J\x07\x1fb:2\t\u202e\n")
  expect(new LineHistory(file).entries).toEqual(["a:1\ufffd[2J\ufffd\nb:2\t\ufffd"])
})

it("does not grow without bound", () => {
  const file = join(scratchFolder(), "history")
  writeFileSync(file, Array.from({ length: 3000 }, (_, i) => `${i}\n`).join(""))
  const history = new LineHistory(file)
  history.add("a")
  expect(history.entries).toHaveLength(1000)
  expect(readFileSync(file, "utf8").split("\n")).toHaveLength(1002)
})

it("that cannot be written causes no failure", () => {
  const file = join(scratchFolder(), "file")
  writeFileSync(file, "")
  for (const nowhere of [join(file, "history"), "/proc/nowhere/k3/history"]) expect(() => new LineHistory(nowhere).add("a")).not.toThrow()
})
