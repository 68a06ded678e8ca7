/** Replies about snapshots: bounded, the same in text and fields, notices only when they apply. */
import { describe, expect, it } from "vitest"
import { compared, listed, restored, saved } from "../../../src/mcp/render/snapshot.ts"
import type { Difference, Variable } from "../../../src/child/Contents.ts"
import { snapshot } from "../fakeSessions.ts"

const variable = (text: string): Variable => ({ path: "", type: 1, shape: "", bytes: 4, text })
const difference = (path: string, before?: string, after?: string): Difference => ({
  path,
  before: before === undefined ? undefined : variable(before),
  after: after === undefined ? undefined : variable(after),
})
const same = { snapshot, present: snapshot, ageMs: 0, differences: [], unsure: [] }

describe("B1 a comparison", () => {
  it("shows both previews, added before changed before removed", () => {
    const { text, structured } = compared({
      ...same,
      differences: [difference(".k.a", "1"), difference(".k.b", "1", "2"), difference(".k.c", undefined, "3")],
    })
    expect(text).toBe(
      "Since baseline (1.5 s ago): 1 added, 1 changed, 1 removed.\nadded .k.c: integer 3\nchanged .k.b: integer 1 → integer 2\nremoved .k.a: integer 1",
    )
    expect(structured).toMatchObject({
      changes: [
        { name: ".k.c", what: "added" },
        { name: ".k.b", what: "changed" },
        { name: ".k.a", what: "removed" },
      ],
    })
  })

  it("is one short line when nothing differs", () => {
    expect(compared(same).text).toBe("Since baseline (1.5 s ago): no difference.")
  })

  it("is cut in text and fields, and says how many differences are left out", () => {
    const { text, structured } = compared({
      ...same,
      differences: Array.from({ length: 1000 }, (_, i) => difference(`.k.v${i}`, "1", "2")),
      unsure: Array.from({ length: 1000 }, (_, i) => difference(`.k.u${i}`, "1", "1")),
    })
    expect(text.length).toBeLessThan(4000)
    expect(text).toContain("950 more are left out")
    expect(structured).toHaveProperty("changes.length", 50)
    expect(structured).toHaveProperty("unsure.length", 50)
    expect(structured).toMatchObject({ notice: expect.stringContaining("950 more are left out") })
  })

  it.each([
    ["B3 another engine", { ...same, present: { ...snapshot, engine: "k3csharp" as const } }, /engine embedded, this is k3csharp/],
    ["B3 another build", { ...same, present: { ...snapshot, build: "fedcba9876" } }, /01234567; this is fedcba98/],
    ["B3 another generation", { ...same, present: { ...snapshot, generation: 4 } }, /generation 1, this is generation 4/],
    ["B4 a busy session", { ...same, ageMs: 2500 }, /2\.5 s ago: the session is busy/],
  ])("says that it is of %s", (_, of, said) => {
    const { text, structured } = compared(of)
    expect(text).toMatch(said)
    expect(structured).toMatchObject({ notice: expect.stringMatching(said) })
  })
})

describe("B2 a restore", () => {
  const done = { snapshot, generation: 1, restored: [], removed: [], lost: [], renewed: false }

  it("names restored, removed and lost variables", () => {
    const { text, structured } = restored({
      ...done,
      restored: [".k.a"],
      removed: [".k.b", ".k.c"],
      lost: [{ path: ".k.big", why: "it takes too much" }],
      renewed: true,
      generation: 2,
    })
    expect(text).toContain("Restored: .k.a. Removed: .k.b, .k.c.")
    expect(text).toContain(".k.big (it takes too much)")
    expect(text).toContain("generation 2")
    expect(structured).toMatchObject({ restored: [".k.a"], lost: [{ name: ".k.big" }], generation: 2 })
  })

  it("of unchanged variables says so", () => {
    expect(restored(done).text).toBe("Variables are as in baseline already.")
  })
})

describe("B5", () => {
  it("the list has a line for each snapshot, and says when there is none", () => {
    expect(listed("main", [snapshot]).text).toBe("baseline: 2 variables, 1.5 s ago, generation 1, embedded 01234567")
    expect(listed("main", []).text).toContain("k_snapshot save")
  })

  it("saving names the replaced snapshot and the variables that cannot be restored", () => {
    const { text } = saved({ snapshot: { ...snapshot, lost: [{ path: ".k.f", why: "too large" }] }, replaced: snapshot })
    expect(text).toBe("Snapshot baseline: 2 variables.\nIt replaces the one from 1.5 s ago.\nNo restore brings back: .k.f (too large)")
  })
})
