/** P3 The figures of a summary are those of a simple computation over all rows. */
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { gapOf, outliersOf, statisticsOf, trendOf } from "../../src/plot/statistics.ts"
import { plot, refusal } from "./pictures.ts"

const number = fc.oneof(fc.integer({ min: -1000, max: 1000 }), fc.constant(Number.NaN))

describe("P3 summary", () => {
  it("figures of numbers near the greatest and the least there are, in their unit", async () => {
    for (const [code, figures] of [
      ["1e308 -1e308 1e308 -1e308", "value%1e308: least -1 at index 1, greatest 1 at index 0; mean 0, standard deviation 1;"],
      ["1.5e308 1.5e308", "greatest 1.5 at index 0; mean 1.5, standard deviation 0;"],
      ["1e-310 3e-310", "value%1e-310: least 1 at index 0, greatest 3 at index 1; mean 2, standard deviation 1;"],
    ] as const)
      expect((await plot(code)).summary.join(" ")).toContain(figures)
  })

  it.each([
    ["1e20*1+!3", "value: least 1e+20 in row 0, greatest 3e+20 in row 2; mean 2e+20, standard deviation 8.16497e+19;"],
    ["1e308 -1e308", "value: least -1e+308 in row 1, greatest 1e+308 in row 0; mean 0, standard deviation 1e+308;"],
    ["1e-310 3e-310", "value: least 1e-310 in row 0, greatest 3e-310 in row 1; mean 2e-310, standard deviation 1e-310;"],
  ])("of a spec, figures have the unit of the picture, which is the column's own: %s", async (code, figures) => {
    const encoding = { x: { field: "index" }, y: { field: "value" } }
    expect((await plot(code, { spec: { mark: "line", encoding } })).summary.join(" ")).toContain(figures)
  })

  it("least, greatest, where, mean, deviation and missing are as counted one by one", () => {
    fc.assert(
      fc.property(fc.array(number, { minLength: 1, maxLength: 100 }), (all) => {
        const found = statisticsOf(Float64Array.from(all))
        const finite = all.filter((value) => !Number.isNaN(value))
        expect(found.count).toBe(finite.length)
        expect([found.missing, found.firstMissing]).toEqual([all.length - finite.length, all.findIndex(Number.isNaN)])
        if (finite.length === 0) return
        expect([found.leastAt, found.greatestAt]).toEqual([all.indexOf(Math.min(...finite)), all.indexOf(Math.max(...finite))])
        const mean = finite.reduce((sum, value) => sum + value, 0) / finite.length
        expect(found.mean).toBeCloseTo(mean, 9)
        expect(found.deviation).toBeCloseTo(Math.sqrt(finite.reduce((sum, value) => sum + (value - mean) ** 2, 0) / finite.length), 8)
      }),
    )
  })

  it("two points, which have no trend, are not said not to vary", async () => {
    for (const code of ["1 2", "1 0N 5", "(1 0n 0i 4;1 2 3 4)"]) expect((await plot(code)).summary.join(" ")).not.toContain("does not vary")
    // Of these five points, two have both places.
    const { summary: gaps } = await plot(".((`x;1 0N 3 4.0 5);(`y;1 2 0n 0i 5))", { x: "x", y: "y" })
    expect(gaps.join(" ")).not.toContain("vary")
  })

  it("a missing trend names the column that does not vary", async () => {
    const summaryOf = async (code: string) => (await plot(code, { mark: "point" })).summary.join(" ")
    expect(await summaryOf("(1 2 3;5 5 5)")).toContain("y: no trend, for it does not vary.")
    expect(await summaryOf("(5 5 5;1 2 3)")).toContain("y: no trend, for x does not vary.")
  })

  it("rows without a place along x are told", async () => {
    for (const mark of ["line", "bar"] as const) {
      const { summary } = await plot(".((`a;1 0N 3 0I);(`b;1 2 3 4))", { mark })
      expect(summary).toContain("a: missing or infinite in 2 rows, which are not drawn.")
    }
    const { summary } = await plot(".((`d;20230101 20230102 20230110 0N);(`v;1 2 3 4))")
    expect(summary).toContain("d: missing or infinite in 1 row, which is not drawn.")
  })

  it("the fullest cell lies at a time of the calendar", async () => {
    const { summary } = await plot(".((`d;20230101 20230102 20230110);(`v;1 2 3))", { mark: "heatmap" })
    expect(summary.join(" ")).toMatch(/Fullest cell: 1 near d 2023-01-\d\d/)
  })

  it("a trend is the least-squares line", () => {
    const x = Float64Array.from({ length: 50 }, (_, i) => i)
    expect(
      trendOf(
        x,
        x.map((i) => 3 * i - 7),
      ),
    ).toEqual({ slope: expect.closeTo(3, 9), fit: expect.closeTo(1, 9) })
    expect(
      trendOf(
        x,
        x.map(() => 2),
      ),
    ).toBeUndefined()
    const noisy = trendOf(
      x,
      x.map((i) => i + (i % 2 === 0 ? 20 : -20)),
    )!
    expect(noisy.fit).toBeLessThan(0.5)
  })

  it("outliers and gaps are found", () => {
    const values = Float64Array.from({ length: 1000 }, (_, i) => (i === 700 ? 1000 : Math.sin(i)))
    expect(outliersOf(values, statisticsOf(values))).toEqual({ count: 1, farthest: 700 })
    expect(gapOf(Float64Array.of(0, 1, 2, 3, 50, 51, 52))).toEqual({ at: 4, size: 47, usual: 1, count: 1 })
    expect(gapOf(Float64Array.of(0, 1, 2, 3, 4, 5))).toBeUndefined()
  })

  it.each([
    [",5", {}, "The only point is drawn."],
    [",,1", {}, "The only cell is drawn."],
    ["(1 2;0N 4;5 6)", { mark: "heatmap" }, "5 of 6 cells are drawn: the others are missing or infinite."],
    [".((`a;1 0N 3);(`b;1 0I 0N))", { mark: "bar" }, "1 of 3 bars is drawn: the others are missing or infinite."],
    [".((`a;1 0N 3);(`b;1 0I 0N))", { mark: "heatmap" }, "1 of 3 rows as density in 140 by 90 cells, of which 1 is not empty."],
    [".((`a;1 0N 3);(`b;1 0I 0N))", { mark: "line" }, "1 infinite, which is not drawn."],
    [".,(`a;,`x)", {}, "Bar of a dictionary of 1 column. The only bar is drawn, of 1 row."],
    [",1", { mark: "histogram" }, "1 of 1 row is counted. 1 bin of 1 from 1:"],
    ["1 0N 3", { mark: "histogram" }, "1 bin is empty."],
    ["(1 2;3 4;5 6)", { mark: "histogram" }, "value: least 1 in row 0, greatest 6 in row 5;"],
    [".((`a;,1);(`b;!0))", {}, "1 small picture, one of each name."],
  ] as const)("counts agree with their verbs and with what is drawn: %s %j", async (code, request, sentence) => {
    expect((await plot(code, request)).summary.join(" ")).toContain(sentence)
  })

  it.each([
    ["1 0N 0I 4", "2 of 4 rows are drawn: the others are missing or infinite."],
    [",5", "The only row is drawn."],
    ["-1 -10", "All 2 rows are drawn."],
  ])("of a spec, the rows without a place are not counted as drawn: %s", async (code, sentence) => {
    const encoding = { x: { field: "index" }, y: { field: "value", scale: { type: "log" } } }
    expect((await plot(code, { spec: { mark: "line", encoding } })).summary[1]).toBe(sentence)
  })

  it("a logarithmic axis over zeros is refused, and takes what is left of a filter", async () => {
    const spec = { mark: "point", encoding: { x: { field: "index" }, y: { field: "value", scale: { type: "log" } } } }
    for (const code of ["1 0 3", "1 -3", "0 -1"])
      expect(await refusal(() => plot(code, { spec }))).toMatch(/^value has numbers that are not above 0, .*\(datum\["value"\] > 0\)/)
    const { summary } = await plot("1 0 3", { spec: { transform: [{ filter: "datum.value > 1" }], ...spec } })
    expect(summary.slice(1, 3)).toEqual(["1 row is left of 3 after its transforms.", "The only row is drawn."])
  })

  it("bars on a logarithmic axis are drawn, and their sentence tells where they begin; stacked ones are refused", async () => {
    const bars = (y: object) => ({ mark: "bar", encoding: { x: { field: "index" }, y: { field: "value", scale: { type: "log" }, ...y } } })
    const { svg, summary } = await plot("2 10 1000", { spec: bars({}) })
    const [, ...heights] = Array.from(new TextDecoder().decode(svg).matchAll(/d="M[^"]*h[\d.]+v([\d.]+)h-/g), ([, height]) =>
      Number(height),
    )
    expect(heights).toHaveLength(3)
    expect(heights.every((height, i) => height > (heights[i - 1] ?? 0))).toBe(true)
    expect(summary.slice(1, 3)).toEqual([
      "All 3 rows are drawn.",
      "Bars on a logarithmic axis are not stacked, and begin at its lower end: the least may have no height. Mark point shows each row.",
    ])
    expect(await refusal(() => plot("2 10 1000", { spec: bars({ stack: "zero" }) }))).toContain(
      "Stack is applied to a non-linear scale (log)",
    )
    const coloured = { y: { scale: {} }, color: { field: "value", scale: { type: "log" } } }
    const { encoding, ...rest } = bars(coloured.y)
    const stacked = await plot("2 10 1000", { spec: { ...rest, encoding: { ...encoding, color: coloured.color } } })
    expect(stacked.summary.join(" ")).not.toContain("logarithmic axis")
  })

  it("says in words what the picture shows", async () => {
    const { summary } = await plot("@[2*!2000;1000;:;1000000]")
    expect(summary).toEqual([
      "Line of a vector of 2,000.",
      "All 2,000 points are drawn.",
      "value: least 0 at index 0, greatest 1000000 at index 1000; mean 2498, standard deviation 22340.3; outliers beyond 4 standard deviations: 1, the farthest 1000000 at index 1000.",
      expect.stringMatching(/^value: hardly a trend, \+\d/),
    ])
  })

  it("tells dates, gaps, what is missing, and what was left out", async () => {
    const { summary } = await plot(".+(`day`price`shop;((20240101+!10),20240225+!3;@[13#1.5;4;:;0n];13#`a`b))")
    expect(summary).toContain("day: nothing from 2024-01-10 to 2024-02-25, where 1 day is the usual step.")
    expect(summary.join("\n")).toContain("1 missing (the first at day 2024-01-05)")
    expect(summary.at(-1)).toBe("Not drawn: shop; name one as y or color.")
  })
})
