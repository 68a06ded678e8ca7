/** The Claude Code plugin. Its skill is made from the help: `npx vitest run test/packages/plugin.test.ts -u` writes it. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { skillFiles } from "../../src/help/skill.ts"

const root = join(import.meta.dirname, "../..")
const json = (path: string): any => JSON.parse(readFileSync(join(root, path), "utf8"))
const { version, bin, name } = json("package.json")

it("E3 the skill is what the help says today", async () => {
  for (const [name, text] of skillFiles) await expect(text).toMatchFileSnapshot(join(root, `plugin/skills/k3/${name}`))
  expect(/^description: (.*)$/m.exec(skillFiles.get("SKILL.md")!)![1]!.length).toBeLessThan(1024)
})

it("E3 the plugin, the bundle, the registry's entry and the package are of one version, and start programs that the package has", () => {
  const entry = json("server.json")
  for (const each of [
    json("plugin/.claude-plugin/plugin.json"),
    json("mcpb/manifest.json"),
    json("editors/vscode/package.json"),
    entry,
    entry.packages[0],
  ])
    expect(each.version).toBe(version)
  const commands = [json("plugin/.mcp.json").mcpServers.k3.command, json("plugin/.lsp.json").k3.command]
  expect(commands.filter((command) => bin[command] === undefined)).toEqual([])
  expect(entry.packages[0].identifier).toBe(name)
})

it("E3 server.json keeps the rules of its format, proves that the package is its own, and names no registry's address", () => {
  const text = readFileSync(join(root, "server.json"), "utf8")
  const entry = JSON.parse(text)
  expect(Object.keys(entry)).toEqual(["$schema", "name", "title", "description", "version", "packages"])
  expect(entry.$schema).toMatch(/\/2025-12-11\/server\.schema\.json$/)
  expect(entry.name).toMatch(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/)
  expect(json("package.json").mcpName).toBe(entry.name)
  expect(entry.description.length).toBeLessThanOrEqual(100)
  expect(entry.packages).toHaveLength(1)
  const [{ registryType, transport, environmentVariables, ...rest }] = entry.packages
  expect([registryType, transport]).toEqual(["npm", { type: "stdio" }])
  expect(Object.keys(rest)).toEqual(["identifier", "version", "runtimeHint"])
  for (const { format = "string", default: fallback, choices = [fallback] } of environmentVariables) {
    expect(["string", "number", "boolean", "filepath"]).toContain(format)
    expect(choices).toContain(fallback)
  }
  for (const path of ["server.json", "mcpb/manifest.json", "plugin/.mcp.json", ".claude-plugin/marketplace.json"])
    expect(readFileSync(join(root, path), "utf8")).not.toMatch(/npmjs|registryBaseUrl/)
})
