/** Parts of Vega-Lite specs that all charts share. Pure. */
import type { Column } from "./Column.ts"

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
export const axis = (field: string, column: Column, rest: Json = {}): Json => ({
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
