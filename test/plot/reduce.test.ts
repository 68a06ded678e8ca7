/** P2 Drawn rows keep the extremes, and bins and cells count every row. */
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { binsOf, extentOf, fewerCells, gridOf, lineRows } from "../../src/plot/reduce.ts"

const number = fc.oneof(fc.double({ min: -1e6, max: 1e6, noNaN: true }), fc.integer({ min: -5, max: 5 }), fc.constant(Number.NaN))
const vector = (most: number) => fc.array(number, { minLength: 1, maxLength: most }).map((each) => Float64Array.from(each))

describe("P2 reduction", () => {
  it("of a line the extremes of y, and the ends of x, stay, in the order of x", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(number, number), { minLength: 1, maxLength: 400 }),
        fc.integer({ min: 1, max: 20 }),
        (points, intervals) => {
          const [x, y] = [Float64Array.from(points, ([a]) => a), Float64Array.from(points, ([, b]) => b)]
          const kept = lineRows(x, y, intervals)
          expect(new Set(kept).size).toBe(kept.length)
          if (points.length <= 4 * intervals) {
            expect(kept.length).toBe(points.length)
            return
          }
          expect(kept.length).toBeLessThanOrEqual(4 * intervals)
          const both = points.filter(([a, b]) => !Number.isNaN(a) && !Number.isNaN(b))
          expect(extentOf(Float64Array.from(kept, (row) => y[row]!))).toEqual(extentOf(Float64Array.from(both, ([, b]) => b)))
          const ofX = Array.from(kept, (row) => x[row]!)
          expect(ofX).toEqual(ofX.toSorted((a, b) => a - b))
          const all = extentOf(Float64Array.from(both, ([a]) => a))
          const ends = extentOf(Float64Array.from(kept, (row) => (Number.isNaN(y[row]!) ? Number.NaN : x[row]!)))
          expect(ends).toEqual(all)
        },
      ),
    )
  })

  it("a hole that fills an interval stays a hole", () => {
    const y = Float64Array.from({ length: 1000 }, (_, i) => (i >= 400 && i < 600 ? Number.NaN : i))
    const kept = lineRows(
      y.map((_, i) => i),
      y,
      10,
    )
    expect(Array.from(kept).some((row) => Number.isNaN(y[row]!))).toBe(true)
  })

  it("bins count every finite value, each in its own", () => {
    fc.assert(
      fc.property(vector(200), fc.boolean(), (values, isWhole) => {
        const bins = binsOf(values, 40, isWhole)
        const finite = values.filter((value) => !Number.isNaN(value))
        if (bins === undefined) {
          expect(finite.length).toBe(0)
          return
        }
        const { from, step, counts } = bins
        expect(counts.length).toBeLessThanOrEqual(102)
        const near = 1e-9 * Math.max(1, Math.abs(from), step * counts.length)
        for (const [i, count] of counts.entries())
          expect(count).toBeLessThanOrEqual(
            finite.filter((value) => value >= from + i * step - near && value <= from + (i + 1) * step + near).length,
          )
        expect(counts.reduce((sum, count) => sum + count, 0)).toBe(finite.length)
      }),
    )
  })

  it("cells count every point", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.double({ min: -9, max: 9, noNaN: true }), fc.double({ min: -9, max: 9, noNaN: true })), { minLength: 1 }),
        (points) => {
          const [x, y] = [Float64Array.from(points, ([a]) => a), Float64Array.from(points, ([, b]) => b)]
          const grid = gridOf(x, y, [
            { extent: extentOf(x)!, cells: 7 },
            { extent: extentOf(y)!, cells: 5 },
          ])
          expect(grid.cells.reduce((sum, cell) => sum + (Number.isNaN(cell) ? 0 : cell), 0)).toBe(points.length)
        },
      ),
    )
  })

  it("of a matrix the cell farthest from the mean stays", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 1, max: 30 }), fc.integer(), (height, width, seed) => {
        const values = Float64Array.from({ length: height * width }, (_, i) => Math.sin(seed + i * i))
        const mean = values.reduce((sum, value) => sum + value, 0) / values.length
        const fewer = fewerCells({ width, height, values }, [6, 4], mean)
        const farthest = (all: Float64Array) => Math.max(...all.map((value) => Math.abs(value - mean)))
        expect(farthest(fewer.values)).toBe(farthest(values))
        expect([fewer.width, fewer.height]).toEqual([Math.min(6, width), Math.min(4, height)])
      }),
    )
  })
})
