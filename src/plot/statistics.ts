/** What a picture shows, in figures: of all rows, before any is left out. Pure. */
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
  /** Of the population. */
  readonly deviation: number
}

const computed = (values: Float64Array): Statistics => {
  let [count, missing, infinite, leastAt, greatestAt, firstMissing, sum] = [0, 0, 0, -1, -1, -1, 0]
  let [least, greatest] = [Infinity, -Infinity]
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!
    if (value - value !== 0) {
      if (value === value) infinite++
      else if (missing++ === 0) firstMissing = i
      continue
    }
    count++
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
  // Of numbers near the greatest there are, the squares and even the sum are beyond them.
  const unit = Math.max(1, least * -1e-100, greatest * 1e-100)
  if (unit > 1) {
    sum = 0
    for (let i = 0; i < values.length; i++) {
      const value = values[i]!
      if (value - value === 0) sum += value / unit
    }
  }
  const mean = (sum / count) * unit
  let squares = 0
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!
    if (value - value === 0) squares += (value / unit - mean / unit) ** 2
  }
  return { count, missing, infinite, leastAt, greatestAt, firstMissing, mean, deviation: Math.sqrt(squares / count) * unit }
}

/** The same values are asked about by axes, bins and words. */
const known = new WeakMap<Float64Array, Statistics>()

/** Of values that nobody changes any more. */
export const statisticsOf = (values: Float64Array): Statistics => {
  const found = known.get(values) ?? computed(values)
  known.set(values, found)
  return found
}

export interface Trend {
  readonly slope: number
  /** Of 1: the share of the variance that the line has. */
  readonly fit: number
}

/** The least-squares line; undefined where x or y does not vary. */
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
  return n < 3 || xx <= 0 || yy <= 0 ? undefined : { slope: xy / xx, fit: (xy * xy) / (xx * yy) }
}

export interface Outliers {
  readonly count: number
  /** The row of the farthest; -1 without one. */
  readonly farthest: number
}

/** Standard deviations beyond which a value is told as one. */
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

/** Does it never fall? */
export const ascends = (values: Float64Array): boolean => {
  for (let i = 1; i < values.length; i++) if (!(values[i]! >= values[i - 1]!)) return false
  return values.length > 0 && !Number.isNaN(values[0]!)
}

export interface Gap {
  /** The row behind it. */
  readonly at: number
  readonly size: number
  readonly usual: number
  readonly count: number
}

/** A step is one when it is so many times the usual one. */
const WIDE = 5
const SAMPLED = 10_001

/** The widest step of values that ascend, when it is far wider than the median of them. */
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
