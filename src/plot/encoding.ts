/** Parts of Vega-Lite specs that all short forms share. Pure. */
import type { Column } from "./Column.ts"
import type { Extent } from "./reduce.ts"

export type Json = { readonly [key: string]: unknown }

/** A picture as Vega-Lite has it, without its size; and what is told of it. */
export interface Chart {
  readonly mark: string
  readonly spec: Json
  readonly rows: number
  readonly drawn: number
  readonly summary: readonly string[]
}

const types = { number: "quantitative", time: "temporal", category: "nominal" } as const

export const typeOf = ({ kind }: Column): string => types[kind]

/** The axis of a field; a category's labels are in the order in which they came. */
export const axis = (field: string, column: Column, rest: Json = {}): Json => ({
  field,
  type: typeOf(column),
  title: column.name,
  ...(column.kind === "category" && { sort: null, axis: { labelOverlap: true, labelLimit: 120 } }),
  ...rest,
})

/** As JSON has it: the label of a category; null for what is not finite. */
export const jsonOf = ({ kind, labels }: Column, value: number): string | number | null =>
  kind === "category" ? (labels![value] ?? null) : value - value === 0 ? value : null

/** A field by its own name would be taken for a path where it holds a dot. */
export const rowsOf = (columns: readonly (readonly [field: string, column: Column])[], rows: ArrayLike<number>): readonly Json[] =>
  Array.from(rows, (row) => Object.fromEntries(columns.map(([field, column]) => [field, jsonOf(column, column.values[row]!)])))

export const noZero: Json = { scale: { zero: false } }

export const domainOf = ({ least, greatest }: Extent): readonly [number, number] => [least, greatest]
