/** R8 drift on the built server: the definitions of a script that differ from the session's, on both engines. */
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { engines, k3csharpBuild, scratchFolder, start } from "./server.ts"

describe.each(engines)("on %s", (engine, args) => {
  const when = it.skipIf(engine === "k3csharp" && k3csharpBuild === undefined)

  when("R8 different, missing and equal definitions are reported; the session does not change", async () => {
    const folder = scratchFolder()
    mkdirSync(join(folder, "lib"))
    const script = "/ a library\nf:{x+1}\ng:{[a;b] a*b}\nv:1 2 3\n.lib.w:5\n"
    writeFileSync(join(folder, "lib/a.k"), script)
    const server = start([...args, "--roots", folder])
    await server.initialize()
    const drift = (file: string, rest: object = {}) => server.call("k_compare", { file, ...rest })
    await server.call("k_eval", { code: script })
    expect((await drift("lib/a.k")).structuredContent).toEqual({ ok: true, drift: [], same: 4 })
    expect((await drift(join(folder, "lib/a.k"))).content[0].text).toBe(
      `${join(folder, "lib/a.k")} and session main: 0 definitions differ, 4 the same.`,
    )
    await server.call("k_eval", { code: "g:{[a;b] a+b}\nv:1 9 3\nother:1" })
    const before = (await server.call("k_status")).structuredContent.generation
    const { content, structuredContent } = await drift("lib/a")
    expect(structuredContent).toMatchObject({
      drift: [
        { name: ".k.g", script: expect.stringContaining("a*b"), session: expect.stringContaining("a+b") },
        { name: ".k.v", script: "integers 3 1 2 3", session: "integers 3 1 9 3" },
      ],
      same: 2,
    })
    expect(content[0].text).toContain("2 definitions differ, 2 the same.\n.k.g: script function")
    expect(content[0].text).toContain("k_eval with those lines of the script makes the session's the same.")
    expect((await server.call("k_eval", { code: "v" })).structuredContent.output.trim()).toBe("1 9 3")
    expect((await server.call("k_status")).structuredContent.generation).toBe(before)
    await server.call("k_eval", { code: "while[1;v:4]", background: true })
    expect((await drift("lib/a")).structuredContent.notice).toMatch(/^Session main as it was .+ ago: an evaluation is running\./)
    await server.call("k_session", { action: "interrupt", name: "main" })
    await server.call("k_session", { action: "create", name: "empty" })
    expect((await drift("lib/a.k", { session: "empty" })).structuredContent.drift).toContainEqual({ name: ".lib.w", script: "integer 5" })
  })

  when("R8 a script that fails, loops or is outside the roots is reported with a sentence", async () => {
    const folder = scratchFolder()
    const outside = join(scratchFolder(), "out.k")
    writeFileSync(outside, "a:1\n")
    symlinkSync(outside, join(folder, "link.k"))
    writeFileSync(join(folder, "bad.k"), "a:1\nnosuchname+1\nb:2\n")
    writeFileSync(join(folder, "loop.k"), "a:1\nwhile[1;a:2]\n")
    const server = start([...args, "--roots", folder])
    await server.initialize()
    await server.call("k_eval", { code: "a:1" })
    const drift = async (file: string, rest: object = {}) => server.call("k_compare", { file, ...rest })
    expect((await drift("bad.k")).structuredContent).toMatchObject({
      ok: true,
      notice: expect.stringMatching(/An error stopped the script.*:\n.*(value|nosuchname|rror)/i),
    })
    expect((await drift("loop.k", { timeout_ms: 700 })).content[0].text).toMatch(/did not come to its end.*700 ms[^]*k_eval/)
    for (const file of [outside, join(folder, "link.k")]) expect((await drift(file)).content[0].text).toContain("K3_ROOTS")
    expect((await drift("none.k")).content[0].text).toMatch(/none\.k/)
    expect((await drift("bad.k", { session: "nobody" })).content[0].text).toContain("There is no session nobody")
    expect((await drift("bad.k", { code: "1" })).content[0].text).toContain("between")
    expect((await server.call("k_compare", { file: "bad.k", between: ["main", "disk"] })).content[0].text).toContain("without between")
    expect(existsSync(outside)).toBe(true)
  })
})
