/** E3: the plugin's skill over MCP's skills extension, on the built server. */
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { start } from "./server.ts"

const plugin = join(import.meta.dirname, "../../plugin/skills/k3")

it("E3 lists the skill's files with their digests; their text is the plugin's", async () => {
  const server = start(["--engine", "embedded", "--state-dir", "none"])
  const { result } = await server.initialize()
  expect(result.capabilities.extensions).toEqual({ "io.modelcontextprotocol/skills": {} })
  const { skills } = (await server.request("skills/list")).result
  expect(skills).toMatchObject([{ uri: "skill://k3/SKILL.md", frontmatter: { name: "k3", description: expect.stringMatching(/K3/) } }])
  expect((await server.request("skills/get", { uri: skills[0].uri })).result.skill).toEqual(skills[0])
  const files: Record<string, string> = {}
  for (const { uri, digest } of skills[0].resources) {
    const { text } = (await server.request("resources/read", { uri })).result.contents[0]
    expect(digest).toBe(`sha256:${createHash("sha256").update(text).digest("hex")}`)
    files[uri.replace("skill://k3/", "")] = text
  }
  expect(files["idioms.md"]).toBe(readFileSync(join(plugin, "idioms.md"), "utf8"))
  expect((await server.request("resources/read", { uri: skills[0].uri })).result.contents[0].text).toBe(
    readFileSync(join(plugin, "SKILL.md"), "utf8"),
  )
  expect((await server.request("skills/get", { uri: "skill://k4/SKILL.md" })).error?.code).toBe(-32602)
  expect((await server.request("resources/read", { uri: "skill://k3/none.md" })).error?.message).toMatch(/skill:\/\/k3\/none\.md/)
})
