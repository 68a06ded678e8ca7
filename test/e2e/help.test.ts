/** Help, checking, and the entry beside an error, on the built server and on both engines. */
import { rmSync } from "node:fs"
import { dirname, join } from "node:path"
import { describe, expect, it } from "vitest"
import { idioms } from "../../src/help/idioms.ts"
import { onK3CSharp } from "../../src/help/idioms/k3csharp.ts"
import { differences } from "../../src/help/k3csharp.ts"
import { begin, copiedServer, engines, k3csharpBuild } from "./server.ts"
import { sharedServer } from "./sharedServer.ts"

const layoutless = (printed: string): string => printed.replaceAll(/\.0(?!\d)/g, "").replaceAll(/[\s;]+/g, "")

const textOf = (result: any): string => result.content[0].text

it("D2 k_help answers before anything is launched", async () => {
  const server = await begin()
  expect(textOf(await server.call("k_help", { query: "movng avrage" }))).toContain("moving-average")
  expect(textOf(await server.call("k_help", { query: "%" }))).toContain("4 8%2\n    2 4.0")
  expect(textOf(await server.call("k_help"))).toContain("traps")
  expect((await server.call("k_status")).structuredContent.generation).toBe(0)
})

it("D2 without the help's files, after an upgrade of the server, failed code still has its result, and help says what to do", async () => {
  const program = copiedServer()
  const server = await begin(undefined, {}, [process.execPath, program])
  await server.call("k_eval", { code: "a:1" })
  rmSync(join(dirname(program), "k3-mcp"), { recursive: true })
  for (const [code, error] of [
    ["b:a+1\n1+`a", "type"],
    ["x = y", "value"],
  ] as const)
    expect((await server.call("k_eval", { code })).structuredContent).toMatchObject({ ok: false, error: { name: error } })
  expect((await server.call("k_eval", { code: "b" })).structuredContent.output.trim()).toBe("2")
  const gone =
    "A file of k3-mcp that this needs was replaced or removed while the server ran. Ask the user to restart the server (reconnect it in the host)."
  for (const [tool, given] of [
    ["k_help", { query: "+" }],
    ["k_validate", { code: "1+" }],
  ] as const)
    expect(textOf(await server.call(tool, given))).toContain(gone)
  for (const [method, given] of [
    ["resources/list", {}],
    ["resources/read", { uri: "k3://docs/traps" }],
    ["resources/read", { uri: "skill://k3/SKILL.md" }],
    ["skills/list", {}],
  ] as const)
    expect((await server.request(method, given)).error?.message).toBe(gone)
})

it("D2 the idioms of CSV hold a file of 300,000 fields in 128 MB", async () => {
  const server = await begin()
  const lines = (name: string): readonly string[] => idioms.find(({ form }) => form === name)!.body[0]![0].split("\n")
  const evaluate = async (code: string) => {
    const { output } = (await server.call("k_eval", { code, memory_mb: 128 })).structuredContent
    return output
  }
  await evaluate('`q.csv 6:"a,b,c\\n",,/100000#,"\\"a, b\\",\\"say \\"\\"c\\"\\"\\",12\\r\\n"')
  const [plain, , rewrite] = lines("csv-quoted")
  expect(await evaluate(`${plain}\n${rewrite}\nt:.+("CSI";,"\\001")0:\`plain.csv\n#t.a\n*t.a\n*t.b\n+/t.c`)).toBe(
    '100000\n"a, b"\n`"say \\"c\\""\n1200000\n',
  )
  const [, quoted, write] = lines("csv-write")
  expect(await evaluate(`${quoted}\n${write}\n_size "t.csv"`)).toBe("2200006.0\n")
}, 60_000)

describe.each(engines)("%s", (engine, args) => {
  const when = it.skipIf(engine === "k3csharp" && k3csharpBuild === undefined)
  const serverFor = sharedServer(args)

  when("D3 k_validate knows the session's names, and runs no code", async () => {
    const server = await serverFor("names")
    await server.call("k_eval", { code: "total:5" })
    const good = await server.call("k_validate", { code: "total+1" })
    expect(good.structuredContent).toMatchObject({ ok: true, issues: [] })
    const bad = (await server.call("k_validate", { code: "totl+1\ntotal:9\nf:{[a\n  a+1}" })).structuredContent
    expect(bad.ok).toBe(false)
    expect(bad.issues).toMatchObject([
      { code: "unknown-name", line: 1, column: 1, instead: "total", caret: "^" },
      { code: "unmatched", severity: "error", line: 4, column: 6, opened: { line: 3, column: 4 } },
    ])
    expect((await server.call("k_eval", { code: "total" })).structuredContent.output.trim()).toBe("5")
  })

  when("D3 k_validate does not wait for an evaluation, and says how old its names are", async () => {
    const server = await serverFor("busy")
    await server.call("k_eval", { code: "total:5" })
    await server.call("k_validate", { code: "total" })
    server.send({ id: "long", method: "tools/call", params: { name: "k_eval", arguments: { code: "while[1;zz:1]", session: "busy" } } })
    await expect.poll(async () => (await server.call("k_status")).structuredContent.running).toBeTruthy()
    const reply = await server.call("k_validate", { code: "total+zz" })
    expect(reply.structuredContent.issues).toMatchObject([{ code: "unknown-name", column: 7 }])
    expect(textOf(reply)).toMatch(/Names are those of .* ago/)
    server.send({ method: "notifications/cancelled", params: { requestId: "long" } })
  })

  when("D4 an error brings the entry of the verb that failed", async () => {
    const server = await serverFor("entries")
    const sum = await server.call("k_eval", { code: "1 2+1 2 3" })
    expect(sum.structuredContent.error).toMatchObject({ name: "length", at: "+" })
    expect(sum.structuredContent.error.entry).toMatch(/^x\+y {2}plus: /)
    expect(textOf(sum)).toContain(sum.structuredContent.error.entry)
    expect((await server.call("k_eval", { code: "-`a" })).structuredContent.error.entry).toMatch(/^-x {2}negate: /)
    expect((await server.call("k_eval", { code: "print 5" })).structuredContent.error.entry).toContain("`0:text")
    const { notice } = (await server.call("k_eval", { code: "nosuch+t.b" })).structuredContent
    if (engine === "k3csharp") expect(notice).toContain("write t[`b]")
    else expect(notice).toBeUndefined()
  })
})

describe.skipIf(k3csharpBuild === undefined)("k3csharp alone", () => {
  const serverFor = sharedServer(engines[1]![1])

  it("k_validate reports differences of K3CSharp", async () => {
    const server = await serverFor("differences")
    const { ok, issues } = (await server.call("k_validate", { code: 'a:4 8%2\n_ssr["abc";"b";"x"]' })).structuredContent
    expect(ok).toBe(true)
    expect(issues.map(({ code, line }: { code: string; line: number }) => `${line} ${code}`)).toEqual([
      "1 k3csharp-assign-prints",
      "1 k3csharp-divide-vector",
      "2 k3csharp-ssr",
    ])
  })

  it("k_validate omits issues that K3CSharp does not have: a } on a line of its own changes nothing", async () => {
    const server = await serverFor("brace")
    const code = "f:{[x]\n  x*2\n}\nf 7"
    expect((await server.call("k_eval", { code })).structuredContent.output).toMatch(/^14$/m)
    expect((await server.call("k_validate", { code })).structuredContent.issues).toEqual([])
  })

  it("D4 an error, or missing output, that K does not have names the difference of K3CSharp", async () => {
    const server = await serverFor("shown")
    const noticeOf = async (code: string) => (await server.call("k_eval", { code })).structuredContent.notice
    expect(await noticeOf('_ssr["abc";"b";"x"]')).toBe("Note: on K3CSharp _ssr is missing: _ss finds the places.")
    expect(await noticeOf("a:1\n(+/)1 2 3")).toBe("Note: on K3CSharp (+/)1 2 3 prints nothing: write +/1 2 3.")
    expect(await noticeOf("1+`a")).toBeUndefined()
    expect(await noticeOf("a:1 2 3;\na[1]:9\na")).toContain("a[1]:9 changes nothing, in silence")
    expect(await noticeOf("a:1 2 3;\n@[`a;1;:;9]\na")).toBeUndefined()
    expect(await noticeOf("zz:!5000")).toContain("a ; behind them prevents it")
    expect(await noticeOf("zz:!5000;")).toBeUndefined()
    for (const short of ["zz:50", "zz:-1 2.5", 'zz:"text"', "zz:{x+1}"]) expect(await noticeOf(`${short}\n!5000`)).toBeUndefined()
    expect(await noticeOf("zz:!5000\n#zz")).toContain("a ; behind them prevents it")
    expect(await noticeOf("zz")).toBeUndefined()
    const { error } = (await server.call("k_eval", { code: '_ssr["abc";"b";"x"]' })).structuredContent
    expect(error).toMatchObject({ name: "value", at: "_ssr" })
    expect(error.entry).toBeUndefined()
  })

  it("D1 K3CSharp behaves as the rows about it say", async () => {
    const server = await serverFor("rows")
    for (const { code: row, example } of differences) {
      if (example === undefined) continue
      const { ok, output, error } = (await server.call("k_eval", { code: example[0] })).structuredContent
      expect(ok ? output : `'${error.name}`, row).toBe(example[2])
    }
  })

  it("D1 K3CSharp's \\l runs the first statement of a script alone, and k_validate says so", async () => {
    const server = await serverFor("load")
    await server.call("k_eval", { code: "a:1\nb:2" })
    await server.call("k_history", { action: "script", file: "two.k" })
    await server.call("k_reset")
    const code = "\\l two.k"
    const { issues } = (await server.call("k_validate", { code })).structuredContent
    expect(issues).toMatchObject([{ code: "k3csharp-load", message: expect.stringContaining("only the first statement") }])
    await server.call("k_eval", { code })
    const { entries } = (await server.call("k_inspect")).structuredContent
    expect(entries).toMatchObject([{ name: "a" }])
  })

  it("D1 K3CSharp runs the idioms that are marked for it, and k_help marks the others", async () => {
    const server = await serverFor("idioms")
    for (const { form, body } of idioms) {
      if (!onK3CSharp.has(form)) continue
      const [code, prints] = body[0]!
      let printed = ""
      if (form === "variables") await server.call("k_reset")
      for (const statement of code!.split("\n")) {
        const { output } = (await server.call("k_eval", { code: statement })).structuredContent
        // K3CSharp prints the value of some assignments.
        if (!/^[A-Za-z][\w.]*(?:\[.*?\])?[-+,]?::?[^:]/.test(statement)) printed += layoutless(output)
      }
      expect(printed, form).toBe(layoutless(prints!))
    }
    expect(textOf(await server.call("k_help", { query: "reverse-words" }))).toContain("K3CSharp fails here")
    expect(textOf(await server.call("k_help", { query: "sum" }))).not.toContain("K3CSharp")
  })
})
