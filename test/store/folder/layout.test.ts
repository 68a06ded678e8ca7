/** The valid paths in the state folder. */
import * as fc from "fast-check"
import { expect, it } from "vitest"
import { fileName, isAside, asideOf, draftOf, isDraft, partsOf, sessionFolder } from "../../../src/store/folder/layout.ts"

it("names of sessions become different names of files", () => {
  const names = ["a", "A", ".", "..", "a.b", "con", "%con", "%2e", "a-b", "a_b", "COM1", "\u00012", "\x12", "é", "%e9", "\u00e9", "e\u0301"]
  const folders = names.map(sessionFolder)
  expect(new Set(folders.map((each) => each.toLowerCase())).size).toBe(new Set(names).size)
  for (const folder of folders) expect(folder).toMatch(/^sessions\/[a-z0-9_%-]+$/)
})

it("the file of any name is a valid part of a path, and different names have different files", () => {
  const name = fc.oneof(fc.string(), fc.string({ unit: "grapheme" }), fc.constantFrom("nul", "aux", "..", "a/b", "a\\b", "x.", "LPT1"))
  fc.assert(
    fc.property(name, name, (a, b) => {
      fc.pre(a !== "" && fileName(a).length <= 255)
      expect(partsOf(fileName(a))).toEqual([fileName(a)])
      if (a !== b) expect(fileName(a).toLowerCase()).not.toBe(fileName(b).toLowerCase())
    }),
  )
})

it("a valid path has no part that leads out of the folder", () => {
  expect(partsOf("")).toEqual([])
  expect(partsOf("sessions/main/embedded/values.7")).toEqual(["sessions", "main", "embedded", "values.7"])
  for (const path of ["..", ".", "a/..", "../a", "/a", "a//b", "a/", "a\\b", "a\0b", "c:", "a/b.", "a/ b", "é", "x".repeat(256)])
    expect([path, partsOf(path)]).toEqual([path, undefined])
})

it("drafts and files set aside are recognised by their exact names", () => {
  expect(isDraft(draftOf("state", 3))).toBe(true)
  expect(isAside(asideOf("state", "2026-11-22T10:00:00.123Z", 0))).toBe(true)
  expect(isAside(asideOf("state", "2026-11-22T10:00:00.123Z", 2))).toBe(true)
  for (const name of ["keep.tmp", "a.k3-draft", "a.1.k3-draft.bak", "1.k3-draft", "a.x.k3-draft"])
    expect([name, isDraft(name)]).toEqual([name, false])
})
