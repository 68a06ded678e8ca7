/**
 * The verbs and system nouns as values, made from the rows of the primitives' tables.
 *
 * Guarantees: one `Verb` object for each text, so that identity is equality. Does not: hold documents; the rows do.
 */
import { lazily } from "../lazily.ts"
import { amendItem, amendPath } from "../run/amend.ts"
import { Verb, type Polyad } from "../values/Verb.ts"
import { surplus } from "../run/mismatch.ts"
import type { Vocabulary } from "../syntax/Vocabulary.ts"
import { inverse } from "./inverse.ts"
import type { DyadRow, SystemRow, TriadRow, VerbRow } from "./Row.ts"
import { systemNames } from "./systemTable.ts"
import { verbs } from "./table.ts"

/** Every verb and system name, a row for each number of arguments. */
export const rows: readonly (VerbRow | SystemRow)[] = [...verbs, ...systemNames]

const triadic =
  (run: TriadRow["run"]): Polyad =>
  (args, k) => {
    if (args.length > 3) throw surplus(args.length, 3)
    return run(args[0]!, args[1]!, args[2]!, k)
  }

/** Made on first use, since the tables and this module use each other's functions. */
export const vocabulary = lazily((): Vocabulary => {
  /** Glyphs with more than two arguments. */
  const polyads = new Map([
    ["@", amendItem],
    [".", amendPath],
    ["?", triadic(inverse)],
  ])
  const known = new Map<string, Verb>()
  const glyphs = new Set(verbs.map(({ glyph }) => glyph))
  const nouns = new Map(rows.filter((row) => row.valence === 0).map((row) => [row.glyph, row]))
  const monads = new Map(rows.filter((row) => row.valence === 1).map((row) => [row.glyph, row]))
  const dyads = new Map(rows.filter((row) => row.valence === 2).map((row) => [row.glyph, row]))
  const triads = new Map(rows.filter((row) => row.valence === 3).map((row) => [row.glyph, row]))
  for (const text of new Set([...monads.keys(), ...dyads.keys(), ...triads.keys()])) {
    const monad = monads.get(text)
    const dyad = dyads.get(text)
    const triad = triads.get(text)
    const forced = glyphs.has(text) && monad !== undefined ? new Verb(text + ":", { monad }) : undefined
    known.set(text, new Verb(text, { monad, dyad }, triad === undefined ? polyads.get(text) : triadic(triad.run), forced))
    if (forced !== undefined) known.set(forced.text, forced)
    // `4:` chooses by the number of its arguments, so only `4::` is a verb of its own.
    if (/^\d/.test(text) && monad !== undefined) known.set(`${text}:`, new Verb(`${text}:`, { monad }))
  }
  return { verb: (text) => known.get(text), noun: (text) => nouns.get(text) }
})

/** The verb for which a function's text is another spelling. */
export const verbOfIdiom = (text: string): DyadRow | undefined => idioms.get(text)
const idioms: ReadonlyMap<string | undefined, DyadRow> = new Map(rows.filter((row) => row.valence === 2).map((row) => [row.idiom, row]))
