/**
 * Finds the lines in a file's bytes, and their fields: by a separator, or by widths.
 *
 * Guarantees: a line ends before a newline, or before a carriage return and a newline; the last line may lack them. A missing field is empty. Bytes
 * are paid for in pieces, however long a line is. Does not: copy bytes.
 */
import { BLOCK, blocks, tick, unfilledInts } from "../run/budget.ts"
import { NEWLINE, QUOTE, RETURN } from "../text/scan.ts"
import { IntsWriter, type Pieces } from "../values/Strings.ts"
import { placeLoop } from "./loops.ts"

/** Rows that are cut at a time, when they have few fields. */
const ROWS = 1024
/** Fields that are cut at a time, when a row has no more. */
const FIELDS = 1 << 16
/** Bytes between two payments. */
const PIECE = 1 << 15

/** The end of each line: the place of its newline, or for the last line the end of the bytes. */
export const lineEnds = (bytes: Uint8Array): Int32Array => {
  const out = new IntsWriter()
  const found = new Int32Array(BLOCK)
  blocks(bytes.length, (from, to) => out.put(found, newlines()(bytes, found, 0, from, to)))
  if (bytes.length > 0 && bytes[bytes.length - 1] !== NEWLINE) out.add(bytes.length)
  return out.v.subarray(0, out.n)
}

/** Writes every place, and keeps it when a newline is there, without a branch that the processor could not predict; returns how many are kept. */
const newlines = placeLoop<(bytes: Uint8Array, out: Int32Array, k: number, i: number, end: number) => number>(
  "bytes, out, k",
  (i) => `out[k] = ${i}; k += bytes[${i}] === ${NEWLINE} ? 1 : 0`,
  "k",
)

/** The end of a line that begins at `start` and whose newline is at `newline`. */
const endOf = (bytes: Uint8Array, start: number, newline: number): number =>
  newline > start && newline < bytes.length && bytes[newline - 1] === RETURN ? newline - 1 : newline

/** The lines as strings. */
export const linesIn = (bytes: Uint8Array): Pieces => {
  const ends = lineEnds(bytes)
  const starts = unfilledInts(ends.length)
  let start = 0
  blocks(ends.length, (i, to) => {
    for (; i < to; i++) {
      const newline = ends[i]!
      starts[i] = start
      ends[i] = endOf(bytes, start, newline)
      start = newline + 1
    }
  })
  return { bytes, starts, ends }
}

/** The fields of one column: the field of row i reaches from `starts[at + i]` up to `ends[at + i]`. */
export interface Places {
  readonly starts: Int32Array
  readonly ends: Int32Array
  readonly at: number
}

/** Cuts lines into `columns` fields each, some lines at a time. `how`: a separator, or the widths of the fields. */
export class Cut {
  /** The number of lines. */
  readonly lines: number
  /** Rows that are cut at a time. */
  readonly step: number
  private readonly lineEnds: Int32Array
  private readonly starts: Int32Array
  private readonly ends: Int32Array
  /** The next line, and its beginning. */
  private line = 0
  private next = 0
  /** True: a field began with a quote and did not end with one, so a separator or newline inside quotes cut it. */
  cutQuotes = false

  constructor(
    readonly bytes: Uint8Array,
    private readonly columns: number,
    private readonly how: number | Int32Array,
  ) {
    this.lineEnds = lineEnds(bytes)
    this.lines = this.lineEnds.length
    this.step = Math.max(1, Math.min(ROWS, Math.floor(FIELDS / columns)))
    this.starts = unfilledInts(columns * this.step)
    this.ends = unfilledInts(columns * this.step)
  }

  places(column: number): Places {
    return { starts: this.starts, ends: this.ends, at: column * this.step }
  }

  /** Cuts the next n lines, at most `step`; the caller knows that there are so many. */
  rows(n: number): void {
    const { how, bytes } = this
    for (let row = 0; row < n; row++) {
      const newline = this.lineEnds[this.line++]!
      const end = endOf(bytes, this.next, newline)
      tick()
      if (typeof how === "number") this.separated(row, how, end)
      else this.fixed(row, how, end)
      this.next = newline + 1
    }
  }

  private separated(row: number, separator: number, end: number): void {
    const { bytes, columns, step, starts, ends } = this
    let start = this.next
    let place = row
    const last = columns * step
    for (let i = start; i < end;) {
      const stop = Math.min(end, i + PIECE)
      tick(stop - i)
      for (; i < stop; i++) {
        if (bytes[i] !== separator) continue
        if (bytes[start] === QUOTE && this.isHalf(start, i)) this.cutQuotes = true
        if (place < last) {
          starts[place] = start
          ends[place] = i
          place += step
        }
        start = i + 1
      }
    }
    if (start < end && bytes[start] === QUOTE && this.isHalf(start, end)) this.cutQuotes = true
    if (place < last) {
      starts[place] = start
      ends[place] = end
      for (place += step; place < last; place += step) starts[place] = ends[place] = 0
    }
  }

  /** Is this field, which begins with a quote, without its closing quote? Not asked when the separator is a quote. */
  private isHalf(start: number, end: number): boolean {
    return this.how !== QUOTE && (end - start < 2 || this.bytes[end - 1] !== QUOTE)
  }

  private fixed(row: number, widths: Int32Array, end: number): void {
    const { step, starts, ends } = this
    let start = this.next
    for (let c = 0; c < widths.length; c++) {
      const place = c * step + row
      starts[place] = Math.min(start, end)
      start += widths[c]!
      ends[place] = Math.min(start, end)
    }
  }
}
