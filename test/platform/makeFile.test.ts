/** Files that are made once, such as the token of a state folder. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { makeFile } from "../../src/platform/makeFile.ts"
import { makeScratch } from "../lib/scratchFolder.ts"

it("the draft of a process that was killed, with the same process id, is in nobody's way", () => {
  const folder = makeScratch()
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, "token")
  const left = `token.${process.pid}.k3-draft`
  writeFileSync(join(folder, left), "half")
  expect(makeFile(file, "whole")).toBe(true)
  expect(makeFile(file, "another")).toBe(false)
  expect(readFileSync(file, "utf8")).toBe("whole\n")
  expect(readdirSync(folder).toSorted()).toEqual(["token", left])
})
