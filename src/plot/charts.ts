/** Line, point and small-multiple charts from a plan: a Vega-Lite spec of the drawn rows, and a summary of all rows. Pure but for `Paint`. */
import { at, type Column, indexColumn, rowsByLabel } from "./Column.ts"
import { axis, type Chart, groupsOf, INTERVALS, type Json, noZero, placedOf, reduction, rowsOf, typeOf } from "./encoding.ts"
import { barChart, histogramChart } from "./bars.ts"
import { densityChart, type Paint } from "./grid.ts"
import { lineRows } from "./reduce.ts"
import type { PictureRequest } from "./Picture.ts"
import { type PlotPlan, planOf } from "./plan.ts"
import { PlotRefused } from "./PlotRefused.ts"
import { counted, grouped, type Multiples } from "./shapes.ts"
import { gapText, lackText, placed, trendText, valuesText } from "./summary.ts"
import { inUnits } from "./units.ts"

/** Points that a scatter plot draws one by one. */
const MOST_POINTS = 20_000
/** Lines, or small pictures, whose figures are in the summary. */
const TOLD = 8

interface Series {
  readonly name: string
  /** In the unit of all lines. */
  readonly y: Column
  /** The values of the line alone, under its name. */
  readonly given: Column
  /** All rows when absent. */
  readonly rows?: Uint32Array
}

const seriesOf = ({ y, color }: PlotPlan): readonly Series[] => {
  if (color === undefined) return inUnits(y).map((each, i) => ({ name: each.name, y: each, given: y[i]! }))
  const groups = groupsOf(color)
  const [column] = inUnits(y)
  return rowsByLabel(groups).map((rows, i) => {
    const name = groups.labels![i]!
    return { name, y: column!, given: { ...at(y[0]!, rows), name }, rows }
  })
}

const lineChart = (plan: PlotPlan): Chart => {
  const { x, color } = plan
  const series = seriesOf(plan)
  const intervals = Math.max(40, Math.floor(INTERVALS / series.length))
  const isOne = series.length === 1
  const values = series.flatMap(({ name, y, rows }) =>
    rowsOf({ x, y }, lineRows(x.values, y.values, intervals, rows)).map((each): Json =>
      isOne ? each : Object.assign({}, each, { series: name }),
    ),
  )
  const rows = x.values.length * (color === undefined ? series.length : 1)
  const drawn = placedOf(values)
  const title = !isOne && color === undefined ? "value" : series[0]!.y.name
  return {
    mark: "line",
    spec: {
      data: { values },
      mark: { type: "line", strokeWidth: 1.2, strokeJoin: "round" },
      encoding: {
        x: axis("x", x, noZero),
        y: { ...axis("y", series[0]!.y, noZero), title },
        ...(!isOne && { color: { field: "series", type: "nominal", sort: null, title: color?.name ?? null } }),
      },
    },
    rows,
    drawn,
    summary: [
      reduction({
        rows,
        drawn: values.length,
        kept: `the first, least, greatest and last of each of ${intervals} intervals of ${x.name}${isOne ? "" : ", line by line"}`,
        placed: drawn,
      }),
      ...series.slice(0, TOLD).flatMap(({ given, rows: some }) => {
        const ofX = some === undefined ? x : at(x, some)
        // In its own unit: the squares of a line that is far below another one are 0 in the unit of both.
        const y = inUnits([given])[0]!
        return [valuesText(y, placed(ofX)), trendText(ofX, y)]
      }),
      series.length > TOLD ? `Of ${series.length} lines, the first ${TOLD} are told.` : "",
      lackText(x),
      gapText(x),
    ],
  }
}

const pointChart = (plan: PlotPlan, paint: Paint): Chart => {
  const { x, color } = plan
  const y = plan.y[0]!
  const rows = x.values.length
  const facts = [valuesText(x, () => ""), valuesText(y, placed(x)), trendText(x, y), gapText(x)]
  if (rows > MOST_POINTS) {
    const ofColor = color?.kind === "number" ? color : undefined
    const density = densityChart(x, y, ofColor, paint)
    const lost = color !== undefined && ofColor === undefined ? [`${color.name} has no colour there.`] : []
    const why = `A scatter of more than ${grouped(MOST_POINTS)} points is drawn as density.`
    return { ...density, mark: "point", summary: [why, ...density.summary.slice(0, 2), ...lost, ...facts] }
  }
  const all = Uint32Array.from({ length: rows }, (_, i) => i)
  const values = rowsOf({ x, y, ...(color !== undefined && { color }) }, all)
  const drawn = placedOf(values)
  // Refuses a colour with too many values.
  if (color?.kind === "category") groupsOf(color)
  return {
    mark: "point",
    spec: {
      data: { values },
      mark: {
        type: "point",
        filled: true,
        opacity: 1,
        fillOpacity: rows > 2000 ? 0.4 : 0.7,
        size: rows > 5000 ? 8 : rows > 500 ? 14 : 30,
      },
      encoding: {
        x: axis("x", x, noZero),
        y: axis("y", y, noZero),
        ...(color !== undefined && {
          color: {
            field: "color",
            type: typeOf(color),
            title: color.name,
            sort: null,
            ...(color.kind === "category" ? {} : { scale: { scheme: "viridis" } }),
          },
        }),
      },
    },
    rows,
    drawn,
    summary: [
      reduction({ rows, placed: drawn }),
      ...facts,
      color === undefined || color.kind === "category" ? "" : valuesText(color, placed(x)),
    ],
  }
}

const MOST_PARTS = 12

/** A small picture for each vector of a dictionary. */
export const multiplesChart = ({ parts }: Multiples, { mark = "line", ...request }: PictureRequest, paint: Paint): Chart => {
  const some = parts.slice(0, MOST_PARTS)
  const charts = some.map((part) => {
    const rows = part.values.length
    const columns = [indexColumn(rows), { ...part, name: "value" }]
    return chartOf(planOf({ shape: "table", what: "", columns, rows }, { ...request, mark }), paint)
  })
  const rows = parts.reduce((sum, { values }) => sum + values.length, 0)
  return {
    mark,
    spec: {
      concat: charts.map(({ spec }, i): Json => Object.assign({ title: some[i]!.name }, spec)),
      columns: Math.ceil(Math.sqrt(some.length)),
    },
    rows,
    drawn: charts.reduce((sum, { drawn }) => sum + drawn, 0),
    summary: [
      some.length < parts.length
        ? `The first ${some.length} of ${parts.length} names are drawn, each by itself.`
        : `${counted(some.length, "small picture")}, one of each name.`,
      ...charts.slice(0, TOLD).flatMap(({ summary: [drawn = "", figures = ""] }, i) => [`${parts[i]!.name}: ${drawn}`, figures]),
    ],
  }
}

const charts: { readonly [M in PlotPlan["mark"]]: (plan: PlotPlan, paint: Paint) => Chart } = {
  line: lineChart,
  point: pointChart,
  bar: barChart,
  histogram: histogramChart,
  heatmap: ({ x, y: [y], color }, paint) => {
    if (y === undefined) throw new PlotRefused("a heatmap needs two columns, x and y, or a matrix", "Give a matrix, or name x and y.")
    return densityChart(x, y, color, paint)
  },
}

export const chartOf = (plan: PlotPlan, paint: Paint): Chart => charts[plan.mark](plan, paint)
