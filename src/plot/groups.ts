/** Limits and sentences that lines, points and bars share. Pure. */
import type { Column } from "./Column.ts"
import type { Json } from "./encoding.ts"
import { MOST_SERIES } from "./plan.ts"
import { Refused } from "./Refused.ts"
import { grouped } from "./shapes.ts"
import { asCategory } from "./times.ts"

/** Intervals of x that all lines of a chart share, and twice the intervals of bars along numbers. */
export const INTERVALS = 800

/** The groups of a line or bar chart, a colour each; throws `Refused` when there are too many. */
export const groupsOf = (color: Column): Column => {
  const groups = asCategory(color)
  const n = groups.labels!.length
  if (n > MOST_SERIES)
    throw new Refused(
      `color: ${color.name} has ${grouped(n)} values; a line or bar takes at most ${MOST_SERIES}`,
      "Name a column with fewer, or use mark point.",
    )
  return groups
}

/** The sentence that says how many of the rows are drawn. `placed`: those of the drawn rows whose values are neither missing nor infinite. */
export const reduction = (rows: number, drawn: number, kept: string, placed = drawn, what = "points"): string => {
  if (drawn < rows) return `${grouped(placed)} of ${grouped(rows)} ${what} are drawn: ${kept}.`
  return placed < rows
    ? `${grouped(placed)} of ${grouped(rows)} ${what} are drawn: the others are missing or infinite.`
    : `All ${grouped(rows)} ${what} are drawn.`
}

/** The number of points, in the form of Vega-Lite's rows, that have a place. */
export const placedOf = (values: readonly Json[]): number => values.filter(({ x, y }) => x !== null && y !== null).length
