import { describe, expect, it } from "vitest"
import { systemNames } from "../../../src/k3/primitives/systemTable.ts"
import { printed } from "../../lib/printed.ts"

describe("every example of a system name prints what its row says", () => {
  const examples = systemNames.flatMap((row) => row.examples.map(([code, prints]) => [row.glyph, code, prints] as const))
  it.each(examples)("%s: %s", (_glyph, code, prints) => expect(printed(code)).toBe(prints))
})

describe("the table", () => {
  it("has one row for a name and valence", () => {
    const keys = systemNames.map(({ glyph, valence }) => `${glyph} ${valence}`)
    expect(new Set(keys).size).toBe(keys.length)
  })
  it("documents every row in one sentence with examples", () => {
    for (const row of systemNames) {
      expect(row.doc, row.glyph).toMatch(/^\S.*\.$/s)
      expect(row.examples.length, row.glyph).toBeGreaterThan(0)
    }
  })
})
