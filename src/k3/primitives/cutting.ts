/**
 * Finds the lines in a file's bytes, and their fields: by a separator, or by widths.
 *
 * Guarantees: a line ends before a newline, or before a carriage return and a newline; the last line may lack them. A missing field is empty. Bytes
 * are paid for in pieces, however long a line is. Does not: copy bytes.
 */
import { blocks, foldBlocks, tick, unfilledInts } from "../run/budget.ts"
import { NEWLINE, QUOTE, RETURN } from "../text/scan.ts"
import type { Strings } from "../values/Parts.ts"
import { Chars } from "../values/value.ts"
import { placeLoop } from "./loops.ts"

/** Rows that are cut at a time, when they have few fields. */
const ROWS = 1024
/** Fields that are cut at a time, when a row has no more. */
const FIELDS = 1 << 16
/** Bytes between two payments. */
const PIECE = 1 << 15

/** The number of lines. */
export const countLines = (bytes: Uint8Array): number => {
  const last = bytes.length > 0 && bytes[bytes.length - 1] !== NEWLINE ? 1 : 0
  return foldBlocks(bytes.length, last, (n, from, to) => newlines()(bytes, n, from, to))
}

const newlines = placeLoop<(bytes: Uint8Array, n: number, i: number, end: number) => number>(
  "bytes, n",
  (i) => `n += bytes[${i}] === ${NEWLINE} ? 1 : 0`,
  "n",
)

/** The end of a line that begins at `start` and whose newline is at `newline`. */
const endOf = (bytes: Uint8Array, start: number, newline: number): number =>
  newline > start && newline < bytes.length && bytes[newline - 1] === RETURN ? newline - 1 : newline

/** Writes every place, and keeps it when a newline is there, without a branch that the processor could not predict. */
const placeNewlines = placeLoop<(bytes: Uint8Array, out: Int32Array, k: number, i: number, end: number) => number>(
  "bytes, out, k",
  (i) => `out[k] = ${i}; k += bytes[${i}] === ${NEWLINE} ? 1 : 0`,
  "k",
)

/** The lines as strings. */
export const linesIn = (bytes: Uint8Array): Strings => {
  const n = countLines(bytes)
  const ends = unfilledInts(n)
  const k = foldBlocks(bytes.length, 0, (so, from, to) => placeNewlines()(bytes, ends, so, from, to))
  if (k < n) ends[k] = bytes.length
  const starts = unfilledInts(n)
  let start = 0
  blocks(n, (i, to) => {
    for (; i < to; i++) {
      const newline = ends[i]!
      starts[i] = start
      ends[i] = endOf(bytes, start, newline)
      start = newline + 1
    }
  })
  return { of: new Chars(bytes), starts, ends }
}

/** The fields of one column: the field of row i reaches from `starts[at + i]` up to `ends[at + i]`. */
export interface FieldPlaces {
  readonly starts: Int32Array
  readonly ends: Int32Array
  readonly at: number
}

/** Cuts lines into `columns` fields each, some lines at a time. `how`: a separator, or the widths of the fields. */
export class Cut {
  /** Rows that are cut at a time. */
  readonly step: number
  private readonly starts: Int32Array
  private readonly ends: Int32Array
  /** The beginning of the next line. */
  private next = 0
  /** True: a field began with a quote and did not end with one, so a separator or newline inside quotes cut it. */
  cutQuotes = false

  constructor(
    readonly bytes: Uint8Array,
    private readonly columns: number,
    private readonly how: number | Int32Array,
  ) {
    this.step = Math.max(1, Math.min(ROWS, Math.floor(FIELDS / columns)))
    this.starts = unfilledInts(columns * this.step)
    this.ends = unfilledInts(columns * this.step)
  }

  places(column: number): FieldPlaces {
    return { starts: this.starts, ends: this.ends, at: column * this.step }
  }

  /** Cuts the next n lines, at most `step`; the caller knows that there are so many. */
  rows(n: number): void {
    const { how } = this
    for (let row = 0; row < n; row++) this.next = typeof how === "number" ? this.separated(row, how) : this.fixed(row, how)
  }

  private separated(row: number, separator: number): number {
    const { bytes, columns, step, starts, ends, next } = this
    let start = next
    let i = next
    let place = row
    const last = columns * step
    tick()
    for (let stop = next; i < bytes.length;) {
      if (i >= stop) {
        // The first piece of a line is paid for at the line's end, when its length is known.
        if (stop > next) tick(PIECE)
        stop = Math.min(bytes.length, i + PIECE)
      }
      for (; i < stop; i++) {
        const byte = bytes[i]!
        if (byte === NEWLINE) break
        if (byte !== separator || (byte === RETURN && bytes[i + 1] === NEWLINE)) continue
        if (bytes[start] === QUOTE && this.isHalf(start, i)) this.cutQuotes = true
        if (place < last) {
          starts[place] = start
          ends[place] = i
          place += step
        }
        start = i + 1
      }
      if (i < stop) break
    }
    tick((i - next) % PIECE)
    if (start < i && bytes[start] === QUOTE && this.isHalf(start, endOf(bytes, next, i))) this.cutQuotes = true
    if (place < last) {
      starts[place] = start
      ends[place] = endOf(bytes, next, i)
      for (place += step; place < last; place += step) starts[place] = ends[place] = 0
    }
    return i + 1
  }

  /** Is this field, which begins with a quote, without its closing quote? Not asked when the separator is a quote. */
  private isHalf(start: number, end: number): boolean {
    return this.how !== QUOTE && (end - start < 2 || this.bytes[end - 1] !== QUOTE)
  }

  private fixed(row: number, widths: Int32Array): number {
    const { bytes, step, starts, ends, next } = this
    const found = bytes.indexOf(NEWLINE, next)
    const newline = found < 0 ? bytes.length : found
    for (let left = newline - next + 1; left > 0; left -= PIECE) tick(Math.min(left, PIECE))
    const end = endOf(bytes, next, newline)
    let start = next
    for (let c = 0; c < widths.length; c++) {
      const place = c * step + row
      starts[place] = Math.min(start, end)
      start += widths[c]!
      ends[place] = Math.min(start, end)
    }
    return newline + 1
  }
}
