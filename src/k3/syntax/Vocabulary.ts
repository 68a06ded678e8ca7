/** The names and verbs that the parser is to know. Types, and a question about them. */
import type { Verb } from "../values/Verb.ts"
import type { NounRow } from "../primitives/Row.ts"

/** As `primitives/vocabulary.ts` has it. */
export interface Vocabulary {
  /** `+`, `+:`, `0:`, `:`, `_ssr`. */
  verb(text: string): Verb | undefined
  noun(text: string): NounRow | undefined
}

/** Which names that begin with `_` there are. */
export const isSystemName =
  (vocabulary: Vocabulary) =>
  (name: string): boolean =>
    name === "_f" || vocabulary.verb(name) !== undefined || vocabulary.noun(name) !== undefined
