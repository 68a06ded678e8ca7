/** Entries of the verbs and system names, made from the tables of the language. */
import { type PrimitiveRow, rows } from "../k3/documents.ts"
import type { HelpEntry } from "./HelpEntry.ts"
import { idioms } from "./idioms.ts"

const isSystemName = (glyph: string): boolean => glyph.length > 1 && glyph.startsWith("_")

/** A verb with its arguments: `+x`, `x+y`, `x _ y` (`x_y` is a name), `_sin x`, `x _in y`, `_ssr[x;y;z]`, `_t`. */
export const formOf = ({ glyph, valence }: PrimitiveRow): string => {
  const blank = glyph.startsWith("_") ? " " : ""
  const forms = [glyph, `${glyph}${blank}x`, `x${blank}${glyph}${blank}y`, `${glyph}[x;y;z]`] as const
  return forms[valence]
}

/** Names of the idioms that use a system name. */
const inIdioms = (glyph: string): readonly string[] => {
  const used = new RegExp(`(?<![\\w\`])${glyph}(?![A-Za-z])`)
  return idioms.filter(({ body }) => used.test(body[0]![0])).map(({ form }) => form)
}

/** System names of the same class, then idioms that use the name. */
const relatedOf = (wanted: PrimitiveRow): readonly string[] => {
  if (!isSystemName(wanted.glyph)) return []
  const glyphs = new Set(rows.filter((row) => row.class === wanted.class && isSystemName(row.glyph)).map((row) => row.glyph))
  return [...[...glyphs].filter((glyph) => glyph !== wanted.glyph).slice(0, 5), ...inIdioms(wanted.glyph).slice(0, 4)]
}

const entryOf = (row: PrimitiveRow): HelpEntry => {
  const { glyph, name, doc, examples, words = "" } = row
  const form = formOf(row)
  const monad = row.valence === 1 && glyph.length === 1 && glyph !== ":" ? [`${glyph}:`] : []
  return {
    kind: glyph.length > 1 ? "name" : "verb",
    form,
    keys: [glyph, form, ...monad, ...name.split(", "), ...(isSystemName(glyph) ? [glyph.slice(1)] : [])],
    title: name,
    group: row.class,
    body: [doc, ...examples],
    words,
    // Computed when it is read, since it searches every idiom.
    get related() {
      return relatedOf(row)
    },
  }
}

export const primitives: readonly HelpEntry[] = rows.map(entryOf)
