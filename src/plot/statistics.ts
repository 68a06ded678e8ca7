/**
 * Figures of a column: of all rows, also those that the picture leaves out. Pure. Does not: fit a line to numbers whose squares are no floats
 * (`units.ts`).
 */
export interface Statistics {
  /** Finite values. */
  readonly count: number
  readonly missing: number
  readonly infinite: number
  /** Rows; -1 when there is no finite value. */
  readonly leastAt: number
  readonly greatestAt: number
  readonly firstMissing: number
  readonly mean: number
  /** The standard deviation of the population. */
  readonly deviation: number
}

/** Values of a block, which is read twice while it is in the processor's cache. */
const BLOCK = 4096

const computed = (values: Float64Array): Statistics => {
  let count = 0
  let missing = 0
  let infinite = 0
  let leastAt = -1
  let greatestAt = -1
  let firstMissing = -1
  let least = Infinity
  let greatest = -Infinity
  let mean = 0
  let squares = 0
  for (let from = 0; from < values.length; from += BLOCK) {
    const to = Math.min(values.length, from + BLOCK)
    let n = 0
    let sum = 0
    for (let i = from; i < to; i++) {
      const value = values[i]!
      if (value - value !== 0) {
        if (value === value) infinite++
        else if (missing++ === 0) firstMissing = i
        continue
      }
      n++
      sum += value
      if (value < least) {
        least = value
        leastAt = i
      }
      if (value > greatest) {
        greatest = value
        greatestAt = i
      }
    }
    if (n === 0) continue
    const own = sum / n
    let around = 0
    for (let i = from; i < to; i++) {
      const off = values[i]! - own
      if (off - off === 0) around += off * off
    }
    // Chan's rule for the mean and the sum of squares of two parts.
    const apart = own - mean
    squares += around + apart * apart * ((count / (count + n)) * n)
    mean += apart * (n / (count + n))
    count += n
  }
  const deviation = Math.sqrt(squares / count)
  return { count, missing, infinite, leastAt, greatestAt, firstMissing, mean: count === 0 ? Number.NaN : mean, deviation }
}

/** Numbers whose squares are not rounded to 0 or infinity. */
const [LEAST, GREATEST] = [1e-150, 1e150]

/** The statistics of values of any size: the mean and deviation of very great or very small ones are those of their shares of the greatest. */
const ofAnySize = (values: Float64Array): Statistics => {
  const found = computed(values)
  const size = Math.max(Math.abs(values[found.leastAt] ?? 0), Math.abs(values[found.greatestAt] ?? 0))
  if (size === 0 || (size >= LEAST && size <= GREATEST)) return found
  const { mean, deviation } = computed(values.map((value) => value / size))
  return { ...found, mean: mean * size, deviation: deviation * size }
}

/** Axes, bins and summary ask for the statistics of the same values. */
const known = new WeakMap<Float64Array, Statistics>()

/** The statistics of values, which must not change afterwards. */
export const statisticsOf = (values: Float64Array): Statistics => {
  const found = known.get(values) ?? ofAnySize(values)
  known.set(values, found)
  return found
}

export interface Trend {
  readonly slope: number
  /** R²: the share, from 0 to 1, of the variance that the line explains. */
  readonly fit: number
}

/** The least-squares line; undefined when x or y does not vary. */
export const trendOf = (x: Float64Array, y: Float64Array): Trend | undefined => {
  let [n, meanX, meanY, xx, xy, yy] = [0, 0, 0, 0, 0, 0]
  for (let i = 0; i < x.length; i++) {
    const [a, b] = [x[i]!, y[i]!]
    if (a - a !== 0 || b - b !== 0) continue
    n++
    const [dx, dy] = [a - meanX, b - meanY]
    meanX += dx / n
    meanY += dy / n
    xx += dx * (a - meanX)
    xy += dx * (b - meanY)
    yy += dy * (b - meanY)
  }
  return n >= 3 && xx > 0 && yy > 0 ? { slope: xy / xx, fit: (xy / xx) * (xy / yy) } : undefined
}

export interface Outliers {
  readonly count: number
  /** The row of the farthest outlier; -1 without one. */
  readonly farthest: number
}

/** Standard deviations beyond which a value is an outlier. */
export const FAR = 4

export const outliersOf = (values: Float64Array, { mean, deviation, leastAt, greatestAt }: Statistics): Outliers => {
  const isNear = (at: number): boolean => !(Math.abs(values[at]! - mean) > FAR * deviation)
  if (isNear(leastAt) && isNear(greatestAt)) return { count: 0, farthest: -1 }
  let [count, farthest] = [0, -1]
  for (let i = 0; i < values.length; i++) {
    const far = Math.abs(values[i]! - mean)
    if (!(far > FAR * deviation) || far === Infinity) continue
    count++
    if (farthest < 0 || far > Math.abs(values[farthest]! - mean)) farthest = i
  }
  return { count, farthest }
}

/** Does no value fall below the one before it, and is none missing? */
export const ascends = (values: Float64Array): boolean => {
  for (let i = 1; i < values.length; i++) if (!(values[i]! >= values[i - 1]!)) return false
  return values.length > 0 && !Number.isNaN(values[0]!)
}

export interface Gap {
  /** The row after the gap. */
  readonly at: number
  readonly size: number
  readonly usual: number
  readonly count: number
}

/** A step is a gap when it is more than so many times the median step. */
const WIDE = 5
const SAMPLED = 10_001

/** The widest gap of ascending values; undefined when no step is far wider than the median of sampled steps. */
export const gapOf = (values: Float64Array): Gap | undefined => {
  const steps = values.length - 1
  if (steps < 3) return undefined
  const sampled = Math.min(steps, SAMPLED)
  const some = new Float64Array(sampled)
  for (let i = 0; i < sampled; i++) {
    const at = Math.floor((i * steps) / sampled)
    some[i] = values[at + 1]! - values[at]!
  }
  const usual = some.sort()[sampled >> 1]!
  if (!(usual > 0)) return undefined
  let [at, size, count] = [0, 0, 0]
  for (let i = 1; i < values.length; i++) {
    const step = values[i]! - values[i - 1]!
    if (step > WIDE * usual) count++
    if (step > size) [at, size] = [i, step]
  }
  return count === 0 ? undefined : { at, size, usual, count }
}
