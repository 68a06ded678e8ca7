/**
 * V1 V2 JSON in and out of an evaluation, on the built server: `args` and `value` of k_eval, `run` of k_define without a definition, and the
 * deadline of a call of a defined tool.
 */
import { describe, expect, it } from "vitest"
import { begin, engines, k3csharpBuild, type RawServer } from "./server.ts"
import { sharedServer } from "./sharedServer.ts"

const began = (server: RawServer) => {
  const call = async (name: string, given: object = {}) => {
    const { content, structuredContent } = await server.call(name, given)
    return { text: content[0].text as string, ...structuredContent }
  }
  const evaluate = (code: string, more: object = {}) => call("k_eval", { code, ...more })
  const run = (code: string, more: object = {}) => call("k_define", { action: "run", code, ...more })
  return { server, call, evaluate, run }
}

describe.each(engines)("on %s", (engine, args) => {
  const test = it.skipIf(engine === "k3csharp" && k3csharpBuild === undefined)
  const serverFor = sharedServer(args)

  test("V1 value is the last statement's value as JSON, beside its output", async () => {
    const { evaluate } = began(await serverFor("values"))
    expect(await evaluate("1+1")).not.toHaveProperty("value")
    const told = await evaluate("a:5;b:2\na+b", { value: true })
    expect(told).toMatchObject({ ok: true, output: expect.stringMatching(/^7\n?$/), value: 7 })
    expect(told.text).toBe("7\nValue: 7")
    for (const [code, output, value] of [
      ['(1 2;1.5;"x;y";`s;.((`a;1);(`b;,2)))', /x;y/, [[1, 2], 1.5, "x;y", "s", { a: 1, b: [2] }]],
      ["a:7;a*2", /^14\n?$/, 14],
      ['a:"x;y" / b:1', /^$/, "x;y"],
      // K3CSharp prints some assignments.
      ["b:2;a:1,b", /^(?:1 2)?$/, [1, 2]],
      ["a,:3", /^(?:1 2 3)?$/, [1, 2, 3]],
      [".k.d.x:.5", /^$/, 0.5],
    ] as const) {
      expect(await evaluate(code, { value: true })).toMatchObject({ output: expect.stringMatching(output), value })
    }
    expect(await evaluate("(1;0I)", { value: "true" })).toMatchObject({
      value: [1, "0I"],
      notice: expect.stringContaining("/1: it stands there as text"),
    })
    // `value` does not change the output.
    expect(await evaluate("a+1;", { value: true })).toMatchObject({ output: "" })
    expect(await evaluate("\\d", { value: true })).toMatchObject({ output: expect.stringMatching(/^\.k\n?$/) })
    expect(await evaluate("1+`a", { value: true })).toMatchObject({ ok: false, error: { next: expect.stringContaining("k_eval") } })
  })

  test("V1 code without a statement has no value, and the reply says so", async () => {
    const { evaluate } = began(await serverFor("empty"))
    for (const code of ["", "/ a comment"])
      expect((await evaluate(code, { value: true })).notice).toBe("There is no value: the code has no statement.")
  })

  test("V1 value is bounded as output is", async () => {
    const { evaluate } = began(await begin([...args, "--output-shown", "200"]))
    const told = await evaluate("!100000", { value: true })
    expect(told).not.toHaveProperty("value")
    expect(told).toMatchObject({ ok: true, truncated: { handle: "o1" }, notice: expect.stringContaining("more than 200 characters") })
    expect((await evaluate("!40", { value: true })).value).toHaveLength(40)
  })

  test("V2 run takes code and arguments, and makes no definition", async () => {
    const { call, run } = began(await serverFor("run"))
    const defined = await call("k_define", { action: "list" })
    expect(await run("{[v;n] n*+/v}", { arguments: { v: [1, 2, 3], n: 2 } })).toMatchObject({ ok: true, value: 12, text: "12" })
    expect(await run("{[] 6*7}")).toMatchObject({ value: 42 })
    expect(await run("{[s] s}", { arguments: { s: "[1,2]" } })).toMatchObject({ value: "[1,2]" })
    expect(await run("{[v] v}", { arguments: '{"v":["1",true,"true"]}' })).toMatchObject({ value: ["1", 1, "true"] })
    const flags = { parameters: { a: "boolean", b: "bool", c: "int" }, arguments: { a: true, b: "true", c: "false" } }
    expect(await run("{[a;b;c] a,b,c}", flags)).toMatchObject({ value: [1, 1, 0] })
    expect(await call("k_define", { action: "list" })).toEqual(defined)
  })

  test("V2 a refused run names the problem and the call to make next", async () => {
    const { call, run } = began(await serverFor("refused"))
    for (const [refused, words] of [
      [await run("1+1"), /one function in braces/],
      [await run("{[a] a}", { arguments: { b: 1 } }), /there is no argument b.*\n.*missing\nCall k_define again/],
      [await run("{[a] a}", { name: "f", arguments: { a: 1 } }), /a name or code, not both/],
      [await run("{[a] a}", { arguments: "{a:1}" }), /arguments: Expected object/],
      [await run("{[a] a}", { arguments: { a: 1 }, timeout_ms: -1 }), /timeout_ms: more than 0/],
      [await run("{[a] a+`x}", { arguments: { a: 1 } }), /Call k_define run with other arguments or code\.$/],
      [await call("k_define", { action: "run" }), /run takes a name, or code/],
    ] as const) {
      expect(refused.ok).toBe(false)
      expect(refused.text).toMatch(words)
    }
    const late = await run("{[a] while[1;a:1]}", { arguments: { a: 1 }, timeout_ms: 200 })
    expect(late).toMatchObject({ ok: false, error: { name: "deadline" } })
    expect(late.text).toMatch(/k_define with (something smaller, or with )?a larger timeout_ms/)
    expect(await run("{[a] a}", { arguments: { a: 1 } })).toMatchObject({ value: 1 })
  })

  test("V2 C4 a call lowers a tool's own deadline, and does not raise it", async () => {
    const { server, call } = began(await serverFor("deadline"))
    await call("k_define", { action: "define", name: "loop", code: "{[n] while[n;n:1];n}", timeout_ms: 60_000 })
    const tool = (await server.request("tools/list")).result.tools.find(({ name }: { name: string }) => name === "kf_loop")
    expect(tool.inputSchema.properties.timeout_ms).toEqual({ type: "number", description: "deadline; at most 60000" })
    expect(await call("kf_loop", { n: 0, timeout_ms: 5000 })).toMatchObject({ value: 0 })
    expect(await call("kf_loop", { n: 1, timeout_ms: 100 })).toMatchObject({ error: { name: "deadline" } })
    expect(await call("k_define", { action: "run", name: "loop", arguments: { n: 1 }, timeout_ms: 100 })).toMatchObject({
      error: { name: "deadline" },
    })
    for (const timeout_ms of [60_001, 0, "soon"]) {
      const refused = await call("kf_loop", { n: 0, timeout_ms })
      expect(refused).toMatchObject({ ok: false, error: { name: "arguments" } })
      expect(refused.text).toContain("Call kf_loop again with these put right")
    }
  })

  it.skipIf(engine !== "k3csharp" || k3csharpBuild === undefined)(
    "V1 args are refused by K3CSharp, which cannot remove a name",
    async () => {
      const { evaluate } = began(await serverFor("args"))
      const refused = await evaluate("n+1", { args: { n: 1 } })
      expect(refused).toMatchObject({ ok: false, error: { name: "refused" } })
      expect(refused.text).toContain("k_define run takes code and arguments")
    },
  )
})

describe("V1 args on embedded", () => {
  const test = it
  const serverFor = sharedServer(["--engine", "embedded", "--state-dir", "none"])
  const names = async ({ call }: ReturnType<typeof began>) => (await call("k_inspect", {})).text.replaceAll(/ .*/g, "")

  test("are variables of one evaluation: JSON or its text, in every directory, whatever ends it", async () => {
    const session = began(await serverFor("args"))
    const { evaluate } = session
    expect(await evaluate("n+1", { args: { n: [1, 2.5] }, value: true })).toMatchObject({ value: [2, 3.5] })
    expect(await evaluate("s,t", { args: '{"s":"[1]","t":"a\\"b"}', value: true })).toMatchObject({ value: '[1]a"b' })
    expect(await evaluate("d.b+d[`a]", { args: { d: { a: 1, b: [1] } }, value: true })).toMatchObject({ value: [2] })
    expect(await evaluate("keep:n", { args: { n: 1 }, changes: true })).toMatchObject({
      changes: { added: [{ name: ".k.keep" }], changed: [], removed: [] },
    })
    expect(await evaluate("n+`a", { args: { n: 1 } })).toMatchObject({ ok: false })
    expect(await evaluate("n+`a", { args: { n: 1 }, rollback: true })).toMatchObject({ rolled_back: true })
    expect(await evaluate("while[1;keep:2]", { args: { n: 1 }, timeout_ms: 100 })).toMatchObject({ error: { name: "deadline" } })
    expect(await names(session)).toBe("keep")
    await evaluate("\\d .k.sub")
    expect(await evaluate("m:n\nn:5", { args: { n: 4 } })).toMatchObject({ ok: true })
    expect(await names(session)).toMatch(/^m\nOther/)
    await session.call("k_snapshot", { action: "save" })
    expect(await evaluate("_exit 3", { args: { n: 1 } })).toMatchObject({ error: { name: "crash" } })
    expect(await names(session)).toMatch(/^m\nOther/)
    expect((await evaluate("n")).ok).toBe(false)
  })

  test("S25 are in no changes, which an evaluation that ends at its deadline names too", async () => {
    const { evaluate } = began(await serverFor("late"))
    await evaluate("0")
    const cut = { args: { n: 1 }, changes: true, timeout_ms: 1000 }
    const late = await evaluate("a:n\nb:!3\nwhile[1;a:7.5]", cut)
    expect(late).toMatchObject({ error: { name: "deadline" }, changes: { added: [{ name: ".k.a" }, { name: ".k.b" }] } })
    expect(late.text).toMatch(/All variables are kept\.\nChanges: added \.k\.a \(float\); added \.k\.b \(integers 3\)\./)
    expect(await evaluate("a:8;while[1;]", { ...cut, rollback: true })).toMatchObject({ changes: { added: [], changed: [] } })
    const quick = await evaluate("a:!100000;while[1;]", cut)
    expect(quick).toMatchObject({ error: { name: "deadline" }, changes: { added: [], changed: [{ name: ".k.a" }] } })
    const large = await evaluate("a:!1000000;while[1;]", cut)
    expect(large).not.toHaveProperty("changes")
    expect(large.text).toContain("Changes: not known, reading them takes too long.")
    expect(await evaluate("c:1", { changes: true })).toMatchObject({ changes: { added: [{ name: ".k.c" }], changed: [] } })
  })

  test("S25 what earlier evaluations changed is not told as changes of one that ends before its first statement", async () => {
    const { evaluate } = began(await serverFor("early"))
    await evaluate("b:$!1000000")
    const next = await evaluate("w:1", { changes: true, timeout_ms: 400 })
    expect(JSON.stringify(next["changes"] ?? {})).not.toContain(".k.b")
  })

  test("are refused as a whole, with the next call, for a name in use, an invalid name, or a value that K cannot hold", async () => {
    const { evaluate, call } = began(await serverFor("unusable"))
    await evaluate("a:1\n.k.dir.x:2")
    for (const [args, words] of [
      [{ b: 2, a: 2 }, /has a already.*\n.*\nCall k_eval without args, or with other names/],
      [{ dir: 1 }, /has dir already/],
      [{ ".k.d.x": 1 }, /a name is 1 to 32 letters/],
      [{ "a b": 1, "": 2 }, /"a b": .*\n.*"": a name/],
      [{ z: "\ud800" }, /K cannot hold half a surrogate pair/],
      [[1], /args: Expected object/],
      ["{", /args: Expected object/],
    ] as const) {
      const refused = await evaluate("b:9", { args })
      expect(refused.ok).toBe(false)
      expect(refused.text).toMatch(words)
      expect(refused.text).toContain("k_eval")
    }
    expect((await call("k_inspect", {})).text).not.toMatch(/^[bz] /m)
    const long = await evaluate("#v", { args: { v: Array.from({ length: 300_000 }, (_, i) => i) }, value: true })
    expect(long).toMatchObject({ value: 300_000 })
  })
})
