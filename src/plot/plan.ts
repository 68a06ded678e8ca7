/** Chooses mark and columns for a request without a spec. Pure; throws `PlotRefused`. */
import { type Column, indexColumn, numbers } from "./Column.ts"
import type { Mark, PictureRequest } from "./Picture.ts"
import { PlotRefused } from "./PlotRefused.ts"
import type { Data, Matrix, Multiples, DrawnTable } from "./shapes.ts"
import { ascends } from "./statistics.ts"
import { asCategory, asTime } from "./times.ts"
import { inUnits } from "./units.ts"

export interface PlotPlan {
  readonly mark: Mark
  readonly x: Column
  /** Several columns for lines over one x, else one; none for a histogram or counts. */
  readonly y: readonly Column[]
  readonly color?: Column | undefined
  /** Names of columns that are not drawn. */
  readonly undrawn: readonly string[]
}

/** Lines of a dictionary of columns that are drawn by default, and colours that a category may have. */
export const MOST_SERIES = 20

/** A matrix, or small multiples, as a table with a row for each value. */
export const tableOf = (data: Matrix | Multiples | DrawnTable): DrawnTable => {
  if (data.shape === "table") return data
  if (data.shape === "matrix") {
    const { width, height, values, what } = data
    const row = Float64Array.from(values, (_, i) => Math.floor(i / width))
    const column = Float64Array.from(values, (_, i) => i % width)
    const columns = [numbers("row", row, true), numbers("column", column, true), numbers("value", values)]
    return { shape: "table", what, columns, rows: width * height }
  }
  const { parts, what } = data
  const rows = parts.reduce((sum, { values }) => sum + values.length, 0)
  const [name, index, value] = [new Float64Array(rows), new Float64Array(rows), new Float64Array(rows)]
  let at = 0
  for (const [i, part] of parts.entries()) {
    name.fill(i, at, at + part.values.length)
    index.set(indexColumn(part.values.length).values, at)
    value.set(part.values, at)
    at += part.values.length
  }
  const names: Column = { name: "name", kind: "category", values: name, labels: parts.map((each) => each.name) }
  return { shape: "table", what, columns: [names, numbers("index", index, true), numbers("value", value)], rows }
}

export const columnsText = ({ columns }: DrawnTable): string => columns.map(({ name }) => name).join(", ")

/** The column that `name`, `name:T`, `name:Q` or `name:N` names; throws `PlotRefused` when there is none. */
export const columnNamed = (table: DrawnTable, field: string, wanted: string): Column => {
  const exact = table.columns.find(({ name }) => name === wanted)
  if (exact !== undefined) return exact
  const [, name = wanted, type] = /^(.*):([TQNO])$/.exec(wanted) ?? []
  const column = table.columns.find((each) => each.name === name)
  if (column !== undefined) return type === "T" ? asTime(column) : type === "N" || type === "O" ? asCategory(column) : column
  if (name === "index") return indexColumn(table.rows)
  throw new PlotRefused(
    `${field}: there is no column ${JSON.stringify(name)}; the value has ${columnsText(table)}`,
    `Name one of them as ${field}, or plot a dictionary of columns: .+(\`a\`b;(1 2 3;4 5 6))`,
  )
}

const defaultMark = (x: Column): Mark => (x.kind === "category" ? "bar" : x.kind === "time" || ascends(x.values) ? "line" : "point")

/** `isMatrix`: its rows and columns are places of its values. */
const histogramOf = (table: DrawnTable, isMatrix: boolean, { x, y }: PictureRequest): PlotPlan => {
  const isPlace = ({ name }: Column): boolean => name === "index" || (isMatrix && name !== "value")
  const named = x ?? y
  const value =
    named === undefined
      ? (table.columns.find((each) => each.kind !== "category" && !isPlace(each)) ?? table.columns.at(-1)!)
      : columnNamed(table, x === undefined ? "y" : "x", named)
  if (value.kind === "category")
    throw new PlotRefused(`${value.name} has categories, which have no bins`, "Plot it with mark bar, which counts them.")
  const undrawn = table.columns.filter((each) => each.name !== value.name && !isPlace(each)).map(({ name }) => name)
  return { mark: "histogram", x: value, y: [], undrawn }
}

/**
 * The plan for data that is drawn as columns. (A matrix may also be drawn as one heatmap: `draw.ts`.) Columns are in units, but for those whose numbers
 * become categories, and for lines, whose chart has a unit for the axis and one for the figures of each line.
 */
export const planOf = (data: Data, request: PictureRequest): PlotPlan => {
  const { x, y, color, ...plan } = columnsOf(data, request)
  const areLines = plan.mark === "line"
  const areBars = plan.mark === "bar"
  const areSums = areBars && (y.length === 0 || color !== undefined)
  return {
    ...plan,
    x: areSums ? x : inUnits([x])[0]!,
    y: areLines ? y : inUnits(y),
    color: areLines || areBars ? color : color && inUnits([color])[0],
  }
}

const columnsOf = (data: Data, request: PictureRequest): PlotPlan => {
  const table = tableOf(data)
  const isMatrix = data.shape === "matrix"
  if (request.mark === "histogram") return histogramOf(table, isMatrix, request)
  const color =
    request.color === undefined ? (isMatrix ? asCategory(table.columns[0]!) : undefined) : columnNamed(table, "color", request.color)
  const free = table.columns.find(({ name }) => name !== request.y?.replace(/:[TQNO]$/, "") && name !== color?.name)
  const x = request.x === undefined ? (free ?? indexColumn(table.rows)) : columnNamed(table, "x", request.x)
  const rest = table.columns.filter(({ name }) => name !== x.name && name !== color?.name)
  const mark = request.mark ?? defaultMark(x)
  if (request.y !== undefined) {
    const y = columnNamed(table, "y", request.y)
    return { mark, x, y: [y], color, undrawn: rest.filter(({ name }) => name !== y.name).map(({ name }) => name) }
  }
  const found = rest.filter(({ kind }) => kind === "number")
  const several = mark === "line" && color === undefined && found.length <= MOST_SERIES
  const y = several ? found : found.slice(0, 1)
  if (y.length === 0 && mark !== "bar" && mark !== "heatmap")
    throw new PlotRefused(
      `a ${mark} needs a column of numbers for y, beside ${x.name} as x; the value has ${columnsText(table)}`,
      "Give two columns of numbers, or mark bar, which counts categories.",
    )
  return { mark, x, y, color, undrawn: rest.filter((each) => !y.includes(each)).map(({ name }) => name) }
}
