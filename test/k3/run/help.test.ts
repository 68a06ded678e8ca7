/** `\help WORDS` in the language itself. */
import { expect, it } from "vitest"
import { printed } from "../../lib/session.ts"

it("help finds a row by all of the words that are asked for", () => {
  expect(printed("\\help ascending grade")).toBe(printed("\\help grade ascending"))
  expect(printed("\\help ascending grade")).toMatch(/^<  grade up/)
  expect(printed("\\help grade nosuchword")).toBe("nothing about grade nosuchword among the verbs and names")
})
