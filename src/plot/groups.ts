/** Limits and sentences that lines, points and bars share. Pure. */
import type { Column } from "./Column.ts"
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

/** The sentence that says how many of the rows are drawn. */
export const reduction = (rows: number, drawn: number, kept: string, what = "points"): string =>
  drawn >= rows ? `All ${grouped(rows)} ${what} are drawn.` : `${grouped(drawn)} of ${grouped(rows)} ${what} are drawn: ${kept}.`
