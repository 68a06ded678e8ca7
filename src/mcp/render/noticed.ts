/** Replies whose last part is a notice. Guarantees: the notice ends the text, and is a field of its own; an empty one is in neither. */
import type { Reply } from "../Reply.ts"
import { paragraphs } from "./words.ts"

type Lines = readonly (string | undefined)[]

/** `shown`: the lines before the notice. `fields`: the same as fields; `ok` is true unless they have another `ok`. */
export const noticed = <Fields extends object>(
  shown: Lines,
  fields: Fields,
  notice: Lines,
): Reply<{ readonly ok: boolean; readonly notice?: string } & Fields> => {
  const last = paragraphs(...notice)
  return { text: paragraphs(...shown, last), structured: { ok: true, ...fields, ...(last !== "" && { notice: last }) } }
}
