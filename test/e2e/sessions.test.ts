/** Named sessions on the built server with both engines: made without a name, ephemeral, merged. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { engines, k3csharpBuild, scratchFolder, start, type RawServer } from "./server.ts"

const text = async (server: RawServer, name: string, args: object): Promise<string> => (await server.call(name, args)).content[0].text
const session = (server: RawServer, action: string, rest: object = {}): Promise<string> => text(server, "k_session", { action, ...rest })
const printed = async (server: RawServer, code: string, of: string): Promise<string> =>
  (await server.call("k_eval", { code, session: of })).structuredContent.output.trim()

describe.each(engines)("on %s", (engine, args) => {
  const when = it.skipIf(engine === "k3csharp" && k3csharpBuild === undefined)

  when("B10 create without a name makes a session, and says which", async () => {
    const server = start(args)
    await server.initialize()
    const made = (await server.call("k_session", { action: "create" })).structuredContent
    expect(made).toMatchObject({ ok: true, name: "s1", notice: `Session s1 is open, engine ${engine}.` })
    expect(await printed(server, "1+1", made.name)).toBe("2")
    expect(await session(server, "fork", { session: "s1" })).toContain("Session s2 is open")
    expect((await server.call("k_session", { action: "create", name: "s2" })).isError).toBe(true)
  })

  when("B11 an ephemeral session leaves nothing on disk and no history", async () => {
    const state = join(scratchFolder(), "state")
    const server = start([...args, "--state-dir", state])
    await server.initialize()
    expect(await session(server, "create", { name: "secret", ephemeral: true })).toContain("Nothing of it is kept.")
    await server.call("k_eval", { code: "hidden:4711", session: "secret" })
    await server.call("k_snapshot", { action: "save", session: "secret" })
    expect(await text(server, "k_history", { action: "list", session: "secret" })).toContain("no history")
    expect(await session(server, "list")).toMatch(/^secret: .*, ephemeral/m)
    expect(await text(server, "k_define", { action: "define", name: "f", code: "{x}", session: "secret" })).toContain("is ephemeral")
    await server.call("k_eval", { code: "1+1" })
    server.process.stdin!.end()
    await server.ended
    const files = readdirSync(state, { recursive: true, withFileTypes: true }).filter((each) => each.isFile())
    expect(files.length).toBeGreaterThan(0)
    for (const { parentPath, name } of files) {
      expect(join(parentPath, name)).not.toContain("secret")
      expect(readFileSync(join(parentPath, name), "latin1")).not.toMatch(/hidden|4711/)
    }
  })

  when("B12 a merge names the variables that it would overwrite, then overwrites them; a replay does the same", async () => {
    const server = start(args)
    await server.initialize()
    await server.call("k_eval", { code: "a:1 2 3\nf:{x+a}\nb:7" })
    await session(server, "create", { name: "trial" })
    await server.call("k_eval", { code: "b:0", session: "trial" })
    const merge = { session: "main", name: "trial", names: ["a", "b", "f"] }
    const refused = await server.call("k_session", { action: "merge", ...merge })
    expect(refused.isError).toBe(true)
    expect(refused.content[0].text).toMatch(
      /^Nothing is merged: in session trial it would overwrite 1 variable\.\nchanged \.k\.b: integer 0 → integer 7\n.*overwrite true/,
    )
    expect(await session(server, "merge", { ...merge, overwrite: true })).toMatch(/Added: \.k\.a, \.k\.f\.\nOverwritten: \.k\.b\./)
    expect(await printed(server, "f b", "trial")).toBe("8 9 10")
    expect(await session(server, "merge", merge)).toContain("The same already: .k.a, .k.b, .k.f.")
    await server.call("k_history", { action: "replay", session: "trial", into: "again" })
    expect(await printed(server, "f b", "again")).toBe("8 9 10")
    expect(await session(server, "merge", { name: "trial", names: ["zz"] })).toMatch(/Session main has no zz; it has these: \.k\.a/)
    expect(await session(server, "merge", { name: "trial" })).toContain("merge takes names")
    expect(await session(server, "merge", { ...merge, name: "nobody" })).toContain("There is no session nobody")
  })
})
