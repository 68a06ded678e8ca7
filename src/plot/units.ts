/**
 * Columns in units that labels of axes, and sums of squares, can take. Pure. Very great and very small numbers are divided by a power of ten, and the
 * name says so in K: `value%1e308`. Does not: change other columns.
 */
import { type Column, numbers } from "./Column.ts"
import { statisticsOf } from "./statistics.ts"

/** Decimal places of a number that Vega still writes out whole as a label. */
const FAR = 12
/** The least power of ten that is used as one divisor: powers among the denormal numbers are inexact. */
const LEAST = -300

/** The columns, which share an axis, in one unit. */
export const inUnits = (columns: readonly Column[]): readonly Column[] => {
  const extremes = columns
    .filter(({ kind }) => kind === "number")
    .flatMap(({ values }) => {
      const { leastAt, greatestAt } = statisticsOf(values)
      return leastAt < 0 ? [] : [Math.abs(values[leastAt]!), Math.abs(values[greatestAt]!)]
    })
  const greatest = Math.max(0, ...extremes)
  const power = greatest === 0 ? 0 : Math.floor(Math.log10(greatest))
  if (Math.abs(power) <= FAR) return columns
  const first = Math.max(LEAST, power)
  const [unit, rest] = [Number(`1e${first}`), Number(`1e${power - first}`)]
  const scaled = (values: Float64Array) => values.map((value) => value / unit / rest)
  return columns.map((column) => (column.kind === "number" ? numbers(`${column.name}%1e${power}`, scaled(column.values)) : column))
}
