/** P1 Which data a K value is. */
import { describe, expect, it } from "vitest"
import type { Data } from "../../src/plot/shapes.ts"
import { data, refusal } from "./pictures.ts"

const told = (found: Data) => {
  if (found.shape === "matrix") return `matrix ${found.height} ${found.width}: ${found.values.join(" ")}`
  const columns = found.shape === "multiples" ? found.parts : found.columns
  const cell = (column: (typeof columns)[number], value: number): string =>
    column.kind === "category"
      ? column.labels![value]!
      : column.kind === "time"
        ? new Date(value).toISOString().slice(0, 10)
        : String(value)
  return `${found.shape} ${columns.map((each) => `${each.name}(${each.kind}) ${Array.from(each.values, (value) => cell(each, value)).join(" ")}`).join(", ")}`
}

describe("P1 shapes", () => {
  it.each([
    ["1 2 3", "table index(number) 0 1 2, value(number) 1 2 3"],
    ["1 0N 0I -0I", "table index(number) 0 1 2 3, value(number) 1 NaN Infinity -Infinity"],
    ["1.5 0n 0i", "table index(number) 0 1 2, value(number) 1.5 NaN Infinity"],
    ["(1;2.5;_n)", "table index(number) 0 1 2, value(number) 1 2.5 NaN"],
    ["`a`b`a", "table value(category) a b a"],
    ['("ab";"c";"ab")', "table value(category) ab c ab"],
    ["(1 2 3;4 5 6)", "table x(number) 1 2 3, y(number) 4 5 6"],
    ["(`a`b;1 2)", "table x(category) a b, y(number) 1 2"],
    ["(20240229 20240301;1 2)", "table x(time) 2024-02-29 2024-03-01, y(number) 1 2"],
    ["(20240230 20240301;1 2)", "table x(number) 20240230 20240301, y(number) 1 2"],
    ["(`a`b`c;(1 2;3 4;`x`y))", "table a(number) 1 2, b(number) 3 4, c(category) x y"],
    ["(1 2;3 4;5 6)", "matrix 3 2: 1 2 3 4 5 6"],
    ["(1 2;3 4.5;5 6)", "matrix 3 2: 1 2 3 4.5 5 6"],
    ["(1 2;`a`b;5 6)", "table c0(number) 1 2, c1(category) a b, c2(number) 5 6"],
    [".+(`a`b;(1 2;3 4.5))", "table a(number) 1 2, b(number) 3 4.5"],
    [".+(`a`b;(1 2;3 4 5))", "multiples a(number) 1 2, b(number) 3 4 5"],
    [".+(`a`b;1 2)", "table name(category) a b, value(number) 1 2"],
    [".((`a;1 2);(`b;3 4);(`a;5 6))", "table a(number) 5 6, b(number) 3 4"],
    ["20240101 20240102", "table index(number) 0 1, value(number) 20240101 20240102"],
  ])("%s", (code, expected) => {
    expect(told(data(code))).toBe(expected)
  })

  it("letters of symbols and strings are Unicode", () => {
    expect(told(data('("Größe";"☃")'))).toBe("table value(category) Größe ☃")
  })

  it.each([
    ["5", /one int.*Give a vector/],
    ["{x}", /function/],
    ["_n", /nil/],
    ["!0", /no rows/],
    ["(1 2;3 4 5)", /differ in length: 2, 3 \| .*dictionary/],
    [".((`a;.+(`b`c;1 2));(`d;1))", /dictionary that holds more than vectors/],
  ])("%s has no picture, and K that has one is told", async (code, expected) => {
    expect(await refusal(() => data(code))).toMatch(expected)
  })
})
