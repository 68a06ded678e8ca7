/** I3 the names and effects that a function reaches, and the functions that reach it, with the ways. */
import { expect, it } from "vitest"
import { impactOf } from "../../../src/child/engines/impact.ts"

const functions = [
  { path: ".k.imp", text: "{w x}" },
  { path: ".k.w", text: '{"f" 0:x}' },
  { path: ".k.main", text: "{imp x;a}" },
  { path: ".a.w", text: "{_draw x}" },
  { path: ".a.g", text: "{w x;.k.w x}" },
  { path: ".k.even", text: "{odd x}" },
  { path: ".k.odd", text: "{even x}" },
]
const of = (path: string) => impactOf(path, functions.find((each) => each.path === path)!.text, functions)

it("follows used functions, and gives the way to each effect", () => {
  expect(of(".k.main")).toEqual({ uses: ["imp", "a", "imp → w"], touches: ["imp → w → file write"], usedBy: [] })
})

it("follows users of the function", () => {
  expect(of(".k.w")).toEqual({ uses: [], touches: ["file write"], usedBy: [".k.imp", ".a.g", ".k.main → .k.imp"] })
})

it("resolves a name in the directory of the function that uses it", () => {
  expect(of(".a.g")).toEqual({ uses: ["w", ".k.w"], touches: ["w → randomness", ".k.w → file write"], usedBy: [] })
  expect(of(".a.w")).toMatchObject({ usedBy: [".a.g"] })
})

it("ends for functions that use each other", () => {
  expect(of(".k.even")).toEqual({ uses: ["odd"], touches: [], usedBy: [".k.odd"] })
})

it("lists a long chain up to its limit", () => {
  const chain = Array.from({ length: 1000 }, (_, i) => ({ path: `.k.f${i}`, text: `{f${i + 1} x}` }))
  expect(impactOf(".k.f0", "{f1 x}", chain).uses.length).toBeLessThanOrEqual(200)
})
