/** B12 the variables that a merge copies, and those that it would replace. */
import { assert, describe, it } from "vitest"
import type { Variable } from "../../../src/child/Contents.ts"
import { choose, planOf, takenOf } from "../../../src/session/variables/merge.ts"

const variable = (path: string, image: string): Variable => ({ path, type: 1, shape: "", bytes: 4, text: image, image })
const held = (given: Readonly<Record<string, string>>): ReadonlyMap<string, Variable> =>
  new Map(Object.entries(given).map(([path, image]) => [path, variable(path, image)]))
const settings = { precision: 10, seed: 7, directory: ".k.d", folder: "/" }
const paths = (all: readonly { readonly path: string }[]) => all.map(({ path }) => path)

describe("B12", () => {
  it("a name is in the current directory, or a path; a directory stands for all variables below it", () => {
    const contents = { variables: held({ ".k.a": "1", ".k.d.a": "2", ".k.d.e.x": "3", ".b.y": "4" }), settings }
    const { chosen, unknown } = choose(contents, ["a", "e", ".b", "nosuch", ".k.d.a", ""])
    assert.deepEqual([...chosen.keys()], [".k.d.a", ".k.d.e.x", ".b.y"])
    assert.deepEqual(unknown, ["nosuch"])
  })

  it("a value in the place of a directory, and a directory in the place of a value, are listed and removed", () => {
    const plan = planOf(held({ ".k.a": "1", ".k.b.x": "2", ".k.c": "3" }), held({ ".k.a.x": "4", ".k.b": "5", ".k.c": "3" }))
    assert.deepEqual(paths(plan.overwritten), [".k.a", ".k.b.x"])
    assert.deepEqual([...plan.goal.keys()].sort(), [".k.a.x", ".k.b", ".k.c"])
    assert.deepEqual([plan.added, plan.same], [[".k.a.x", ".k.b"], [".k.c"]])
  })

  it("a variable without an exact value replaces nothing, and is lost with its reason", () => {
    const { image: _, ...large } = variable(".k.a", "1")
    const wanted = new Map([...held({ ".k.b": "3" }), [".k.a", { ...large, why: "too large" }] as const])
    const plan = planOf(held({ ".k.a": "1", ".k.a.x": "2" }), wanted)
    assert.deepEqual([...plan.goal.keys()], [".k.a", ".k.a.x", ".k.b"])
    assert.deepEqual([plan.added, plan.overwritten, plan.same], [[".k.b"], [], []])
    assert.deepEqual(plan.lost, [{ path: ".k.a", why: "too large" }])
  })

  // A comparison of each with each takes longer than a test may.
  it("tens of thousands of variables and names are no matter", () => {
    const many = (name: string) => held(Object.fromEntries(Array.from({ length: 60_000 }, (_, i) => [`.k.${name}.v${i}`, "1"])))
    const wanted = many("w")
    const { chosen, unknown } = choose({ variables: wanted, settings }, [...wanted.keys(), ".k.w", "nosuch"])
    assert.deepEqual([chosen.size, unknown], [60_000, ["nosuch"]])
    const plan = planOf(new Map([...many("h"), ...held({ ".k.w": "2" })]), chosen)
    assert.deepEqual([plan.goal.size, plan.added.length, paths(plan.overwritten)], [120_000, 60_000, [".k.w"]])
  })

  it("the recorded script leaves out precision, seed, directory, and lost variables", () => {
    const plan = planOf(held({ ".k.a": "1" }), held({ ".k.a": "2", ".k.b": "3" }))
    const taken = takenOf(plan, settings, [{ path: ".k.b", why: "" }])
    assert.deepEqual([...taken.variables.keys()], [".k.a"])
    assert.deepEqual(taken.settings, { ...settings, precision: 7, seed: -314159 })
  })
})
