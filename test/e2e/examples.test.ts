/** C7 kept examples of defined tools on the built server, on both engines: shown, run again at each change, failures reported. */
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { begin, engines, k3csharpBuild, scratchFolder, type RawServer } from "./server.ts"

const define = (server: RawServer, rest: object) => server.call("k_define", { action: "define", name: "add", ...rest })
const one = { arguments: { v: 1 }, result: 3 }
const two = { arguments: { v: 5 }, result: 7 }

describe.each(engines)("on %s", (engine, args) => {
  const when = it.skipIf(engine === "k3csharp" && k3csharpBuild === undefined)

  when("C7 several are kept and shown, and a redefinition that fails one is refused with which", async () => {
    const state = join(scratchFolder(), "state")
    const again = () => begin([...args, "--state-dir", state])
    const first = await again()
    await first.call("k_eval", { code: "w:2" })
    expect((await define(first, { code: "{[v] v+w}", ...one })).structuredContent).toMatchObject({ ok: true, version: 1 })
    expect((await define(first, { code: "{[v] v+w}", ...two })).structuredContent).toMatchObject({ ok: true, version: 2 })
    first.process.stdin!.end()
    await first.ended

    const server = await again()
    const source = async () => (await server.call("k_define", { action: "source", name: "add" })).structuredContent.tools[0]
    expect(await source()).toMatchObject({ version: 2, examples: [one, two] })
    const bad = await define(server, { code: "{[v] v*3+w-w}" })
    expect(bad.isError).toBe(true)
    expect(bad.content[0].text).toMatch(
      /^Nothing is defined: examples fail\.\n1 of 2 examples of tools fails:\n {2}kf_add example 2: expected 7, got 15/,
    )
    expect(await source()).toMatchObject({ version: 2, code: "{[v] v+w}" })
    expect((await define(server, { code: "{[v] w+v}" })).structuredContent).toMatchObject({ ok: true, version: 3 })
    expect((await define(server, { code: "{[v] v*3}", examples: [one] })).structuredContent).toMatchObject({ ok: true, version: 4 })
    expect(await source()).toMatchObject({ examples: [one] })
    expect((await define(server, { code: "{[v] v*4}", examples: [one] })).content[0].text).toContain("expected 3, got 4")
    expect((await define(server, { code: "{[v] v*4}", examples: [] })).structuredContent).toMatchObject({ ok: true, version: 5 })
  })

  when("C7 they leave the session as it was, and run when all places for sessions are taken", async () => {
    const server = await begin([...args, "--max-sessions", "1"])
    await server.call("k_eval", { code: "n:2" })
    expect((await define(server, { code: "{[v] n::v;v+2}", ...one })).structuredContent).toMatchObject({ ok: true, version: 1 })
    expect((await server.call("k_eval", { code: "n" })).structuredContent.output.trim()).toBe("2")
    expect((await server.call("k_define", { action: "test", name: "add" })).content[0].text).toBe(
      "1 example of tools gives what it should.",
    )
    expect((await server.call("k_eval", { code: "1", session: "other" })).structuredContent.error.name).toBe("sessions")
  })

  when("C7 reload, compare and test run the pure ones beside the sessions; the others only when their tool is named", async () => {
    const folder = scratchFolder()
    const server = await begin([...args, "--roots", folder])
    const text = async (name: string, given: object): Promise<string> => (await server.call(name, given)).content[0].text
    await server.call("k_eval", { code: "w:2" })
    await define(server, { code: "{[v] v+w}", examples: [one, two] })
    const file = join(folder, "made")
    const impure = { action: "define", name: "put", code: `{[v] "${file}" 6:v;v}`, examples: [{ arguments: { v: "x" }, result: "y" }] }
    expect(await text("k_define", impure)).toContain("kf_put example 1: expected")
    await server.call("k_define", { ...impure, code: "{[v] n::v;v}", examples: [{ arguments: { v: 1 }, result: 1 }] })
    const tested = await text("k_define", { action: "test" })
    expect(tested).toMatch(/^2 examples of tools give what they should\.\nNot run, .*: kf_put;/)
    expect(await text("k_define", { action: "test", name: "put" })).toBe("1 example of tools gives what it should.")
    expect(await text("k_inspect", { path: "n" })).toContain("has no value")
    await server.call("k_eval", { code: "w:10" })
    const reloaded = await server.call("k_reload")
    expect(reloaded.content[0].text).toContain("2 of 2 examples of tools on the new build fail:\n  kf_add example 1: expected 3, got 11")
    expect(reloaded.structuredContent.examples).toMatchObject({ ran: 2, failing: [{ tool: "kf_add", example: 1 }, { example: 2 }] })
    await server.call("k_eval", { code: "w:2", session: "other" })
    const sides = await server.call("k_compare", { between: ["main", "other"] })
    expect(sides.structuredContent.examples).toMatchObject([
      { ran: 2, failing: [{}, {}] },
      { ran: 2, failing: [] },
    ])
    expect(await text("k_compare", { between: ["main", "nobody"] })).toContain("There is no session nobody")
    expect(await text("k_compare", { between: ["running", "disk"] })).toContain("give code for the running build")
    const { sessions } = (await server.call("k_session", { action: "list" })).structuredContent
    expect(sessions.map(({ name }: { name: string }) => name)).toEqual(["main", "other"])
  })
})
