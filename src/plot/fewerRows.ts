/** Draws a spec of lines, or of several views of lines, from fewer rows with the same picture. Pure. */
import { type Column, rowsByLabel } from "./Column.ts"
import { INTERVALS, type Json, rowsOf } from "./encoding.ts"
import { lineRows } from "./reduce.ts"
import type { DrawnTable } from "./shapes.ts"
import { isObject, markName, viewFields } from "./specProblem.ts"
import { inUnits } from "./units.ts"

const fieldOf = (spec: Json, channel: string, table: DrawnTable): Column | undefined => {
  const encoding = spec["encoding"]
  const each = isObject(encoding) ? encoding[channel] : undefined
  return isObject(each) && typeof each["field"] === "string" ? table.columns.find(({ name }) => name === each["field"]) : undefined
}

/** Channels that draw a line of its own for each value. */
const grouping = ["color", "detail", "strokeDash", "row", "column", "facet"]

/** The rows to draw of one view of lines, for each group by x and y; undefined when the view is not of lines over numbers. */
const fewerOf = (spec: Json, table: DrawnTable): Uint32Array | undefined => {
  const [x, y] = [fieldOf(spec, "x", table), fieldOf(spec, "y", table)]
  if (!["line", "area", "trail", "rule", "bar", "tick"].includes(String(markName(spec["mark"]))) || x === undefined || y === undefined)
    return undefined
  const groups = grouping.flatMap((channel) => fieldOf(spec, channel, table) ?? [])
  if (x.kind === "category" || y.kind !== "number" || groups.length > 1 || groups.some(({ kind }) => kind !== "category")) return undefined
  const [group] = groups
  const places = inUnits([x])[0]!.values
  if (group === undefined) return lineRows(places, y.values, INTERVALS)
  const rows = rowsByLabel(group)
  const intervals = Math.max(20, Math.floor(INTERVALS / rows.length))
  return Uint32Array.from(rows.flatMap((each) => Array.from(lineRows(places, y.values, intervals, each))))
}

export interface Fewer {
  /** The spec, or each of its views, with the drawn rows as its data. */
  readonly spec: Json
  readonly drawn: number
}

export const rowsOfTable = ({ columns }: DrawnTable, rows: ArrayLike<number>): readonly Json[] =>
  rowsOf(Object.fromEntries(columns.map((column) => [column.name, column])), rows)

export const withRows = (spec: Json, table: DrawnTable, rows: ArrayLike<number>): Fewer => ({
  spec: { ...spec, data: { values: rowsOfTable(table, rows) } },
  drawn: rows.length,
})

/**
 * Gives each view its own rows. A view in `layer` inherits the encoding of the spec around it. Undefined when a view cannot be drawn from fewer rows.
 */
export const fewerInViews = (spec: Json, table: DrawnTable, above: Json = {}): Fewer | undefined => {
  if (["facet", "repeat"].some((key) => Object.hasOwn(spec, key))) return undefined
  const encoding: Json = { ...above, ...(isObject(spec["encoding"]) ? spec["encoding"] : {}) }
  const inside = viewFields.find((key) => Array.isArray(spec[key]))
  if (inside === undefined) {
    // A view without a field, such as a line at a constant: one row draws it once.
    if (!JSON.stringify(encoding).includes('"field":')) return { spec: { ...spec, data: { values: [{}] } }, drawn: 1 }
    const rows = fewerOf({ ...spec, encoding }, table)
    return rows && withRows(spec, table, rows)
  }
  const views = (spec[inside] as readonly Json[]).map((each) => fewerInViews(each, table, encoding))
  if (!views.every((each) => each !== undefined)) return undefined
  return { spec: { ...spec, [inside]: views.map((each) => each.spec) }, drawn: views.reduce((sum, { drawn }) => sum + drawn, 0) }
}
