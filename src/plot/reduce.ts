/**
 * Fewer points with the same picture. Pure.
 *
 * Guarantees: of a line, each interval of x keeps its first, least, greatest and last point, so extremes stay; of a matrix, each block keeps the cell
 * that is farthest from the mean; bins and density cells count every row. Does not: take a range beyond the greatest float (`units.ts`).
 */
import { statisticsOf } from "./statistics.ts"

export interface Extent {
  readonly least: number
  readonly greatest: number
}

/** The extent of the finite values; undefined when there is none. */
export const extentOf = (values: Float64Array): Extent | undefined => {
  const { count, leastAt, greatestAt } = statisticsOf(values)
  return count === 0 ? undefined : { least: values[leastAt]!, greatest: values[greatestAt]! }
}

/** Gives the share of the extent below a value, from 0 to 1. */
export const sharesIn = ({ least, greatest }: Extent): ((value: number) => number) => {
  const range = greatest - least || 1
  return (value) => (value - least) / range
}

/** Places of the rows kept for an interval: first and last by x, least and greatest by y. An interval whose y are all missing keeps one row. */
const FIRST = 0
const LEAST = 1
const GREATEST = 2
const LAST = 3
const KEPT = 4

/** The rows of a line to draw, by x. `rows`: the line's rows, all when absent. */
export const lineRows = (x: Float64Array, y: Float64Array, intervals: number, rows?: Uint32Array): Uint32Array => {
  const n = rows?.length ?? x.length
  const byX = (a: number, b: number): number => x[a]! - x[b]! || a - b
  if (n <= KEPT * intervals) return (rows?.slice() ?? Uint32Array.from({ length: n }, (_, i) => i)).sort(byX)
  const extent = extentOf(rows === undefined ? x : Float64Array.from(rows, (row) => x[row]!))
  if (extent === undefined) return new Uint32Array(0)
  const shareOf = sharesIn(extent)
  const kept = new Int32Array(KEPT * intervals).fill(-1)
  const missing = new Int32Array(intervals).fill(-1)
  for (let i = 0; i < n; i++) {
    const row = rows === undefined ? i : rows[i]!
    const at = x[row]!
    if (at - at !== 0) continue
    const interval = Math.min(intervals - 1, Math.floor(shareOf(at) * intervals))
    const value = y[row]!
    if (value - value !== 0) {
      missing[interval] = row
      continue
    }
    const place = KEPT * interval
    if (kept[place]! < 0) kept.fill(row, place, place + KEPT)
    else {
      if (at < x[kept[place + FIRST]!]!) kept[place + FIRST] = row
      if (value < y[kept[place + LEAST]!]!) kept[place + LEAST] = row
      if (value > y[kept[place + GREATEST]!]!) kept[place + GREATEST] = row
      if (at >= x[kept[place + LAST]!]!) kept[place + LAST] = row
    }
  }
  const all = new Set<number>()
  for (let interval = 0; interval < intervals; interval++) {
    const place = KEPT * interval
    if (kept[place]! >= 0) for (let i = 0; i < KEPT; i++) all.add(kept[place + i]!)
    else if (missing[interval]! >= 0) all.add(missing[interval]!)
  }
  return Uint32Array.from(all).sort(byX)
}

export interface Bins {
  readonly from: number
  readonly step: number
  readonly counts: Float64Array
}

/** The least of 1, 2, 5, 10, 20, … that is not below `step`. */
const niceStep = (step: number): number => {
  const power = 10 ** Math.floor(Math.log10(step))
  return [1, 2, 5, 10].map((n) => n * power).find((nice) => nice >= step * (1 - 1e-9))!
}

/** At most `most` + 1 bins with round borders. Of whole numbers a bin is at least 1 wide. Undefined without a finite value. */
export const binsOf = (values: Float64Array, most: number, isWhole: boolean): Bins | undefined => {
  const extent = extentOf(values)
  if (extent === undefined) return undefined
  const { least, greatest } = extent
  const wanted = greatest > least ? niceStep((greatest - least) / most) : Math.abs(least) > 1e9 ? niceStep(Math.abs(least) / 1e9) : 1
  const step = isWhole ? Math.max(1, wanted) : wanted
  const from = Math.floor(least / step) * step
  const counts = new Uint32Array(Math.floor((greatest - from) / step) + 1)
  const last = counts.length - 1
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!
    if (value - value !== 0) continue
    // Rounding may put the least or greatest value outside the bins.
    const bin = ((value - from) / step) | 0
    counts[bin < 0 ? 0 : bin > last ? last : bin]!++
  }
  return { from, step, counts: Float64Array.from(counts) }
}

export interface Grid {
  readonly width: number
  readonly height: number
  /** Row by row, the greatest y first; NaN is an empty cell. */
  readonly cells: Float64Array
}

/** The extent of one axis, and the number of cells that it is cut into. */
export interface Axis {
  readonly extent: Extent
  readonly cells: number
}

/** Counts the rows of each cell, or takes the mean of `color` there. */
export const gridOf = (
  x: Float64Array,
  y: Float64Array,
  axes: readonly [Axis, Axis],
  color?: Float64Array,
): Grid & { readonly placed: number } => {
  const [{ extent: ofX, cells: width }, { extent: ofY, cells: height }] = axes
  const counts = new Float64Array(width * height)
  const sums = color && new Float64Array(width * height)
  const [shareX, shareY] = [sharesIn(ofX), sharesIn(ofY)]
  for (let i = 0; i < x.length; i++) {
    const [column, up] = [Math.floor(shareX(x[i]!) * width), Math.floor(shareY(y[i]!) * height)]
    const weight = color === undefined ? 1 : color[i]!
    if (!(column >= 0 && column <= width && up >= 0 && up <= height) || weight - weight !== 0) continue
    const cell = (height - 1 - Math.min(height - 1, up)) * width + Math.min(width - 1, column)
    counts[cell]!++
    if (sums !== undefined) sums[cell]! += weight
  }
  const cells = counts.map((count, i) => (count === 0 ? Number.NaN : sums === undefined ? count : sums[i]! / count))
  return { width, height, cells, placed: counts.reduce((sum, count) => sum + count, 0) }
}

/** A matrix of at most so many cells in each direction. */
export const fewerCells = (
  { width, height, values }: { readonly width: number; readonly height: number; readonly values: Float64Array },
  [mostWide, mostHigh]: readonly [number, number],
  mean: number,
): { readonly width: number; readonly height: number; readonly values: Float64Array } => {
  if (width <= mostWide && height <= mostHigh) return { width, height, values }
  const [wide, high] = [Math.min(width, mostWide), Math.min(height, mostHigh)]
  const fewer = new Float64Array(wide * high).fill(Number.NaN)
  for (let row = 0; row < height; row++) {
    const to = Math.floor((row * high) / height) * wide
    for (let column = 0; column < width; column++) {
      const value = values[row * width + column]!
      const cell = to + Math.floor((column * wide) / width)
      if (value - value === 0 && !(Math.abs(value - mean) <= Math.abs(fewer[cell]! - mean))) fewer[cell] = value
    }
  }
  return { width: wide, height: high, values: fewer }
}
