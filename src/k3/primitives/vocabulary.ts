/**
 * The verbs and system nouns as values, made from the rows of the primitives tables.
 *
 * Guarantees: one `Verb` object for each text, so that identity is equality. Does not: hold documents; the rows do.
 */
import { amendItem, amendPath } from "../run/amend.ts"
import { Verb, type Polyad } from "../values/Verb.ts"
import { surplus } from "../run/mismatch.ts"
import type { Vocabulary } from "../syntax/Vocabulary.ts"
import { inverse } from "./inverse.ts"
import type { DyadRow, MonadRow, NounRow } from "./Row.ts"
import { systemNames } from "./systemTable.ts"
import { verbs } from "./table.ts"

/** What a glyph does by the number of its arguments. */
interface Entry {
  monad?: MonadRow
  dyad?: DyadRow
  polyad?: Polyad
}

const make = (): Vocabulary => {
  const entries = new Map<string, Entry>()
  const nouns = new Map<string, NounRow>()
  const entryOf = (glyph: string): Entry => {
    let entry = entries.get(glyph)
    if (entry === undefined) entries.set(glyph, (entry = {}))
    return entry
  }
  for (const row of [...verbs, ...systemNames]) {
    if (row.valence === 0) nouns.set(row.glyph, row)
    else if (row.valence === 1) entryOf(row.glyph).monad = row
    else if (row.valence === 2) entryOf(row.glyph).dyad = row
    else
      entryOf(row.glyph).polyad = (args, k) => {
        if (args.length !== 3) throw surplus(args.length, 3)
        return row.run(args[0]!, args[1]!, args[2]!, k)
      }
  }
  entryOf("@").polyad = amendItem
  entryOf(".").polyad = amendPath
  entryOf("?").polyad = (args, k) => {
    if (args.length > 3) throw surplus(args.length, 3)
    return inverse(args[0]!, args[1]!, args[2], k)
  }

  const known = new Map<string, Verb>()
  const glyphs = new Set(verbs.map(({ glyph }) => glyph))
  for (const [text, { monad, dyad, polyad }] of entries) {
    const forced = glyphs.has(text) && monad !== undefined ? new Verb(text + ":", { monad }) : undefined
    known.set(text, new Verb(text, { monad, dyad }, polyad, forced))
    // `a::1` assigns a global.
    if (forced !== undefined && dyad?.role !== "replace") known.set(forced.text, forced)
  }
  return { verb: (text) => known.get(text), noun: (text) => nouns.get(text) }
}

let made: Vocabulary | undefined
/** Made on first use: the tables and this module refer to each other's functions. */
export const vocabulary = (): Vocabulary => (made ??= make())

const idioms = new Map<string, DyadRow>()
for (const row of [...verbs, ...systemNames]) if (row.valence === 2 && row.idiom !== undefined) idioms.set(row.idiom, row)
/** The verb that a function's text is another way to write. */
export const verbOfIdiom = (text: string): DyadRow | undefined => idioms.get(text)
