/** Inspecting the tree: its result, its cost, and that it leaves ownership of the values. */
import { describe, expect, it } from "vitest"
import { stepsTaken } from "../../../src/k3/run/budget.ts"
import { memoryHost } from "../../lib/memoryHost.ts"
import { makeConsole } from "../../lib/session.ts"

const looking = (script: string, path: string, view: object = {}) => {
  const console = makeConsole()
  console.enter(script)
  return console.k.look({ path, depth: 1, skip: 0, most: 100, ...view })
}

describe("I1 a look", () => {
  it("tells ends and figures of a vector of ten million items, in few characters", () => {
    const { value } = looking("v:!10000000", ".k.v")
    expect(value).toMatchObject({ type: -1, count: 10_000_000, bytes: 40_000_000, least: 0, greatest: 9_999_999, mean: 4_999_999.5 })
    expect(JSON.stringify(value).length).toBeLessThan(400)
  })

  it("weighs a value with all that is nested in it, and very much of it at least in part", () => {
    const weight = (script: string) => {
      const { bytes, bytesAtLeast } = looking(script, ".k.v").value!
      return bytes ?? { bytesAtLeast }
    }
    expect(weight("v:200 200#!40000")).toBe(200 * 8 + 200 * 200 * 4)
    expect(weight('v:(1;2.5;`a;("abc";1 2.5);{x})')).toBe(5 * 8 + 2 * 8 + 3 + 16 + 3)
    expect(weight("v:(1;.((`a;1 2);(`b;,3.0)))")).toBe(2 * 8 + 2 * 20 + 8 + 8)
    expect(weight("v:()")).toBe(0)
    expect(weight("v:1;do[100;v:(v;v)]")).toMatchObject({ bytesAtLeast: expect.any(Number) })
  })

  it("does not make the items of a list of many vectors, which would be more than the memory limit", () => {
    const console = makeConsole({ memory: 60_000_000 })
    console.enter('v:2000000#,"ab"')
    const look = (view: object) => console.k.look({ path: ".k.v", depth: 1, skip: 0, most: 1, ...view })
    expect(look({}).value).toMatchObject({ count: 2_000_000, bytes: 2_000_000 * 8 + 2_000_000 * 2 })
    expect(look({ range: [1_999_999, 2_000_000] }).value).toMatchObject({ preview: ',"ab"' })
    expect(look({ depth: 2 }).entries).toEqual([{ name: "[0]", type: -3, count: 2, preview: '"ab"' }])
  })

  it("leaves nulls out of the figures, and has none of nothing", () => {
    expect(looking("v:0N 3 5", ".k.v").value).toMatchObject({ least: 3, greatest: 5, mean: 4, nulls: 1 })
    expect(looking("v:3 5", ".k.v").value).not.toHaveProperty("nulls")
    expect(looking("v:0n 0n", ".k.v").value).toMatchObject({ count: 2, nulls: 2 })
    expect(looking("v:0N 0N", ".k.v").value).not.toHaveProperty("least")
    expect(looking("v:!0", ".k.v").value).not.toHaveProperty("mean")
    expect(looking("v:`a`b`a", ".k.v").value).toMatchObject({ distinct: 2 })
  })

  it("goes down by depth, page by page", () => {
    const script = "d:.((`a;1);(`b;.((`c;2 3);(`d;4))))"
    const names = (view: object) => looking(script, ".k.d", view).entries.map(({ name }) => name)
    expect(names({})).toEqual(["a", "b"])
    expect(names({ depth: 2 })).toEqual(["a", "b", "b.c", "b.d"])
    expect(names({ depth: 2, skip: 1, most: 2 })).toEqual(["b", "b.c"])
    expect(looking(script, ".k.d", { depth: 2, skip: 1, most: 2 }).total).toBe(4)
    expect(looking("l:(1 2;(3;`x))", ".k.l", { depth: 3 }).entries.map(({ name }) => name)).toEqual(["[0]", "[1]", "[1][0]", "[1][1]"])
  })

  it("shows a slice, and says when there is none", () => {
    expect(looking("v:!100", ".k.v", { range: [10, 13] }).value).toMatchObject({ preview: "10 11 12" })
    expect(looking("v:!100", ".k.v", { range: [98, 200] }).value).toMatchObject({ preview: "98 99" })
    expect(looking("l:(1 2;(3;`x))", ".k.l", { index: [1, 1] }).value).toMatchObject({ preview: "`x" })
    expect(looking("d:.((`a;1);(`b;2 3))", ".k.d", { index: ["b", 1] }).value).toMatchObject({ preview: "3" })
    expect(looking("d:.((`a;1);(`b;3);(`a;2))", ".k.d", { index: ["a"] }).value).toMatchObject({ preview: "2" })
    expect(() => looking("v:!3", ".k.v", { index: [3] })).toThrow("index")
    expect(() => looking("v:!3", ".k.v", { index: ["a"] })).toThrow("index")
  })

  it("lets the variable go on owning what it holds", () => {
    const console = makeConsole({ memory: 60_000_000 })
    console.enter("v:!10000000\nv[0]:1")
    console.k.look({ path: ".k.v", depth: 1, skip: 0, most: 1 })
    console.enter("v[1]:2")
    expect(stepsTaken(), "steps of an amendment without a copy").toBeLessThan(1000)
    expect(console.enter("2#v")).toBe("1 2")
  })

  it("finds the functions of the whole tree", () => {
    const console = makeConsole()
    console.enter("f:{x}\n.a.g:{f x}\nn:3")
    expect(console.k.functions(10)).toEqual([
      { path: ".k.f", text: "{x}" },
      { path: ".a.g", text: "{f x}" },
    ])
  })

  it.each([
    ["a vector", "v:!5000000"],
    ["symbols", "v:5000000#`a`b"],
    ["a nested list", "v:500000#,1 2"],
    ["a dictionary", "v:.+(`$$!60000;!60000)"],
  ])("hears an interrupt in %s", (_, script) => {
    let asked = 0
    let enough = Infinity
    const console = makeConsole({}, { ...memoryHost(), interrupted: () => ++asked >= enough })
    console.enter(script)
    asked = 0
    enough = 2
    expect(() => console.k.look({ path: "v", depth: 1, skip: 0, most: 10 })).toThrow("break")
  })
})
