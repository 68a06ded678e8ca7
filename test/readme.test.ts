/** README's tables are made from the declarations. When one is out of date: `npx vitest run test/readme.test.ts -u`. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { tools } from "../src/mcp/tools/index.ts"
import { documentation } from "../src/Settings.ts"

const file = join(import.meta.dirname, "../README.md")

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => "---"), ...rows].map((row) => `| ${row.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`).join("\n")

const sections: Readonly<Record<string, string>> = {
  tools: table(
    ["tool", "what it does"],
    tools.map((tool) => tool.describe()).map(({ name, description }) => [`\`${name}\``, description.split(/(?<=\.)\s/)[0]!]),
  ),
  settings: table(
    ["setting", "flag", "variable", "default", "what"],
    documentation.map(({ name, flag, variable, default: fallback, doc }) => [
      `\`${name}\``,
      `\`${flag}\``,
      `\`${variable}\``,
      `\`${fallback}\``,
      doc,
    ]),
  ),
}

it("README's generated tables are up to date", async () => {
  const upToDate = Object.entries(sections).reduce(
    (text, [name, content]) =>
      text.replace(
        new RegExp(`(<!-- ${name} -->\n)[\\s\\S]*?(<!-- /${name} -->)`),
        (_, open: string, close: string) => `${open}\n${content}\n\n${close}`,
      ),
    readFileSync(file, "utf8"),
  )
  await expect(upToDate).toMatchFileSnapshot(file)
})
