/** The tables of README and ARCHITECTURE are made from the declarations. When one is out of date: `npx vitest run test/readme.test.ts -u`. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { systemNames } from "../src/k3/primitives/systemTable.ts"
import { verbs } from "../src/k3/primitives/table.ts"
import { tools } from "../src/mcp/tools/index.ts"
import { documentation } from "../src/Settings.ts"

const root = join(import.meta.dirname, "..")

/** Text as a cell of a table, or as code in one. */
const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", "⏎")
const code = (text: string): string => (text.includes("`") ? `\`\` ${text} \`\`` : `\`${text}\``)

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => "---"), ...rows].map((row) => `| ${row.map(cell).join(" | ")} |`).join("\n")

const named = (glyph: string, valence: 1 | 2): string => verbs.find((row) => row.glyph === glyph && row.valence === valence)?.name ?? ""

const differences = JSON.parse(readFileSync(join(root, "test/cases/differences.json"), "utf8")) as readonly {
  readonly id: string
  readonly prints: string
  readonly why: string
}[]

const classes = [...new Set(systemNames.map((row) => row.class))]

const sections: Readonly<Record<string, string>> = {
  tools: table(
    ["tool", "what it does"],
    tools.map((tool) => tool.describe()).map(({ name, description }) => [code(name), description.split(/(?<=\.)\s/)[0]!]),
  ),
  settings: table(
    ["setting", "flag", "variable", "default", "what"],
    documentation.map(({ name, flag, variable, default: fallback, doc }) => [code(name), code(flag), code(variable), code(fallback), doc]),
  ),
  verbs: table(
    ["verb", "one argument", "two arguments"],
    [...new Set(verbs.map((row) => row.glyph))].map((glyph) => [code(glyph), named(glyph, 1), named(glyph, 2)]),
  ),
  names: table(
    ["", "names"],
    classes.map((each) => [each, [...new Set(systemNames.filter((row) => row.class === each).map((row) => code(row.glyph)))].join(" ")]),
  ),
  differences: table(
    ["case", "prints here", "why"],
    differences.map(({ id, prints, why }) => [code(id), code(prints), why]),
  ),
}

it.each(["README.md", "ARCHITECTURE.md"])("the generated tables of %s are up to date", async (name) => {
  const file = join(root, name)
  const upToDate = Object.entries(sections).reduce(
    (text, [section, content]) =>
      text.replace(
        new RegExp(`(<!-- ${section} -->\n)[\\s\\S]*?(<!-- /${section} -->)`),
        (_, open: string, close: string) => `${open}\n${content}\n\n${close}`,
      ),
    readFileSync(file, "utf8"),
  )
  await expect(upToDate).toMatchFileSnapshot(file)
})
