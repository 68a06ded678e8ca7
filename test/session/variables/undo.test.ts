/** U1 changes as steps to undo and redo; pure. */
import { assert, describe, it } from "vitest"
import type { Difference, Variable } from "../../../src/child/Contents.ts"
import { changed, goalOf, stepMoved, mostBytes, mostSteps, next, nothing, type Undo } from "../../../src/session/variables/undo.ts"

const variable = (path: string, image?: string, text = image ?? ""): Variable => ({ path, type: 1, shape: "", bytes: 8, text, image })
const step = (...differences: readonly Difference[]) => ({ differences, before: undefined, after: undefined, evaluations: 1 })
const set = (path: string, before: string | undefined, after: string | undefined): Difference => ({
  path,
  before: before === undefined ? undefined : variable(path, before),
  after: after === undefined ? undefined : variable(path, after),
})
const all = (steps: readonly ReturnType<typeof step>[]): Undo => steps.reduce(changed, nothing)

describe("U1", () => {
  it("undoes and redoes the differences", () => {
    const undo = all([step(set("a", undefined, "1")), step(set("a", "1", "2"), set("b", undefined, "3"), set("c", "4", undefined))])
    const held = { variables: new Map([["a", variable("a", "2")], ["b", variable("b", "3")], ["d", variable("d", "5")]]), settings: undefined } // prettier-ignore
    const back = goalOf(held, next(undo, "undo")!, "undo")
    assert.deepStrictEqual([...back.variables.values()].map(({ path, image }) => `${path}${image}`).sort(), ["a1", "c4", "d5"]) // prettier-ignore
    const once = stepMoved(undo, "undo")
    assert.strictEqual(once.past.length, 1)
    const again = goalOf(back, next(once, "redo")!, "redo")
    assert.deepStrictEqual(new Map(again.variables), held.variables)
    assert.deepStrictEqual(stepMoved(once, "redo"), undo)
    assert.strictEqual(next(changed(once, step(set("a", "1", "9"))), "redo"), undefined)
  })

  it("keeps the latest steps, up to a limit", () => {
    const undo = all(Array.from({ length: mostSteps + 5 }, (_, i) => step(set("a", String(i), String(i + 1)))))
    assert.strictEqual(undo.past.length, mostSteps)
    assert.strictEqual(undo.past.at(-1)!.differences[0]!.after!.image, String(mostSteps + 5))
  })

  it("keeps a limited number of bytes, and reports when the latest change is too large", () => {
    const third = "x".repeat(mostBytes / 3)
    assert.strictEqual(all([1, 2, 3, 4].map((i) => step(set(`v${i}`, third, "1")))).past.length, 3)
    const undo = all([step(set("a", "1", "2")), step(set("b", "x".repeat(mostBytes + 1), "1"))])
    assert.deepStrictEqual(undo, { past: [], future: [], tooLarge: true })
    assert.strictEqual(changed(undo, step(set("a", "2", "3"))).tooLarge, false)
  })

  it("counts a variable without an image as changed only when its printed text differs", () => {
    const looks = (text: string) => variable("f", undefined, text)
    assert.strictEqual(all([step({ path: "f", before: looks("+/"), after: looks("+/") })]), nothing)
    assert.strictEqual(all([step({ path: "f", before: looks("+/"), after: looks("*/") })]).past.length, 1)
  })

  it("counts a change of the directory, and not of the seed", () => {
    const settings = { precision: 7, seed: 1, directory: ".k", folder: "/" }
    const moved = (to: Partial<typeof settings>) => changed(nothing, { ...step(), before: settings, after: { ...settings, ...to } })
    assert.strictEqual(moved({ seed: 2 }), nothing)
    for (const to of [{ directory: ".k.a" }, { precision: 9 }, { folder: "/x" }]) assert.strictEqual(moved(to).past.length, 1)
    const held = { variables: new Map(), settings: { ...settings, directory: ".k.a" } }
    assert.strictEqual(goalOf(held, next(moved({ directory: ".k.a" }), "undo")!, "undo").settings!.directory, ".k")
  })
})
