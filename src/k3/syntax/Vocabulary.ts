/** The vocabulary of the parser: verbs and system names. Types, and one function. */
import type { Verb } from "../values/Verb.ts"
import type { NounRow } from "../primitives/Row.ts"

/** `primitives/vocabulary.ts` implements it. */
export interface Vocabulary {
  /** `+`, `+:`, `0:`, `:`, `_ssr`. */
  verb(text: string): Verb | undefined
  noun(text: string): NounRow | undefined
}

/** Is this name, which begins with `_`, a system name? */
export const isSystemName =
  (vocabulary: Vocabulary) =>
  (name: string): boolean =>
    name === "_f" || vocabulary.verb(name) !== undefined || vocabulary.noun(name) !== undefined
