/** What `\` help prints, made from the rows of the primitives tables. Does not: hold any text about a verb itself. */
import { systemNames } from "./primitives/systemTable.ts"
import { verbs } from "./primitives/table.ts"

const kinds = ["", "x", "x y", "x y z"]

const OVERVIEW = `K3. \\help WORD tells about a verb (+), a system name (_ss) or a word (sort).
verbs     ${[...new Set(verbs.map((row) => row.glyph))].join(" ")}
adverbs   / over  \\ scan  ' each  /: each right  \\: each left  ': each prior
names     ${[...new Set(systemNames.map((row) => row.glyph))].join(" ")}
control   :[c;t;f]  if[c;..]  while[c;..]  do[n;..]  {[a;b] ..}  :return  'signal
commands  \\l file  \\d dir  \\v names  \\p digits  \\t expr  \\r seed  \\w space  \\cd dir  \\9 clear  \\\\ quit
`

/** About one verb, name or word; without a topic, all there is. */
export const help = (topic: string): string => {
  if (!/[^\d\s]/.test(topic)) return OVERVIEW
  const rows = [...verbs, ...systemNames]
  const exact = rows.filter((row) => row.glyph === topic || row.name === topic)
  const word = topic.toLowerCase()
  const found = exact.length > 0 ? exact : rows.filter((row) => `${row.name} ${row.doc}`.toLowerCase().includes(word))
  if (found.length === 0) return `nothing about ${topic}\n`
  return found
    .map((row) => {
      const examples = row.examples.map(([code, prints]) => `  ${code.replaceAll("\n", "\n  ")}\n${prints.replace(/^/gm, "    ")}\n`)
      return `${row.glyph}  ${row.name}  ${kinds[row.valence]}\n${row.doc}\n${examples.join("")}`
    })
    .join("\n")
}
