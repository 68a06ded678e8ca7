/** H3: the lines of a stored history. */
import { constants } from "node:buffer"
import { expect, it } from "vitest"
import { linesIn } from "../../src/store/historyLines.ts"

it("H3 a damaged history with more bytes than a text can have holds no line", () => {
  expect(linesIn(new TextEncoder().encode("a\n\nb"))).toEqual(["a", "b"])
  expect(linesIn(new Uint8Array(constants.MAX_STRING_LENGTH + 1))).toEqual([])
})
