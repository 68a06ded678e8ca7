/** Scripts in and out, on both engines: `\l` finds scripts in the roots by name, and a session is exported as one file that `k3` runs. */
import { execFileSync } from "node:child_process"
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { begin, engines, k3csharpBuild, scratchFolder, serverFile } from "./server.ts"

/** Values of every type, nested values, functions that call each other, and other directories. */
const work = String.raw`i:5;n:0N;ni:-0I
fl:1.5;ff:3.0;nf:0n
c:"a"
s:"say \"hi\"\n\ttab \\ back / slash"
e:"";one:,"x"
sy:${"`"}abc;sq:${"`"}"a b"
v:1 2 3;o:,7;vf:0.1 2.0
ei:!0;ef:0#1.0;es:0#${"`"};el:()
sv:${"`"}a${"`"}b
nest:(1;2.5;"x";(${"`"}a;"str";(1 2;3 4)))
ln:(1;_n;2)
d:.((${"`"}a;1);(${"`"}b;"two");(${"`"}c;.((${"`"}x;1 2);(${"`"}y;3))))
ed:.()
f:{x+y*2}
g:{[a;b] t:f[a;b];t+h t}
h:{x*10}
q:{"brace } and \" quote / no comment"}
\d .k.sub
x:10
fn:{x+.k.i}
\d .k
.other.w:${"`"}q
.other.z:1 2`

/** Values that only the embedded engine has. */
const more = String.raw`p:f[;3]
q1:f[1]
r:+/
k:{x+1}'
z:(-)
adv:f/
m:{[x]
  / a comment
  t:x*2
  t+1}
deep.er:1 2`

/** Prints all variables, so that the outputs of two engines can be compared. */
const names = "i n ni fl ff nf c s e one sy sq v o vf ei ef es el sv nest ln d ed .k.sub.x .other.w .other.z".split(" ")
const images = names.map((name) => `_ic _bd ${name}`).join("\n")
const calls = "g[1;2]\nh 3\nq 0\n.k.sub.fn 1"
const moreCalls = "p 4\nq1 4\nr 1 2 3\nk 1 2\nz 3\nadv 1 2 3\nm 4\n.k.deep.er\nf\ng\nq\np\nadv\nm\n.k.sub.fn"

describe.each(engines)("%s", (engine, args) => {
  const when = it.skipIf(engine === "k3csharp" && k3csharpBuild === undefined)

  when("H4 all the work of a session leaves as one file, which k3 runs to the same state", async () => {
    const folder = scratchFolder()
    const server = await begin([...args, "--roots", folder])
    const evaluate = async (code: string): Promise<string> => {
      const { ok, output, error } = (await server.call("k_eval", { code })).structuredContent
      expect(ok, error?.text).toBe(true)
      return output
    }
    await evaluate(engine === "embedded" ? `${work}\n${more}` : work)
    const probe = engine === "embedded" ? `${images}\n${calls}\n${moreCalls}` : `${images}\n${calls}`
    const there = await evaluate(probe)
    const { file, notice } = (await server.call("k_history", { action: "script", file: join(folder, "work.k") })).structuredContent
    expect(notice).toBeUndefined()
    const here = execFileSync(process.execPath, [join(serverFile, "../k3.js"), file, "-e", probe], { cwd: folder, encoding: "utf8" })
    const lines = (text: string) =>
      text
        .trim()
        .split("\n")
        .filter((line) => line !== "")
    expect(lines(here)).toEqual(lines(there))
  })

  when("\\l finds a script in the working folder, else in a root, with or without .k", async () => {
    const folder = scratchFolder()
    mkdirSync(join(folder, "lib"))
    writeFileSync(join(folder, "lib/stats.k"), "mean:{(+/x)%#x}\n")
    const server = await begin([...args, "--roots", `${folder}:${join(folder, "lib")}`])
    for (const code of ["\\l stats", "\\l stats.k", `\\l ${join(folder, "lib/stats")}`]) {
      await server.call("k_reset")
      expect((await server.call("k_eval", { code })).structuredContent).toMatchObject({ ok: true })
      expect((await server.call("k_eval", { code: "mean 1 2 3" })).structuredContent.output.trim()).toBe("2.0")
    }
    const missing = await server.call("k_eval", { code: "\\l nothing" })
    expect(missing.structuredContent.ok).toBe(false)
    expect(missing.content[0].text).toContain("nothing.k was not found in ")
    if (engine === "embedded") expect(missing.content[0].text).toContain(join(folder, "lib"))
  })
})

describe.each(engines)("A scripts listed, on %s", (engine, args) => {
  const when = it.skipIf(engine === "k3csharp" && k3csharpBuild === undefined)

  when("A1 the scripts below the roots are listed with comment, definitions and loads, and can be loaded by the listed name", async () => {
    const folder = scratchFolder()
    mkdirSync(join(folder, "lib/.hidden"), { recursive: true })
    writeFileSync(join(folder, "lib/mean.k"), "/ means of all kinds\n\nmean:{(+/x)%#x}\ngeo:{_exp mean _log x}\n")
    writeFileSync(join(folder, "main.k"), "\\l lib/mean\n.app.start:{mean x}\n")
    writeFileSync(join(folder, "lib/.hidden/secret.k"), "no:1\n")
    const outside = scratchFolder()
    writeFileSync(join(outside, "secret.k"), "password:1\n")
    symlinkSync(join(outside, "secret.k"), join(folder, "linked.k"))
    symlinkSync(outside, join(folder, "way"))
    const server = await begin([...args, "--roots", folder])
    const { content, structuredContent } = await server.call("k_session", { action: "scripts" })
    expect(structuredContent).toEqual({
      ok: true,
      scripts: [
        { file: "lib/mean.k", comment: "means of all kinds", defines: ["mean", "geo"], loads: [] },
        { file: "main.k", defines: [".app.start"], loads: ["lib/mean"] },
      ],
    })
    const listed = "lib/mean.k: means of all kinds; defines mean, geo\nmain.k; defines .app.start; loads lib/mean"
    expect(content[0].text).toBe(listed)
    expect((await server.request("resources/read", { uri: "k3://scripts" })).result.contents[0].text).toBe(listed)
    const found = async (...names: string[]) => (await server.call("k_session", { action: "scripts", names })).structuredContent.scripts
    expect((await found("GEO", "nosuch")).map(({ file }: { file: string }) => file)).toEqual(["lib/mean.k"])
    expect(await found("password")).toEqual([])
    expect((await server.call("k_session", { action: "scripts", names: ["password"] })).content[0].text).toContain("No such K script")
    expect(await server.call("k_eval", { code: "\\l lib/mean.k\nmean 1 2 6" })).toMatchObject({ structuredContent: { ok: true } })
  })

  when("A1 thousands of scripts, and a huge one, are listed in bounds while others are answered", async () => {
    const folder = scratchFolder()
    for (let i = 0; i < 5200; i++) writeFileSync(join(folder, `s${i}.k`), `/ script ${i}\nname${i}:${i}\n`)
    writeFileSync(join(folder, "a-huge.k"), `/ huge\nfirst:1\n${"x:1+1\n".repeat(2_000_000)}`)
    const server = await begin([...args, "--roots", folder])
    const order: string[] = []
    const all = server.call("k_session", { action: "scripts", names: ["name5"] }).then((reply) => (order.push("scripts"), reply))
    const other = server.call("k_status").then(() => order.push("status"))
    const [found] = await Promise.all([all, other])
    expect(order).toEqual(["status", "scripts"])
    expect(found.structuredContent.scripts).toHaveLength(100)
    expect(found.structuredContent.notice).toMatch(/^\d+ more are left out; .*\nThere may be more/)
    const { scripts } = (await server.call("k_session", { action: "scripts" })).structuredContent
    expect(scripts).toHaveLength(100)
    const huge = (await server.call("k_session", { action: "scripts", names: ["a-huge"] })).content[0].text
    expect(huge).toContain("too long to be read whole")
  })
})
