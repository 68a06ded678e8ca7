/** How the files of a session are called; what they say is tried in `Stored.test.ts`. */
import { expect, it } from "vitest"
import { sessionFolder } from "../../../src/store/folder/sessionFiles.ts"

it("names of sessions become names of files, each its own", () => {
  const names = ["a", "A", ".", "..", "a.b", "con", "%con", "%2e", "a-b", "a_b", "COM1"]
  const folders = names.map(sessionFolder)
  expect(new Set(folders.map((each) => each.toLowerCase())).size).toBe(names.length)
  for (const folder of folders) expect(folder).toMatch(/^sessions\/[a-z0-9_%-]+$/)
})
