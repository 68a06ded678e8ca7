/** The text of `\` and `\help`, made from the rows of the primitives. Does not: hold texts about verbs. */
import { systemNames } from "../primitives/systemTable.ts"
import { verbs } from "../primitives/table.ts"

const kinds = ["", "x", "x y", "x y z"]

/** Columns of a terminal, and of the first column of the list. */
const WIDTH = 79
const MARGIN = 10

/** A kind and its members, wrapped into lines. */
const list = (kind: string, what: Iterable<string>, gap: string): string => {
  const fitting = new RegExp(`\\S.{0,${WIDTH - MARGIN - 1}}(?=${gap}|$)`, "g")
  const lines = Array.from(what).join(gap).match(fitting)!
  return lines.map((line, i) => `${(i === 0 ? kind : "").padEnd(MARGIN)}${line}\n`).join("")
}

const glyphs = (rows: readonly { readonly glyph: string }[]): Set<string> => new Set(rows.map(({ glyph }) => glyph))

const ADVERBS = ["/ over", "\\ scan", "' each", "/: each right", "\\: each left", "': each prior"]
const CONTROL = [":[c;t;f]", "if[c;..]", "while[c;..]", "do[n;..]", "{[a;b] ..}", ":return", "'signal"]
const COMMANDS = [
  "\\l file",
  "\\d dir",
  "\\v names",
  "\\p digits",
  "\\t expr",
  "\\r seed",
  "\\w space",
  "\\cd dir",
  "\\9 clear",
  "\\\\ quit",
]

const overview = (): string =>
  "K3. \\help WORD tells about a verb (+), a system name (_ss) or a word (sort).\n" +
  list("verbs", glyphs(verbs), " ") +
  list("adverbs", ADVERBS, "  ") +
  list("names", glyphs(systemNames), " ") +
  list("control", CONTROL, "  ") +
  list("commands", COMMANDS, "  ")

/** The help on one verb, name or word; without a topic the overview. */
export const help = (topic: string): string => {
  if (!/[^\d\s]/.test(topic)) return overview()
  const rows = [...verbs, ...systemNames]
  const exact = rows.filter((row) => row.glyph === topic || row.name === topic)
  // Compares beginnings of words, so that "if" is not found in "different".
  const asked = Array.from(topic.toLowerCase().matchAll(/\S+/g), ([word]) => ` ${word}`)
  const words = (text: string): string => ` ${text.toLowerCase().replace(/[^a-z0-9_]+/g, " ")}`
  const hasAll = (text: string): boolean => asked.every((word) => text.includes(word))
  const found = exact.length > 0 ? exact : rows.filter(({ name, doc }) => hasAll(words(`${name} ${doc}`)))
  if (found.length === 0) return `nothing about ${topic} among the verbs and names\n`
  return found
    .map((row) => {
      const examples = row.examples.map(([code, prints]) => `  ${code.replaceAll("\n", "\n  ")}\n${prints.replace(/^/gm, "    ")}\n`)
      return `${row.glyph}  ${row.name}  ${kinds[row.valence]}\n${row.doc}\n${examples.join("")}`
    })
    .join("\n")
}
