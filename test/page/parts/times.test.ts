/** J6 the times of entries. */
import { expect, it } from "vitest"
import { dayAndTimeOf, timeOf } from "../../../src/page/times.ts"

it("J6 the first hour of a day is 00, not 24", () => {
  const at = new Date(2026, 0, 31, 0, 5, 9).toISOString()
  expect(timeOf(at)).toMatch(/^00:05:09/)
  expect(dayAndTimeOf(at)).toContain("00:05:09")
})
