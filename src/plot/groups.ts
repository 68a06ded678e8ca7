/** Limits and sentences that lines, points and bars share. Pure. */
import type { Column } from "./Column.ts"
import type { Json } from "./encoding.ts"
import { MOST_SERIES } from "./plan.ts"
import { Refused } from "./Refused.ts"
import { counted, grouped } from "./shapes.ts"
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
export const reduction = (rows: number, drawn: number, kept: string, placed = drawn, what = "point"): string => {
  if (placed === rows) return rows === 1 ? `The only ${what} is drawn.` : `All ${counted(rows, what)} are drawn.`
  const why = drawn < rows ? kept : "the others are missing or infinite"
  return `${grouped(placed)} of ${counted(rows, what)} ${placed === 1 ? "is" : "are"} drawn: ${why}.`
}

/** The number of points, in the form of Vega-Lite's rows, that have a place. */
export const placedOf = (values: readonly Json[]): number => values.filter(({ x, y }) => x !== null && y !== null).length
