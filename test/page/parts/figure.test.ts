/** Figures of a variable, as the page and the view of a variable show them. */
import { expect, it } from "vitest"
import { figure } from "../../../src/grid/figure.ts"

it.each([
  [0, "0"],
  [-2147483647, "-2,147,483,647"],
  [12345678, "12,345,678"],
  [99999.5, "99,999.5"],
  [2 / 3, "0.6666667"],
  [999999999999999, "999,999,999,999,999"],
  [1234567e12, "1.234567e+18"],
  [1e300, "1e+300"],
  [2.5e-6, "2.5e-6"],
  [-1.5e-9, "-1.5e-9"],
])("J6 the figure %d is shown as %s: whole numbers exactly, very great and small ones by a power of ten", (value, shown) => {
  expect(figure(value)).toBe(shown)
})
