/** What charts share: parts of Vega-Lite specs, limits, sentences. Pure. */
import type { Column } from "./Column.ts"
import { MOST_SERIES } from "./plan.ts"
import { PlotRefused } from "./PlotRefused.ts"
import { counted, grouped } from "./shapes.ts"
import { asCategory } from "./times.ts"

export type Json = { readonly [key: string]: unknown }

/** A Vega-Lite spec without its size, and the summary of the picture. */
export interface Chart {
  readonly mark: string
  readonly spec: Json
  readonly rows: number
  readonly drawn: number
  readonly summary: readonly string[]
}

const types = { number: "quantitative", time: "temporal", category: "nominal" } as const

export const typeOf = ({ kind }: Column): string => types[kind]

/** The axis of a field. The labels of a category keep the order of the rows. */
export const axis = (field: string, column: Column, rest: Json): Json => ({
  field,
  type: typeOf(column),
  title: column.name,
  ...(column.whole === true && { axis: { tickMinStep: 1 } }),
  ...(column.kind === "category" && { sort: null, axis: { labelOverlap: true, labelLimit: 120 } }),
  ...rest,
})

/** A value as JSON: the label of a category; null when it is not finite. */
export const jsonOf = ({ kind, labels }: Column, value: number): string | number | null =>
  kind === "category" ? (labels![value] ?? null) : value - value === 0 ? value : null

/** Rows as JSON objects, from columns by field. Fields have fixed names, since Vega takes a name with a dot for a path. */
export const rowsOf = (columns: Readonly<Record<string, Column>>, rows: ArrayLike<number>): readonly Json[] => {
  const fields = Object.entries(columns)
  return Array.from(rows, (row) => Object.fromEntries(fields.map(([field, column]) => [field, jsonOf(column, column.values[row]!)])))
}

export const noZero: Json = { scale: { zero: false } }

/** Intervals of x that all lines of a chart share, and twice the intervals of bars along numbers. */
export const INTERVALS = 800

/** The groups of a line or bar chart, a colour each; throws `PlotRefused` when there are too many. */
export const groupsOf = (color: Column): Column => {
  const groups = asCategory(color)
  const n = groups.labels!.length
  if (n > MOST_SERIES)
    throw new PlotRefused(
      `color: ${color.name} has ${grouped(n)} values; a line or bar takes at most ${MOST_SERIES}`,
      "Name a column with fewer, or use mark point.",
    )
  return groups
}

interface Reduction {
  readonly rows: number
  /** The rows left after the reduction; all when absent. */
  readonly drawn?: number
  /** Which rows these are, in words. */
  readonly kept?: string
  /** Those of them whose values are neither missing nor infinite. */
  readonly placed: number
  readonly what?: string
}

/** The sentence that says how many of the rows are drawn. */
export const reduction = ({ rows, drawn = rows, kept = "", placed, what = "point" }: Reduction): string => {
  if (placed === rows) return rows === 1 ? `The only ${what} is drawn.` : `All ${counted(rows, what)} are drawn.`
  const why = drawn < rows ? kept : "the others are missing or infinite"
  return `${grouped(placed)} of ${counted(rows, what)} ${placed === 1 ? "is" : "are"} drawn: ${why}.`
}

/** The number of points, in the form of Vega-Lite's rows, that have a place. */
export const placedOf = (values: readonly Json[]): number => values.filter(({ x, y }) => x !== null && y !== null).length
