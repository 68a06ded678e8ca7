/** k_inspect on the built server: ends, figures, slices, levels and functions, on both engines. */
import { describe, expect, it } from "vitest"
import { engines, k3csharpBuild } from "./server.ts"
import { sharedServer } from "./sharedServer.ts"

const script = `v:0+!1000;0
s:\`a\`b\`a;0
l:(1 2;"ab";(3;\`x));0
d:.((\`a;1);(\`b;.((\`c;2 3);(\`d;4))));0
g:{[a;b]c:a+b;c*h[v;a]};0
h:{x+_draw y};0`

describe.each(engines)("I3 k_inspect of %s", (engine, args) => {
  const test = it.skipIf(engine === "k3csharp" && k3csharpBuild === undefined)
  const serverFor = sharedServer(args)

  test("is short beside a long vector, also at the root", async () => {
    const server = await serverFor("vector")
    await server.call("k_eval", { code: "v:1.5+!100000\n0" })
    const root = (await server.call("k_inspect", { path: "." })).structuredContent
    expect(root.entries).toContainEqual(expect.objectContaining({ name: ".k", preview: expect.stringMatching(/v/) }))
    expect((await server.call("k_eval", { code: "2+2" })).structuredContent).toMatchObject({ ok: true })
  })

  test("shows values of every kind", async () => {
    const server = await serverFor("kinds")
    await server.call("k_eval", { code: script })
    const look = async (path: string, more: object = {}) => (await server.call("k_inspect", { path, ...more })).structuredContent
    expect((await look("")).entries.map(({ name }: { name: string }) => name)).toEqual(["v", "s", "l", "d", "g", "h"])
    expect((await look("v")).value).toMatchObject({ shape: "1000", bytes: 4000, least: 0, greatest: 999, mean: 499.5 })
    expect((await look("v")).value.tail).toMatch(/998 999$/)
    expect((await look("l")).value.bytes).toBe(engine === "k3csharp" ? undefined : 3 * 8 + 2 * 4 + 2 + 2 * 8)
    expect((await look("s")).value).toMatchObject({ distinct: 2 })
    expect((await look("v", { slice: "10 14" })).value.preview).toBe("10 11 12 13")
    expect((await look("v", { slice: "[5]" })).value.preview).toBe("5")
    expect((await look("l", { slice: "[2;1]" })).value.preview).toBe("`x")
    expect((await look("l[2][1]")).value.preview).toBe("`x")
    expect((await look("l", { slice: "[0]" })).value).toMatchObject({ least: 1, greatest: 2, mean: 1.5 })
    expect((await look("l", { depth: 3 })).entries.map(({ name }: { name: string }) => name)).toEqual([
      "[0]",
      "[1]",
      "[2]",
      "[2][0]",
      "[2][1]",
    ])
    expect((await look("", { depth: 2 })).entries.map(({ name }: { name: string }) => name)).toContain("l[1]")
    expect((await look("v", { slice: "[2000]" })).notice).toContain("shows nothing")
    expect((await look("nosuch", { slice: "0 2" })).notice).toContain(".k.nosuch has no value")
    expect((await look("d", { depth: 2 })).entries.map(({ name }: { name: string }) => name)).toEqual(["a", "b", "b.c", "b.d"])
    expect((await look("g")).value).toMatchObject({ valence: 2, locals: ["c"], uses: ["h", "v"], touches: ["h → randomness"] })
    await server.call("k_eval", { code: "top:{g[x;1]};0" })
    expect((await look("top")).value).toMatchObject({ uses: ["g", "g → h", "g → v"], touches: ["g → h → randomness"] })
    expect((await look("h")).value).toMatchObject({ used_by: [".k.g", ".k.top → .k.g"], touches: ["randomness"] })
    expect((await server.call("k_inspect", { slice: "no" })).isError).toBe(true)
  })

  it.skipIf(engine === "k3csharp")("says how many nulls the figures leave out", async () => {
    const server = await serverFor("nulls")
    await server.call("k_eval", { code: "n:1 0N 3 0N" })
    const { content, structuredContent } = await server.call("k_inspect", { path: "n" })
    expect(content[0].text).toBe("n  integers  4  1 0N 3 0N\n16 B, least 1, greatest 3, mean 2, 2 nulls")
    expect(structuredContent.value).toMatchObject({ mean: 2, nulls: 2 })
  })

  test("I5 finds names and texts in the whole tree", async () => {
    const server = await serverFor("find")
    await server.call("k_eval", { code: 'total:5\nf:{x+total}\ns:"in all: total"\n.bar.subtotal:7\n.bar.h:{x}' })
    const find = async (find: string, more: object = {}) => server.call("k_inspect", { find, ...more })
    const { entries } = (await find("total")).structuredContent
    expect(entries.map(({ name, preview }: { name: string; preview: string }) => [name, preview])).toEqual([
      [".bar.subtotal", "7"],
      [".k.f", "{x+total}"],
      [".k.s", "in all: total"],
      [".k.total", "5"],
    ])
    expect((await find("TOTAL")).content[0].text).toBe((await find("total")).content[0].text)
    expect((await find("zzz")).content[0].text).toContain("No name and no text of the session holds")
    expect((await find("total", { path: "f" })).isError).toBe(true)
    expect((await find("")).isError).toBe(true)
    await server.call("k_eval", { code: Array.from({ length: 130 }, (_, i) => `many${i}:${i}`).join("\n") })
    const first = (await find("many")).structuredContent
    expect([first.entries.length, first.omitted, first.cursor]).toEqual([100, 30, "100"])
    expect((await find("many", { cursor: "100" })).structuredContent.entries).toHaveLength(30)
  })

  test("C6 a defined tool lists its side effects, and the calls that lead to them", async () => {
    const server = await serverFor("effects")
    // K3CSharp prints `{"f" 0:x}` as `{f0:x}`.
    const touches = ["imp → w → file write"]
    await server.call("k_eval", { code: 'w:{"f" 0:x}\nimp:{w x}' })
    const made = await server.call("k_define", { action: "define", name: "load", code: "{[v] imp v}" })
    expect(made.content[0].text).toContain(`it has side effects: ${touches.join(", ")}`)
    const source = await server.call("k_define", { action: "source", name: "load" })
    expect(source.structuredContent.tools[0]).toMatchObject({ uses: ["imp", "imp → w"], touches })
    expect(source.content[0].text).toContain(`uses: imp, imp → w\ntouches: ${touches.join(", ")}`)
  })

  test("I6 shows how K reads code", async () => {
    const server = await serverFor("tree")
    const validate = async (code: string) => server.call("k_validate", { code, tree: true })
    const { content, structuredContent } = await validate("2*x:3+1\n\\p 9\n#x")
    expect(structuredContent.tree).toEqual([{ line: 1, tree: "(*;2;(:;`x;(+;3;1)))" }, { line: 2 }, { line: 3, tree: "(#:;`x)" }])
    expect(content[0].text).toContain("1: (*;2;(:;`x;(+;3;1)))")
    expect((await validate("2*(")).structuredContent).toMatchObject({ ok: false, tree: [{ line: 1 }] })
    expect((await server.call("k_validate", { code: "1+1" })).structuredContent.tree).toBeUndefined()
  })

  test("shows the tree from its root", async () => {
    const server = await serverFor("root")
    const look = async (given: object = {}) => {
      const { content, structuredContent } = await server.call("k_inspect", given)
      const names = (structuredContent.entries ?? []).map(({ name }: { name: string }) => name).filter((name: string) => name !== ".t")
      return { text: content[0].text, names, others: structuredContent.others }
    }
    expect(await look()).toEqual({ text: ".k is empty: it holds no variable.", names: [], others: undefined })
    expect((await look({ path: "." })).names).toEqual([".k"])
    await server.call("k_eval", { code: "a:1\n.bar.q:2\n.bar.s.r:3" })
    expect(await look()).toMatchObject({ names: ["a"], others: [".bar"] })
    expect((await look()).text).toContain("Other directories: .bar;")
    expect((await look({ path: "." })).names).toEqual([".k", ".bar"])
    expect((await look({ path: ".", depth: 3 })).names).toEqual([".k", ".k.a", ".bar", ".bar.q", ".bar.s", ".bar.s.r"])
    await server.call("k_eval", { code: "\\d .foo" })
    expect(await look()).toMatchObject({ names: [], others: [".k", ".bar"] })
    expect((await look()).text).toMatch(/^\.foo is empty/)
    await server.call("k_eval", { code: "\\d .bar.s" })
    expect(await look()).toMatchObject({ names: ["r"], others: expect.arrayContaining([".k", ".bar"]) })
    const refused = await server.call("k_inspect", { depth: 1.5 })
    expect(refused.isError).toBe(true)
    expect(refused.content[0].text).toContain("depth: Expected an integer")
  })
})
