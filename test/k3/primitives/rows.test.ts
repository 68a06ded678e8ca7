/** All facts about a verb are in its row: no other code knows a verb by its text. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { systemNames } from "../../../src/k3/primitives/systemTable.ts"
import { verbs } from "../../../src/k3/primitives/table.ts"

const room = join(import.meta.dirname, "../../../src/k3")
/** Tokens are no verbs yet. */
const READERS = /^(?:text\/|syntax\/(?:parser|terms|TokenReader)\.ts|syntax\/validation\/glued\.ts)/
/** A text beside a glyph or an idiom in quotes, and glyphs in quotes that are searched or asked for their length. */
const BY_TEXT = [
  /\.(?:text|glyph)\s*[!=]==\s*["'`][-+*%|&^!<>=~?_,#@.$:{]/,
  /["'][-+*%|&^!<>=~?_,#@.$:]+["']\.includes\(/,
  /\b(?:verb|f)\.(?:text|glyph)(?:\[|\.(?:length|startsWith|endsWith|includes|match)\b)/,
]

it("nothing compares a verb with a text", () => {
  const files = readdirSync(room, { recursive: true, encoding: "utf8" })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => path.endsWith(".ts") && !READERS.test(path))
  const found = files.flatMap((path) =>
    readFileSync(join(room, path), "utf8")
      .split("\n")
      .filter((line) => BY_TEXT.some((pattern) => pattern.test(line)))
      .map((line) => `${path}: ${line.trim()}`),
  )
  expect(found).toEqual([])
})

const dyads = [...verbs, ...systemNames].filter((row) => row.valence === 2)

it.each(["join", "replace", "apply", "attributes"] as const)("one verb has the role %s", (role) =>
  expect(dyads.filter((row) => row.role === role)).toHaveLength(1),
)
