/** J6 the cells of a table: what they show of an item. */
import { expect, it } from "vitest"
import { cellTexts } from "../../../src/child/engines/cellText.ts"
import type { Item } from "../../../src/child/engines/image.ts"

const bytes = new Uint8Array()
const floats = (...values: readonly number[]): Item => ({ type: -2, values: Float64Array.from(values), bytes })

it("J6 floats have seven digits, also in lists; great ones all, and -0.0 its sign", () => {
  expect(cellTexts(floats(1 / 3, -0, 0, 12345678.91, Number.NaN, -Infinity), "embedded", 24)).toEqual([
    "0.3333333",
    "-0.0",
    "0.0",
    "12345678.91",
    "0n",
    "-0i",
  ])
  const list: Item = {
    type: 0,
    items: [floats(0.1 + 0.2, 2), { type: 2, value: 1 / 3, bytes }, { type: 0, items: [floats(2 / 3)], bytes }],
    bytes,
  }
  expect(cellTexts(list, "embedded", 24)).toEqual(["0.3 2.0", "0.3333333", ",,0.6666667"])
})
