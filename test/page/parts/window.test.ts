/** J6 the rows in view of a table of any length, also of one that is longer than browsers lay out. */
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { endPlace, type ScrollPlace, rowHeight, scrolled, windowOf } from "../../../src/grid/window.ts"

/** Pixels in view. */
const seen = 400

/** The place after the browser scrolls by some pixels, which it does as far as its scroll bar goes. */
const wheel = (rows: number, before: ScrollPlace, by: number): ScrollPlace => {
  const most = windowOf(rows, seen, 0).height - seen
  return scrolled(rows, seen, before, Math.min(most, Math.max(0, before.top + by)))
}

describe("J6 the window on the rows", () => {
  const top = { top: 0, above: 0 }

  it("begins with the first row and ends with the last, however many there are, and takes no more pixels than browsers lay out", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1e8 }), fc.integer({ min: 50, max: 3000 }), (rows, view) => {
        const start = windowOf(rows, view, 0)
        expect([start.first, start.shift]).toEqual([0, 0])
        expect(start.height).toBeLessThanOrEqual(8_000_000)
        const end = windowOf(rows, view, scrolled(rows, view, top, Math.max(0, start.height - view)).above)
        expect(end.first + end.count).toBe(rows)
        // Its last pixel is the last row's.
        if (rows * rowHeight >= view) expect(end.count * rowHeight - end.shift).toBeGreaterThanOrEqual(view - 1)
      }),
    )
  })

  it("goes on evenly by a long way: as much further in rows as further in pixels", () => {
    const at = (place: number): number => scrolled(1e6, 500, top, place).above
    const step = at(3e6) - at(2e6)
    for (const place of [1e5, 1e6, 4e6, 6e6]) expect(at(place + 1e6) - at(place)).toBeCloseTo(step, 3)
  })

  it("shows each row of ten million by steps of a view, down from anywhere and up again", () => {
    const view = 260
    for (const begin of [0, 3e6, 7e6]) {
      const from = scrolled(1e7, view, top, begin)
      const once = scrolled(1e7, view, from, begin + view)
      expect(windowOf(1e7, view, once.above).first).toBe(windowOf(1e7, view, from.above).first + view / rowHeight)
      expect(scrolled(1e7, view, once, begin).above).toBeCloseTo(from.above, 3)
    }
  })

  it("follow the wheel from anywhere to either end, and none is left out", () => {
    const rows = fc.integer({ min: 400_000, max: 100_000_000 })
    const steps = fc.record({ rows, part: fc.double({ min: 0, max: 1, noNaN: true }), size: fc.integer({ min: 1, max: 2 * seen }) })
    fc.assert(
      fc.property(steps, fc.constantFrom(-1, 1), ({ rows, part, size }, way) => {
        const most = rows * rowHeight - seen
        const { height } = windowOf(rows, seen, 0)
        // Near an end of the bar, after a drag: the scale of the drag is another one than that of the wheel.
        let place = scrolled(
          rows,
          seen,
          endPlace(rows, seen, part < 0.5),
          way < 0 ? part * 3000 + 2 * seen : height - seen - part * 3000 - 2 * seen,
        )
        for (let n = 0; n < 50; n++) {
          const next = wheel(rows, place, way * size)
          const left = way < 0 ? place.above : most - place.above
          const moved = way * (next.above - place.above)
          expect(moved).toBeLessThanOrEqual(size + 1e-3)
          if (left > 1) expect(moved).toBeGreaterThan(0)
          place = next
        }
      }),
    )
  })

  it("move with the first step after the table became shorter", () => {
    const before = endPlace(10_000_000, seen, true)
    const { above } = wheel(1_000_000, { ...before, top: before.top - 500_000 }, -100)
    expect(above).toBe(1_000_000 * rowHeight - seen - 100)
  })

  it("are the first ones and the last ones at the ends", () => {
    for (const rows of [1, 100, 10_000_000]) {
      const last = windowOf(rows, seen, endPlace(rows, seen, true).above)
      expect(last.first + last.count).toBe(rows)
      expect(scrolled(rows, seen, endPlace(rows, seen, true), endPlace(rows, seen, true).top)).toEqual(endPlace(rows, seen, true))
      expect(windowOf(rows, seen, endPlace(rows, seen, false).above).first).toBe(0)
    }
  })
})
