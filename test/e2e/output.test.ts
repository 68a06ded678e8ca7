/** Long replies on the built server: cut, named, paged, searched and dropped, on both engines. */
import { describe, expect, it } from "vitest"
import { engines, k3csharpBuild, start } from "./server.ts"

describe.each(engines)("T2 a long reply of %s", (engine, args) => {
  it.skipIf(engine === "k3csharp" && k3csharpBuild === undefined)("is cut, and read on by its handle", async () => {
    const server = start([...args, "--output-kept", "64KiB"])
    await server.initialize()
    const long = await server.call("k_eval", { code: "`first\n!20000\n`last" })
    expect(long.structuredContent.truncated).toMatchObject({ handle: "o1" })
    expect(long.content[0].text).toMatch(
      /^`first\n0 1 2 3[^]*cut here: \d+ bytes were printed; k_output o1 shows all but \d+ of them in the middle, which were not kept …[^]*`last$/,
    )
    const page = await server.call("k_output", { handle: "o1" })
    expect(page.structuredContent).toMatchObject({ ok: true, line: 1, span: [0, 7] })
    expect(page.content[0].text).toContain("More: k_output o1 with from 2.")
    const second = await server.call("k_output", { handle: "o1", from: 2 })
    expect(second.structuredContent.output).toMatch(/^0 1 2 3/)
    expect((await server.call("k_output", { handle: "o1", from: -1 })).structuredContent.output.trim()).toBe("`last")
    expect((await server.call("k_output", { handle: "o1", find: "last" })).structuredContent.lines.at(-1).text).toBe("`last")
    // Each of these outputs has its own handle, and two of them fit.
    await server.call("k_eval", { code: "!20000" })
    await server.call("k_eval", { code: "!20000", session: "other" })
    const dropped = await server.call("k_output", { handle: "o1" })
    expect(dropped).toMatchObject({ isError: true, structuredContent: { error: { name: "output" } } })
    expect(dropped.content[0].text).toMatch(/was dropped.*\n.*k_output with one that is kept: .*o3/)
    expect((await server.call("k_output", { handle: "o9" })).content[0].text).toContain("There is no output o9")
  })
})
