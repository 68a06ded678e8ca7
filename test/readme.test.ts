/**
 * The tables of the documents are made from the declarations, the walk-throughs and the tutorial from what `test/e2e/walkthroughs.test.ts` was answered.
 * When one is out of date: `npx vitest run test/readme.test.ts -u`.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { expect, it } from "vitest"
import { systemNames } from "../src/k3/primitives/systemTable.ts"
import { verbs } from "../src/k3/primitives/table.ts"
import { tools } from "../src/mcp/tools/index.ts"
import { documentation } from "../src/Settings.ts"
import { known } from "./differential/known.ts"
import { table, withSections } from "./lib/sections.ts"

const root = join(import.meta.dirname, "..")

/** Text as code in a table. */
const code = (text: string): string => (text.includes("`") ? `\`\` ${text} \`\`` : `\`${text}\``)

const named = (glyph: string, valence: 1 | 2): string => verbs.find((row) => row.glyph === glyph && row.valence === valence)?.name ?? ""

const differences = JSON.parse(readFileSync(join(root, "test/cases/differences.json"), "utf8")) as readonly {
  readonly id: string
  readonly prints: string
  readonly why: string
}[]

/** A walk-through as it was committed. */
const walk = (name: string): string => `\`\`\`\n${readFileSync(join(root, `test/e2e/walkthroughs/${name}.snapshot.txt`), "utf8")}\`\`\``

const classes = [...new Set(systemNames.map((row) => row.class))]

/** The settings that README shows. */
const first = new Set([
  "engine",
  "buildDir",
  "buildCommand",
  "evalTimeout",
  "evalTimeoutMax",
  "roots",
  "shell",
  "stateDir",
  "childMemory",
  "outputShown",
])

const settings = (names: (name: string) => boolean): string =>
  table(
    ["setting", "flag", "variable", "default", "what"],
    documentation
      .filter(({ name }) => names(name))
      .map(({ name, flag, variable, default: fallback, doc }) => [code(name), code(flag), code(variable), code(fallback), doc]),
  )

const pages: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "README.md": {
    tools: table(
      ["tool", "what it does"],
      tools.map((tool) => tool.describe()).map(({ name, description }) => [code(name), description.split(/(?<=\.)\s/)[0]!]),
    ),
    "first settings": settings((name) => first.has(name)),
  },
  "docs/settings.md": { settings: settings(() => true) },
  "docs/interpreter.md": {
    verbs: table(
      ["verb", "one argument", "two arguments"],
      [...new Set(verbs.map((row) => row.glyph))].map((glyph) => [code(glyph), named(glyph, 1), named(glyph, 2)]),
    ),
    names: table(
      ["", "names"],
      classes.map((each) => [each, [...new Set(systemNames.filter((row) => row.class === each).map((row) => code(row.glyph)))].join(" ")]),
    ),
  },
  "docs/tutorial.md": Object.fromEntries(
    ["numbers", "file", "groups", "mistakes", "picture", "tool", "undo", "keep"].map((step) => [`walk ${step}`, walk(`tutorial.${step}`)]),
  ),
  "docs/walkthroughs.md": { "walk interpreter": walk("interpreter"), "walk k": walk("k") },
  "docs/differences.md": {
    differences: table(
      ["case", "prints here", "why"],
      differences.map(({ id, prints, why }) => [code(id), code(prints), why]),
    ),
    "both others": table(
      ["", "K", "here", "Kona and K3CSharp", "why"],
      known.map(({ id, example, here, there, why }) => [id, code(example), code(here), code(there), why]),
    ),
  },
}

it.each(Object.entries(pages))("the generated tables of %s are up to date", async (name, sections) => {
  const file = join(root, name)
  await expect(withSections(readFileSync(file, "utf8"), sections)).toMatchFileSnapshot(file)
})

const words = (page: string): number =>
  readFileSync(join(root, page), "utf8")
    .replaceAll(/<!-- ([\w ]+) -->[\s\S]*?<!-- \/\1 -->/g, "")
    .split(/\s+/)
    .filter((word) => /\w/.test(word)).length

it.each(["README.md", "ARCHITECTURE.md"])("%s has at most 2,000 words beside its generated tables", (page) => {
  expect(words(page)).toBeLessThanOrEqual(2000)
})

const documents = [
  "README.md",
  "ARCHITECTURE.md",
  "bench/README.md",
  ...readdirSync(join(root, "docs")).map((name) => `docs/${name}`),
].filter((path) => path.endsWith(".md"))

it.each(documents)("the links of %s lead to a file", (page) => {
  const text = readFileSync(join(root, page), "utf8").replaceAll(/^```[\s\S]*?^```/gm, "")
  const links = [...text.matchAll(/\]\(([^)#:]+)\)/g)].map(([, to]) => to!)
  expect(links.filter((to) => !existsSync(join(root, dirname(page), to)))).toEqual([])
})

it("docs/README.md names every page", () => {
  const index = readFileSync(join(root, "docs/README.md"), "utf8")
  const pages = readdirSync(join(root, "docs")).filter((file) => file.endsWith(".md") && file !== "README.md")
  expect(pages.filter((page) => !index.includes(`](${page})`))).toEqual([])
})
