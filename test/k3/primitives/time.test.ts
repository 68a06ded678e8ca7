import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { dateOf, daysOf } from "../../../src/k3/primitives/time.ts"
import { memoryHost } from "../../lib/memoryHost.ts"
import { printed } from "../../lib/printed.ts"

const DAY = 86_400_000

describe("dates", () => {
  it("are those of the Gregorian calendar, both ways", () => {
    fc.assert(
      fc.property(fc.integer({ min: -800_000, max: 800_000 }), (days) => {
        const date = new Date(Date.UTC(2035, 0, 1) + days * DAY)
        const written = date.getUTCFullYear() * 10000 + (date.getUTCMonth() + 1) * 100 + date.getUTCDate()
        fc.pre(date.getUTCFullYear() >= 0)
        expect(dateOf(days)).toBe(written)
        expect(daysOf(written)).toBe(days)
      }),
    )
  })
  it.each([
    ["_jd 20350231", "61"],
    ["_gtime -1", "20341231 235959"],
    ["_gtime 0 86400", "(20350101 20350102\n 0 0)"],
    ["_lt 0", "-18000"],
    ["_ltime 0", "20341231 190000"],
    ["@[_jd;`a;:]", '(1;"type")'],
  ])("%s", (code, prints) => expect(printed(code)).toBe(prints))
})

describe("the clock", () => {
  it("counts from 2035", () => {
    expect(printed("_t", memoryHost(Date.UTC(2035, 0, 1, 0, 1)))).toBe("60")
    expect(printed("_T", memoryHost(Date.UTC(2034, 11, 31, 12)))).toBe("-0.5")
    expect(printed("_t", memoryHost(Date.UTC(2034, 11, 31, 23, 59, 59, 500)))).toBe("-1")
  })
})
