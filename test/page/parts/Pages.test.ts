/** The pages of a table: the cells that are held, and those under way while the table changes. */
import { describe, expect, it } from "vitest"
import { Pages } from "../../../src/grid/Pages.ts"

describe("J6 the pages of a table", () => {
  it("hold each row under its number also when the rows of a page become more", async () => {
    let rowsOfPage = 10
    const pages = new Pages({
      size: () => ({ rows: 100, rowsOfPage }),
      fetch: async (from, count) => [Array.from({ length: count }, (_, n) => `${from + n}`)],
      failed: (error) => expect.unreachable(String(error)),
    })
    pages.want(10, 10)
    await expect.poll(() => pages.cell(10, 0)).toBe("10")
    rowsOfPage = 20
    pages.want(20, 10)
    await expect.poll(() => pages.cell(25, 0)).toBe("25")
    rowsOfPage = 10
    expect([pages.cell(10, 0) ?? "10", pages.cell(15, 0) ?? "15"]).toEqual(["10", "15"])
  })
})
