/** README's registration blocks, one for each host, read as the host reads them: the form, the command and its arguments, and that they start us. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import packageJson from "../package.json" with { type: "json" }
import { documentation } from "../src/Settings.ts"

const readme = readFileSync(join(import.meta.dirname, "../README.md"), "utf8")
const install = readme.slice(readme.indexOf("## Install\n"), readme.indexOf("## Tools\n"))

/** The fenced block after the line that names a host. */
const blockOf = (host: string, language: string): string => {
  const from = install.indexOf(host)
  expect(from, host).toBeGreaterThan(-1)
  return new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, "m").exec(install.slice(from))![1]!
}

interface Registration {
  readonly command: string
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly [key: string]: unknown
}

/** Tables, strings, numbers and lists of strings: as much of TOML as the block may use; anything else fails. */
const toml = (text: string): any => {
  const root: any = {}
  let table = root
  for (const line of text.split("\n").filter((each) => each.trim() !== "")) {
    const header = /^\[([\w.]+)\]$/.exec(line)?.[1]
    const [, key, value] = /^(\w+) = ("[^"\\]*"|\d+|\[(?:"[^"\\]*"(?:, )?)*\])$/.exec(line) ?? []
    if (header !== undefined) table = header.split(".").reduce((at, name) => (at[name] ??= {}), root)
    else if (key !== undefined) table[key] = JSON.parse(value!)
    else throw new Error(`no TOML that is read here: ${line}`)
  }
  return root
}

const json = (text: string): any => JSON.parse(text)
const variables = new Set(documentation.map(({ variable }) => variable))

const hosts: readonly (readonly [string, string, (text: string) => any, string, readonly string[]])[] = [
  ["Claude Desktop", "json", json, "mcpServers", ["command", "args", "env"]],
  ["Cursor", "json", json, "mcpServers", ["command", "args", "env"]],
  ["VS Code", "json", json, "servers", ["type", "command", "args", "env"]],
  ["Codex", "toml", toml, "mcp_servers", ["command", "args", "env", "tool_timeout_sec"]],
  ["Gemini CLI", "json", json, "mcpServers", ["command", "args", "env", "timeout"]],
]

describe("M: the registration for", () => {
  it.each(hosts)("%s is in its own form, and starts this package", (host, language, read, section, keys) => {
    const file = read(blockOf(host, language))
    expect(Object.keys(file)).toEqual([section])
    const { k3, ...others } = file[section] as { readonly k3: Registration }
    expect(others).toEqual({})
    expect([k3.command, ...k3.args]).toEqual([packageJson.name])
    expect(Object.keys(k3).filter((key) => !keys.includes(key))).toEqual([])
    if (section === "servers") expect(k3["type"]).toBe("stdio")
    for (const name of Object.keys(k3.env ?? {})) expect(variables).toContain(name)
    // As long as the longest deadline a call may ask for, and a minute more.
    if (k3["timeout"] !== undefined) expect(k3["timeout"]).toBe(660_000)
    if (k3["tool_timeout_sec"] !== undefined) expect(k3["tool_timeout_sec"]).toBe(660)
  })

  it("Claude Code is a command that starts this package, and each variable in it is one of ours", () => {
    const lines = blockOf("Claude Code, by command", "").trim().split("\n")
    expect(lines).toHaveLength(2)
    for (const line of lines) {
      const [, options, command] = /^claude mcp add k3 (.*)-- (.+)$/.exec(line)!
      expect(command).toBe(packageJson.name)
      for (const [, name] of options!.matchAll(/-e (\w+)=/g)) expect(variables).toContain(name)
    }
  })

  it("the other commands in the text say the same", () => {
    expect(JSON.parse(/code --add-mcp '([^']+)'/.exec(install)![1]!)).toEqual({
      name: "k3",
      command: packageJson.name,
      args: [],
    })
    expect(install).toContain(`codex mcp add k3 -- ${packageJson.name}`)
    expect(install).toContain(`gemini mcp add -s user --timeout 660000 k3 ${packageJson.name}`)
  })

  it("the tarball that README installs is the one that npm pack makes, and has the program", () => {
    expect(install).toContain(`./${packageJson.name}-${packageJson.version}.tgz`)
    expect(Object.keys(packageJson.bin)).toContain(packageJson.name)
  })
})
