/** M2 a text is cut between characters: half of a surrogate pair is no text for strict clients. */
import { expect, it } from "vitest"
import { shortened } from "../src/shortened.ts"

it.each(["a😀😀", "ab😀😀"])("%s is cut between characters", (text) => {
  expect(shortened(text, 4)).toMatch(/^ab?(?:😀)?…$/u)
  expect(shortened(text, 4)).not.toMatch(/\p{Surrogate}/u)
  expect(shortened(text, text.length)).toBe(text)
})
