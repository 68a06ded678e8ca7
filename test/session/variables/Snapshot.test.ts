/** Captures as data: what an update makes of a snapshot, and what differs. */
import { assert, describe, it } from "@effect/vitest"
import { compare, empty, holds, update, type Variable } from "../../../src/session/variables/Snapshot.ts"

const workspace = { precision: 7, seed: -314159, directory: ".k", folder: "/" }
const variable = (path: string, image: string | undefined): Variable => ({ path, type: 1, shape: "", bytes: 4, text: image ?? "", image })
const found = (...given: readonly (readonly [string, string | undefined])[]) =>
  new Map(given.map(([path, image]) => [path, variable(path, image)]))
const paths = (all: ReturnType<typeof update>) =>
  all.map(({ path, before, after }) => `${path} ${before === undefined ? "added" : after === undefined ? "removed" : "changed"}`)
const none: ReadonlySet<string> = new Set()

describe("update", () => {
  it("tells what was added, changed and removed, by value", () => {
    const snapshot = empty()
    assert.isFalse(holds(snapshot))
    const first = update(snapshot, { anew: false, changed: found(["a", "1"], ["b", "2"]), removed: none, workspace }, 100)
    assert.deepStrictEqual(paths(first), ["a added", "b added"])
    const second = update(snapshot, { anew: false, changed: found(["a", "1"], ["b", "3"]), removed: none, workspace }, 100)
    assert.deepStrictEqual(paths(second), ["b changed"])
    const third = update(snapshot, { anew: false, changed: found(), removed: new Set(["a", "never"]), workspace }, 100)
    assert.deepStrictEqual(paths(third), ["a removed"])
    assert.isTrue(holds(snapshot))
  })

  it("takes an update anew for all there is", () => {
    const snapshot = empty()
    update(snapshot, { anew: false, changed: found(["a", "1"], ["b", "2"]), removed: none, workspace }, 100)
    assert.deepStrictEqual(paths(update(snapshot, { anew: true, changed: found(["b", "2"]), removed: none, workspace }, 100)), [
      "a removed",
    ])
    assert.deepStrictEqual([...snapshot.variables.keys()], ["b"])
  })

  it("keeps no more than it may, and says so of the rest; room that is given up serves again", () => {
    const snapshot = empty()
    update(snapshot, { anew: false, changed: found(["a", "12345"], ["b", "12345"], ["c", "123456"]), removed: none, workspace }, 12)
    assert.deepStrictEqual(
      [...snapshot.variables.values()].map(({ image }) => image),
      ["12345", "12345", undefined],
    )
    assert.match(snapshot.variables.get("c")?.why ?? "", /used up/)
    update(snapshot, { anew: false, changed: found(["c", "123456"]), removed: new Set(["a"]), workspace }, 12)
    assert.strictEqual(snapshot.variables.get("c")?.image, "123456")
    assert.strictEqual(snapshot.bytes, 11)
  })

  it("counts a value without an image as changed whenever it was found", () => {
    const snapshot = empty()
    update(snapshot, { anew: false, changed: found(["a", undefined]), removed: none, workspace }, 100)
    assert.deepStrictEqual(paths(update(snapshot, { anew: false, changed: found(["a", undefined]), removed: none, workspace }, 100)), [
      "a changed",
    ])
  })

  it("has settings to give back as well", () => {
    const snapshot = empty()
    update(snapshot, { anew: false, changed: found(), removed: none, workspace: { ...workspace, precision: 3 } }, 100)
    assert.isTrue(holds(snapshot))
  })
})

describe("compare", () => {
  const differing = (then: ReturnType<typeof found>, now: ReturnType<typeof found>, exact = true) => {
    const { differences, unsure } = compare(then, now, exact)
    return [paths(differences), unsure.map(({ path }) => path)]
  }

  it("tells by value what differs, sorted by name", () => {
    const then = found(["d", "1"], ["c", "1"], ["a", "1"])
    assert.deepStrictEqual(differing(then, found(["b", "1"], ["c", "2"], ["a", "1"])), [["b added", "c changed", "d removed"], []])
    assert.deepStrictEqual(differing(then, then), [[], []])
  })

  it("says of what it cannot tell that it cannot: no exact value, or another engine's", () => {
    const big = (text: string) => new Map([["big", { ...variable("big", undefined), text }]])
    assert.deepStrictEqual(differing(big("1 2…"), big("1 2…")), [[], ["big"]])
    assert.deepStrictEqual(differing(big("1 2…"), big("1 3…")), [["big changed"], []])
    const same = big("1 2…")
    assert.deepStrictEqual(differing(same, new Map(same)), [[], []])
    const other = new Map([["a", { ...variable("a", "coded otherwise"), text: "1" }]])
    assert.deepStrictEqual(differing(found(["a", "1"]), other, false), [[], ["a"]])
  })
})
