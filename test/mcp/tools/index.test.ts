/**
 * The entries of `tools/list`, as a committed snapshot: a changed description or schema is a visible difference.
 *
 * M12 the list is short, sorted and true.
 */
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { instructions } from "../../../src/mcp/instructions.ts"
import { tools } from "../../../src/mcp/tools/index.ts"

describe("M12", () => {
  it("the list is as committed", async () => {
    await expect(
      `${JSON.stringify(
        tools.map((tool) => tool.describe()),
        null,
        2,
      )}\n`,
    ).toMatchFileSnapshot("tools.snapshot.txt")
  })

  it("takes at most 14 KiB", () => {
    expect(JSON.stringify(tools.map((tool) => tool.describe())).length).toBeLessThanOrEqual(14_336)
  })

  it("is sorted, and closed: a file in the folder is a tool in the list", () => {
    const names = tools.map(({ name }) => name)
    expect(names).toEqual(names.toSorted())
    const files = readdirSync(join(import.meta.dirname, "../../../src/mcp/tools")).filter((file) => file !== "index.ts")
    expect(files.length).toBe(tools.length)
  })

  it.each(tools.map((tool) => [tool.name, tool.describe()] as const))(
    "%s has description, annotations and schemas",
    (name, description) => {
      expect(name).toMatch(/^k_[a-z]+$/)
      expect(description.title).not.toBe("")
      expect(description.description.length).toBeGreaterThan(60)
      expect(Object.values(description.annotations).every((hint) => typeof hint === "boolean")).toBe(true)
      expect(Object.keys(description.annotations)).toHaveLength(4)
      expect(description.annotations.readOnlyHint && description.annotations.destructiveHint).toBe(false)
      expect(description.inputSchema).toMatchObject({ type: "object", additionalProperties: false, properties: { session: {} } })
      expect(description.outputSchema).toMatchObject({ type: "object", properties: { ok: { type: "boolean" } }, required: ["ok"] })
    },
  )

  it("the instructions are short, and name the main tools", () => {
    expect(instructions.length).toBeLessThan(900)
    for (const name of ["k_eval", "k_inspect", "k_help"]) expect(instructions).toContain(name)
    const names = tools.map(({ name }) => name)
    for (const [name] of instructions.matchAll(/k_[a-z]+/g)) expect(names).toContain(name)
  })
})
