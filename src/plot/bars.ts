/** Bar charts and histograms: a Vega-Lite spec of the drawn rows, and a summary of all rows. Pure. */
import type { Column } from "./Column.ts"
import { axis, type Chart, groupsOf, INTERVALS, type Json, jsonOf, noZero, placedOf, reduction, rowsOf, typeOf } from "./encoding.ts"
import type { PlotPlan } from "./plan.ts"
import { binsOf, lineRows } from "./reduce.ts"
import { PlotRefused } from "./PlotRefused.ts"
import { counted, grouped } from "./shapes.ts"
import { binsText, categoriesText, gapText, lackText, placed, trendText, valuesText } from "./summary.ts"
import { asCategory } from "./times.ts"

/** Bars of categories that are drawn at most. */
const MOST_BARS = 50
const BINS = 40

const barEncoding = (x: Column, title: string, color: Column | undefined): Json => ({
  x: axis("x", x, { axis: { labelOverlap: true, labelLimit: 120, ...(x.kind === "category" && { labelAngle: -40 }) } }),
  y: { field: "y", type: "quantitative", title },
  ...(color !== undefined && { color: { field: "color", type: "nominal", sort: null, title: color.name } }),
})

/** A bar for each row, over numbers or times. */
const barsAlong = (x: Column, y: Column): Chart => {
  const rows = lineRows(x.values, y.values, INTERVALS / 2)
  const values = rowsOf({ x, y }, rows).map((each): Json => Object.assign({ zero: 0 }, each))
  const n = x.values.length
  const width = Math.max(1, Math.min(30, Math.floor(480 / Math.max(1, values.length))))
  return {
    mark: "bar",
    spec: {
      data: { values },
      mark: { type: "rule", strokeWidth: width, color: "#4c78a8" },
      encoding: { ...barEncoding(x, y.name, undefined), x: axis("x", x, noZero), y2: { field: "zero" } },
    },
    rows: n,
    drawn: values.length,
    summary: [
      reduction({
        rows: n,
        drawn: values.length,
        kept: `the first, least, greatest and last of each of ${INTERVALS / 2} intervals of ${x.name}`,
        placed: placedOf(values),
        what: "bar",
      }),
      valuesText(y, placed(x)),
      trendText(x, y),
      lackText(x),
      gapText(x),
    ],
  }
}

export const barChart = ({ x, y: [y], color }: PlotPlan): Chart => {
  if (x.kind !== "category" && y !== undefined && color === undefined) return barsAlong(x, y)
  const names = asCategory(x)
  const groups = color && groupsOf(color)
  const labels = names.labels!
  const stacks = groups?.labels ?? [""]
  const totals = stacks.map(() => new Float64Array(labels.length))
  for (const [row, code] of names.values.entries()) {
    const weight = y === undefined ? 1 : y.values[row]!
    if (weight - weight === 0) totals[groups?.values[row] ?? 0]![code]! += weight
  }
  const sums = labels.map((_, i) => totals.reduce((sum, each) => sum + each[i]!, 0))
  const order = labels.map((_, i) => i)
  const kept =
    labels.length <= MOST_BARS ? order : order.sort((a, b) => Math.abs(sums[b]!) - Math.abs(sums[a]!) || a - b).slice(0, MOST_BARS)
  const values = kept.flatMap((i) => totals.map((each, group) => ({ x: labels[i]!, y: each[i]!, color: stacks[group]! })))
  const rows = x.values.length
  const what = y === undefined ? "rows" : labels.length < rows ? `sum of ${y.name}` : y.name
  return {
    mark: "bar",
    spec: { data: { values }, mark: { type: "bar" }, encoding: barEncoding(names, what, groups) },
    rows,
    drawn: values.length,
    summary: [
      labels.length > MOST_BARS
        ? `The ${MOST_BARS} greatest of ${grouped(labels.length)} bars are drawn, of ${grouped(rows)} rows.`
        : `${labels.length === 1 ? "The only bar is" : `All ${grouped(labels.length)} bars are`} drawn, of ${counted(rows, "row")}.`,
      categoriesText(x.name, labels, sums, what),
      y === undefined ? "" : valuesText(y, placed(x)),
    ],
  }
}

export const histogramChart = ({ x }: PlotPlan): Chart => {
  const bins = binsOf(x.values, BINS, x.whole === true)
  if (bins === undefined) throw new PlotRefused(`${x.name}: none of its values is a number`, "Look at it with k_inspect.")
  const { from, step, counts } = bins
  const values = Array.from(counts, (count, i) => ({ from: jsonOf(x, from + i * step), to: jsonOf(x, from + (i + 1) * step), count }))
  const rows = x.values.length
  const drawn = counts.reduce((sum, count) => sum + count, 0)
  return {
    mark: "histogram",
    spec: {
      data: { values },
      mark: { type: "bar", binSpacing: 1 },
      encoding: {
        x: { field: "from", type: typeOf(x), title: x.name, ...(x.kind === "number" ? { bin: { binned: true, step } } : {}) },
        x2: { field: "to" },
        y: { field: "count", type: "quantitative", title: "rows" },
      },
    },
    rows,
    drawn,
    summary: [
      `${grouped(drawn)} of ${counted(rows, "row")} ${drawn === 1 ? "is" : "are"} counted.`,
      binsText(x, bins),
      valuesText(x, (row) => ` in row ${row}`),
    ],
  }
}
