/** The facts of a picture as sentences, for readers who do not see it: of all rows, also those left out. Pure. */
import { type Column, shown } from "./Column.ts"
import type { Bins } from "./reduce.ts"
import { counted, grouped } from "./shapes.ts"
import { ascends, FAR, gapOf, outliersOf, statisticsOf, trendOf } from "./statistics.ts"

const number = (value: number): string => shown({ kind: "number" }, value)
const DAY = 86_400_000

/** A length along a column; of time in days, hours or seconds. */
const lengthOf = ({ kind }: Column, length: number): string => {
  if (kind !== "time") return number(length)
  return length >= DAY
    ? `${number(length / DAY)} ${length === DAY ? "day" : "days"}`
    : length >= 3_600_000
      ? `${number(length / 3_600_000)} ${length === 3_600_000 ? "hour" : "hours"}`
      : `${number(length / 1000)} s`
}

/** The least, greatest and mean value, outliers and missing values. `where` words the place of a row. */
export const valuesText = (column: Column, where: (row: number) => string): string => {
  const { name, values } = column
  const of = statisticsOf(values)
  if (of.count === 0) return `${name}: none of ${counted(values.length, "value")} is a number.`
  const [least, greatest] = [shown(column, values[of.leastAt]!), shown(column, values[of.greatestAt]!)]
  const first = of.missing > 0 ? where(of.firstMissing) : ""
  const lacks = [
    ...(of.missing > 0 ? [`${grouped(of.missing)} missing${first === "" ? "" : ` (the first${first})`}`] : []),
    ...(of.infinite > 0 ? [`${grouped(of.infinite)} infinite, which ${of.infinite === 1 ? "is" : "are"} not drawn`] : []),
  ]
  if (column.kind === "time") return `${name}: ${[`from ${least} to ${greatest}`, ...lacks].join("; ")}.`
  const ends = `least ${least}${where(of.leastAt)}, greatest ${greatest}${where(of.greatestAt)}`
  const { count, farthest } = outliersOf(values, of)
  const out =
    count === 0
      ? `no value beyond ${FAR} standard deviations`
      : `outliers beyond ${FAR} standard deviations: ${grouped(count)}, the farthest ${number(values[farthest]!)}${where(farthest)}`
  return `${name}: ${ends}; mean ${number(of.mean)}, standard deviation ${number(of.deviation)}; ${[out, ...lacks].join("; ")}.`
}

/** Words the place of a row by its value in another column. */
export const placed = (x: Column) => (row: number) => ` at ${x.name} ${shown(x, x.values[row]!)}`

/** The trend of y over x. */
export const trendText = (x: Column, y: Column): string => {
  const { name } = y
  if (x.kind === "category" || y.kind !== "number") return ""
  const trend = trendOf(x.values, y.values)
  if (trend === undefined) {
    const ofPoints = y.values.filter((value, i) => Number.isFinite(value) && Number.isFinite(x.values[i]))
    const still = ofPoints.every((value) => value === ofPoints[0]) ? "it" : x.name
    return ofPoints.length < 3 ? "" : `${name}: no trend, for ${still} does not vary.`
  }
  const [slope, unit] = x.kind === "time" ? [trend.slope * DAY, "a day"] : [trend.slope, `a unit of ${x.name}`]
  const fit = trend.fit >= 0.5 ? "a clear trend" : trend.fit >= 0.1 ? "a weak trend" : "hardly a trend"
  return `${name}: ${fit}, ${slope >= 0 ? "+" : ""}${number(slope)} ${unit} (R² ${number(Number(trend.fit.toFixed(3)))}).`
}

/** The rows that no place along x can show; empty without one. */
export const lackText = (x: Column): string => {
  const { missing, infinite } = statisticsOf(x.values)
  const n = missing + infinite
  return x.kind === "category" || n === 0
    ? ""
    : `${x.name}: missing or infinite in ${grouped(n)} ${n === 1 ? "row, which is" : "rows, which are"} not drawn.`
}

/** The widest gap in x; empty without one. */
export const gapText = (x: Column): string => {
  if (x.kind === "category" || x.name === "index" || !ascends(x.values)) return ""
  const gap = gapOf(x.values)
  if (gap === undefined) return ""
  const [from, to] = [shown(x, x.values[gap.at - 1]!), shown(x, x.values[gap.at]!)]
  const more = gap.count > 1 ? `; ${grouped(gap.count)} such gaps in all` : ""
  return `${x.name}: nothing from ${from} to ${to}, where ${lengthOf(x, gap.usual)} is the usual step${more}.`
}

/** The fullest bin of a histogram, the median and empty bins. */
export const binsText = (column: Column, { from, step, counts }: Bins): string => {
  const total = counts.reduce((sum, count) => sum + count, 0)
  const fullest = counts.indexOf(Math.max(...counts))
  const border = (bin: number): string => shown(column, from + bin * step)
  let [below, bin] = [0, 0]
  while (bin < counts.length && below + counts[bin]! < total / 2) below += counts[bin++]!
  const empty = counts.reduce((sum, count) => sum + (count === 0 ? 1 : 0), 0)
  return [
    `${counted(counts.length, "bin")} of ${lengthOf(column, step)} from ${border(0)}: the fullest, ${border(fullest)} to ${border(fullest + 1)}, has ${grouped(counts[fullest]!)} of ${grouped(total)};`,
    `the median lies in ${border(bin)} to ${border(bin + 1)}${empty > 0 ? `; ${counted(empty, "bin")} ${empty === 1 ? "is" : "are"} empty` : ""}.`,
  ].join(" ")
}

/** The most frequent, or greatest, categories. */
export const categoriesText = (name: string, labels: readonly string[], totals: readonly number[], of: string): string => {
  const order = totals.map((_, i) => i).sort((a, b) => totals[b]! - totals[a]! || a - b)
  const told = (i: number): string => `${shown({ kind: "category", labels }, i)} ${number(totals[i]!)}`
  const most = order.slice(0, 5).map(told).join(", ")
  const least = order.length > 5 ? `; least ${told(order.at(-1)!)}` : ""
  return `${name}: ${counted(labels.length, "category", "categories")}; greatest ${of} ${most}${least}.`
}
