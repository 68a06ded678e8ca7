/** The folder of VS Code's extension. Its grammar is made from the language's tables: `npx vitest run test/editors -u` writes it. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { runInNewContext } from "node:vm"
import { expect, it } from "vitest"
import { grammar, patterns } from "../lib/grammar.ts"

const folder = join(import.meta.dirname, "../../editors/vscode")
const root = join(folder, "../..")
const json = (path: string): any => JSON.parse(readFileSync(path, "utf8"))

it("E2 the grammar is that of the tables", async () => {
  await expect(`${JSON.stringify(grammar, null, 2)}\n`).toMatchFileSnapshot(join(folder, "syntaxes/k3.tmLanguage.json"))
})

/** A line's words, each with the last part of its scope but one, by the first pattern that fits, as an editor takes them. */
const scopes = (line: string): readonly string[] => {
  const found: string[] = []
  const all = patterns.map(({ name, match }) => ({ name, pattern: new RegExp(match, "g") }))
  for (let at = 0; at < line.length;) {
    const next = all.flatMap(({ name, pattern }) => {
      pattern.lastIndex = at
      const match = pattern.exec(line)
      return match === null ? [] : [{ name, start: match.index, text: match[0] }]
    })
    if (next.length === 0) break
    const first = next.reduce((best, each) => (each.start < best.start ? each : best))
    found.push(`${first.text} ${first.name.split(".").at(-2)}`)
    at = first.start + first.text.length
  }
  return found
}

it.each([
  [
    "avg:{(+/x)%#x} / mean",
    ["avg function", ": assignment", "+ operator", "/ adverb", "x language", "% operator", "# operator", "x language", "/ mean slash"],
  ],
  ['f:_ssr["a\\"";`b;-1.5e3]', ["f other", ": assignment", "_ssr system", '"a\\"" double', "`b symbol", "-1.5e3 numeric"]],
  ["while[a-1;.k.b+:_f 2]", ["while control", "a other", "- operator", "1 numeric", ".k.b other", "+: operator", "_f system", "2 numeric"]],
  ["try[if[0;1]]", ["try other", "if control", "0 numeric", "1 numeric"]],
  ["\\l lib / x", ["\\l lib / x directive"]],
  ["0:a", ["0: file", "a other"]],
])("E2 %s", (line, expected) => {
  expect(scopes(line)).toEqual(expected)
})

it("E2 the extension names files that are there, and starts k3 --lsp", async () => {
  const { contributes, main, version } = json(join(folder, "package.json"))
  expect(version).toBe(json(join(root, "package.json")).version)
  expect(json(join(folder, contributes.grammars[0].path)).scopeName).toBe(contributes.grammars[0].scopeName)
  expect(json(join(folder, contributes.languages[0].configuration)).comments).toBeDefined()
  const made: unknown[][] = []
  class LanguageClient {
    constructor(...options: unknown[]) {
      made.push(options)
    }
    start(): string {
      return "started"
    }
  }
  const workspace = { getConfiguration: () => ({ get: (_: string, otherwise: string) => otherwise }) }
  const modules = new Map<string, unknown>([
    ["vscode", { workspace }],
    ["vscode-languageclient/node", { LanguageClient, TransportKind: { stdio: 0 } }],
  ])
  const exports: { activate?: () => unknown } = {}
  runInNewContext(readFileSync(join(folder, main), "utf8"), { exports, require: (name: string) => modules.get(name), process })
  expect(exports.activate?.()).toBe("started")
  expect(made[0]).toMatchObject(["k3", "K3", { command: "k3", args: ["--lsp"], transport: 0 }, { documentSelector: [{ language: "k3" }] }])
})
