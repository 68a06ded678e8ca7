/**
 * Dates and times. K counts seconds, as an int, and days from the first moment of 2035, UTC.
 *
 * Guarantees: `_jd` and `_dj` are each other's inverse over all dates of the Gregorian calendar that an int can write; the clock and the
 * zone are the host's.
 * Does not: check that a date exists: `_jd 20350231` counts on into March, as in K.
 */
import { filledBy, unfilledInts } from "../run/budget.ts"
import type { Kernel, Monad } from "../run/kernel.ts"
import { wrongType } from "../run/mismatch.ts"
import { collapse, Float, Ints, type Value } from "../values/value.ts"
import { each } from "./atomic.ts"
import type { SystemRow } from "./Row.ts"

const EPOCH_MS = 2051222400000
const SECONDS_A_DAY = 86400
/** Days from 0000-03-01 to 2035-01-01. */
const ERA = 743209

/** Days from 2035-01-01 of a date written yyyymmdd. */
export const daysOf = (date: number): number => {
  const day = date % 100
  const month = Math.trunc(date / 100) % 100
  // With a year that begins in March, the leap day is its last day.
  const year = Math.trunc(date / 10000) - (month <= 2 ? 1 : 0)
  const days = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1
  return (365 * year + Math.floor(year / 4) - Math.floor(year / 100) + Math.floor(year / 400) + days - ERA) | 0
}

/** The date, written yyyymmdd, `days` days after 2035-01-01. */
export const dateOf = (days: number): number => {
  const z = days + ERA
  const era = Math.floor(z / 146097)
  const n = z - era * 146097
  const year = Math.floor((n - Math.floor(n / 1460) + Math.floor(n / 36524) - Math.floor(n / 146096)) / 365)
  const day = n - (365 * year + Math.floor(year / 4) - Math.floor(year / 100))
  const m = Math.floor((5 * day + 2) / 153)
  const month = m < 10 ? m + 3 : m - 9
  return ((era * 400 + year + (month <= 2 ? 1 : 0)) * 10000 + month * 100 + day - Math.floor((153 * m + 2) / 5) + 1) | 0
}

const clockOf = (seconds: number): number => {
  const s = seconds - Math.floor(seconds / SECONDS_A_DAY) * SECONDS_A_DAY
  return Math.floor(s / 3600) * 10000 + (Math.floor(s / 60) % 60) * 100 + (s % 60)
}

/** An atomic function of ints, with ints as results. */
const ofInts = (f: (n: number, k: Kernel) => number): Monad => {
  const go: Monad = (x, k) => {
    if (typeof x === "number") return f(x, k)
    if (x.t === 0) return each(x, (y) => go(y, k))
    if (x.t !== -1) throw wrongType("dates and times are ints", x)
    return new Ints(filledBy(unfilledInts(x.v.length), (i) => f(x.v[i]!, k)))
  }
  return go
}

const datesOfSeconds = ofInts((n) => dateOf(Math.floor(n / SECONDS_A_DAY)))
const clocks = ofInts(clockOf)
const local = ofInts((n, k) => (n + Math.round(k.host.zoneOffset(EPOCH_MS + n * 1000) * 60)) | 0)

const dateAndClock: Monad = (x, k) => collapse([datesOfSeconds(x, k), clocks(x, k)])

const secondsNow = (k: Kernel): Value => Math.floor((k.host.now() - EPOCH_MS) / 1000) | 0
const daysNow = (k: Kernel): Value => new Float((k.host.now() - EPOCH_MS) / (SECONDS_A_DAY * 1000))

// prettier-ignore
export const rows: readonly SystemRow[] = [
  { glyph: "_t", valence: 0, name: "time", class: "time", run: secondsNow,
    doc: "Seconds since 2035-01-01 UTC, an int; negative until then.",
    words: "time now clock seconds timestamp current date today",
    examples: [["4:_t", "1"], ["_t<0", "1"]] },
  { glyph: "_T", valence: 0, name: "days", class: "time", run: daysNow,
    doc: "Days since 2035-01-01 UTC, a float.",
    words: "time now clock days",
    examples: [["4:_T", "2"], ["_T<0", "1"]] },
  { glyph: "_jd", valence: 1, name: "days from date", class: "time", run: ofInts(daysOf), fresh: true,
    doc: "Days from 2035-01-01 to a date written yyyymmdd.",
    words: "date julian day",
    examples: [["_jd 20260206", "-3251"], ["_jd 20350101 20350201", "0 31"]] },
  { glyph: "_dj", valence: 1, name: "date from days", class: "time", run: ofInts(dateOf), fresh: true,
    doc: "The date, written yyyymmdd, so many days after 2035-01-01.",
    words: "date from day",
    examples: [["_dj 0", "20350101"], ["_dj _jd 20240229", "20240229"]] },
  { glyph: "_gtime", valence: 1, name: "date and time", class: "time", run: dateAndClock, fresh: true,
    doc: "Date (yyyymmdd) and time of day (hhmmss), UTC, of seconds since 2035.",
    examples: [["_gtime 0", "20350101 0"], ["_gtime 86399", "20350101 235959"]] },
  { glyph: "_ltime", valence: 1, name: "local date and time", class: "time", run: (x, k) => dateAndClock(local(x, k), k), fresh: true,
    doc: "Date (yyyymmdd) and time of day (hhmmss) in the local zone of seconds since 2035.",
    examples: [["(_ltime 5)~_gtime _lt 5", "1"], ["#_ltime 0", "2"]] },
  { glyph: "_lt", valence: 1, name: "local seconds", class: "time", run: local, fresh: true,
    doc: "Seconds since 2035, moved by the local zone's distance from UTC at that moment.",
    examples: [["4:_lt 0", "1"], ["(_lt 60)-_lt 0", "60"]] },
]
