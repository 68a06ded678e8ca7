/**
 * K's dates and times as milliseconds since 1970, in UTC. Pure.
 *
 * | K                              | is                                                     |
 * | ------------------------------ | ------------------------------------------------------ |
 * | ints that are all dates, yyyymmdd | a date, without being asked                         |
 * | other ints, with `:T`          | seconds since 2035-01-01, as `_t` has them             |
 * | floats, with `:T`              | days since 2035-01-01, as `_T` has them                |
 *
 * A time before the year 0 or after 9999 is missing.
 */
import { type Column, categories, shown } from "./Column.ts"

const EPOCH = Date.UTC(2035, 0, 1)
const DAY = 86_400_000
const FIRST = Date.parse("0000-01-01T00:00:00Z")
const LAST = Date.parse("9999-12-31T23:59:59Z")

/** NaN when the number is no date. */
const dateOf = (yyyymmdd: number): number => {
  const [year, month, day] = [Math.floor(yyyymmdd / 10_000), Math.floor(yyyymmdd / 100) % 100, yyyymmdd % 100]
  if (!(year >= 1000 && year <= 9999 && month >= 1 && month <= 12 && day >= 1 && day <= 31)) return Number.NaN
  const ms = Date.UTC(year, month - 1, day)
  return new Date(ms).getUTCDate() === day ? ms : Number.NaN
}

/** Are all values dates between 1900 and 2100, as yyyymmdd? */
const areDates = ({ whole, values }: Column): boolean => {
  let some = false
  for (const value of values) {
    if (Number.isNaN(value)) continue
    if (value < 19_000_101 || value > 21_001_231 || Number.isNaN(dateOf(value))) return false
    some = true
  }
  return some && whole === true
}

/** Makes times of a column whose values are all dates; other columns stay. */
export const withDates = (column: Column): Column => (areDates(column) ? asTime(column) : column)

/** A column as times, as `:T` asks for. */
export const asTime = (column: Column): Column => {
  if (column.kind !== "number") return column
  const { whole } = column
  const convert = areDates(column) ? dateOf : (value: number) => EPOCH + value * (whole === true ? 1000 : DAY)
  const timeOf = (value: number): number => {
    const time = convert(value)
    return time >= FIRST && time <= LAST ? time : Number.NaN
  }
  return { name: column.name, kind: "time", values: column.values.map(timeOf) }
}

/** A column as categories, as `:N` asks for. */
export const asCategory = (column: Column): Column =>
  column.kind === "category"
    ? column
    : categories(
        column.name,
        Array.from(column.values, (value) => shown(column, value)),
      )
