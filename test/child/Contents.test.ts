/** Captured variables as data: updates and comparisons. */
import { assert, describe, it } from "@effect/vitest"
import { compare, empty, holds, keptIn, update, type Update, type Variable } from "../../src/child/Contents.ts"

const settings = { precision: 7, seed: -314159, directory: ".k", folder: "/" }
const variable = (path: string, image: string | undefined): Variable => ({ path, type: 1, shape: "", bytes: 4, text: image ?? "", image })
const found = (...given: readonly (readonly [string, string | undefined])[]) =>
  new Map(given.map(([path, image]) => [path, variable(path, image)]))
const paths = ({ differences }: Pick<ReturnType<typeof update>, "differences">) =>
  differences.map(({ path, before, after }) => `${path} ${before === undefined ? "added" : after === undefined ? "removed" : "changed"}`)
const none: ReadonlySet<string> = new Set()

describe("update", () => {
  it("gives the added, changed and removed variables, by value", () => {
    let held = empty
    const take = (found: Update, most: number) => {
      const taken = update(held, found, most)
      held = taken.held
      return taken
    }
    assert.isFalse(holds(held))
    const first = take({ anew: false, changed: found(["a", "1"], ["b", "2"]), removed: none, settings }, 100)
    assert.deepStrictEqual(paths(first), ["a added", "b added"])
    const second = take({ anew: false, changed: found(["a", "1"], ["b", "3"]), removed: none, settings }, 100)
    assert.deepStrictEqual(paths(second), ["b changed"])
    const third = take({ anew: false, changed: found(), removed: new Set(["a", "never"]), settings }, 100)
    assert.deepStrictEqual(paths(third), ["a removed"])
    assert.isTrue(holds(held))
  })

  it("treats an update with `anew` as all variables", () => {
    let held = empty
    const take = (found: Update, most: number) => {
      const taken = update(held, found, most)
      held = taken.held
      return taken
    }
    take({ anew: false, changed: found(["a", "1"], ["b", "2"]), removed: none, settings }, 100)
    assert.deepStrictEqual(paths(take({ anew: true, changed: found(["b", "2"]), removed: none, settings }, 100)), ["a removed"])
    assert.deepStrictEqual([...held.variables.keys()], ["b"])
  })

  it("puts a name that was removed and is back behind the others, and with `anew` all in the order told", () => {
    const first = update(empty, { anew: false, changed: found(["a", "1"], ["b", "2"]), removed: none, settings }, 100)
    const back = update(first.held, { anew: false, changed: found(["a", "3"]), removed: new Set(["a"]), settings }, 4)
    assert.deepStrictEqual(paths(back), ["a changed"])
    assert.deepStrictEqual([...back.held.variables.keys()], ["b", "a"])
    assert.strictEqual(back.held.variables.get("a")?.image, "3")
    const anew = update(back.held, { anew: true, changed: found(["a", "3"], ["b", "2"]), removed: none, settings }, 4)
    assert.deepStrictEqual([...anew.held.variables.keys()], ["a", "b"])
    assert.deepStrictEqual(paths(anew), [])
  })

  it("keeps images within the limit, with a reason for the others; freed bytes can be used again", () => {
    let held = empty
    const take = (found: Update, most: number) => {
      const taken = update(held, found, most)
      held = taken.held
      return taken
    }
    take({ anew: false, changed: found(["a", "12345"], ["b", "12345"], ["c", "123456"]), removed: none, settings }, 12)
    assert.deepStrictEqual(
      [...held.variables.values()].map(({ image }) => image),
      ["12345", "12345", undefined],
    )
    assert.match(held.variables.get("c")?.why ?? "", /used up/)
    take({ anew: false, changed: found(["c", "123456"]), removed: new Set(["a"]), settings }, 12)
    assert.strictEqual(held.variables.get("c")?.image, "123456")
    assert.strictEqual(keptIn(held.variables.values()), 11)
  })

  it("counts a value without an image as changed in each update that contains it", () => {
    let held = empty
    const take = (found: Update, most: number) => {
      const taken = update(held, found, most)
      held = taken.held
      return taken
    }
    take({ anew: false, changed: found(["a", undefined]), removed: none, settings }, 100)
    assert.deepStrictEqual(paths(take({ anew: false, changed: found(["a", undefined]), removed: none, settings }, 100)), ["a changed"])
  })

  it("counts it as unchanged in a new reading of all variables when it prints the same, unless its text is cut or absent", () => {
    const read = (...given: readonly (readonly [text: string, bytes: number])[]): Update => ({
      anew: true,
      changed: new Map(given.map(([text, bytes], i) => [`v${i}`, { ...variable(`v${i}`, undefined), text, bytes }])),
      removed: none,
      settings,
    })
    const before = update(empty, read(["+/", 4], ["1 2…", 4], ["", 4], ["-/", 4], ["*/", 4]), 100).held
    const after = update(before, read(["+/", 4], ["1 2…", 4], ["", 4], ["-\\", 4], ["*/", 5]), 100)
    assert.deepStrictEqual(paths(after), ["v1 changed", "v2 changed", "v3 changed", "v4 changed"])
  })

  it("counts changed settings as something to restore", () => {
    let held = empty
    const take = (found: Update, most: number) => {
      const taken = update(held, found, most)
      held = taken.held
      return taken
    }
    take({ anew: false, changed: found(), removed: none, settings: { ...settings, precision: 3 } }, 100)
    assert.isTrue(holds(held))
  })
})

describe("compare", () => {
  const differing = (then: ReturnType<typeof found>, now: ReturnType<typeof found>, exact = true) => {
    const { differences, unsure } = compare(then, now, exact)
    return [paths({ differences }), unsure.map(({ path }) => path)]
  }

  it("gives the variables that differ by value, sorted by name", () => {
    const then = found(["d", "1"], ["c", "1"], ["a", "1"])
    assert.deepStrictEqual(differing(then, found(["b", "1"], ["c", "2"], ["a", "1"])), [["b added", "c changed", "d removed"], []])
    assert.deepStrictEqual(differing(then, then), [[], []])
  })

  it("lists variables as unsure without an exact value, or with one of another engine", () => {
    const big = (text: string) => new Map([["big", { ...variable("big", undefined), text }]])
    assert.deepStrictEqual(differing(big("1 2…"), big("1 2…")), [[], ["big"]])
    assert.deepStrictEqual(differing(big("1 2…"), big("1 3…")), [["big changed"], []])
    const same = big("1 2…")
    assert.deepStrictEqual(differing(same, new Map(same)), [[], []])
    const other = new Map([["a", { ...variable("a", "coded otherwise"), text: "1" }]])
    assert.deepStrictEqual(differing(found(["a", "1"]), other, false), [[], ["a"]])
  })
})
