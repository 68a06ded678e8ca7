/**
 * Reads tables from text: the fields of `(types;separator)0:f` and `(types;widths)0:f`.
 *
 * Guarantees: one typed column for each letter of types: I ints, F floats, S symbols, C strings; a blank skips a field. A field that cannot be read
 * as its type, or that a short line lacks, is a null. Blanks around a symbol are dropped, those around a string kept. No object is made for a line or
 * a field: some rows are cut at a time (`cutting.ts`), and each column is read from the bytes of its fields.
 *
 * Does not: know quotes; a separator always separates. A field cut inside quotes is reported.
 */
import * as budget from "../run/budget.ts"
import { KError } from "../run/KError.ts"
import { wrongType } from "../run/mismatch.ts"
import { listOf } from "../values/Parts.ts"
import { Chars, List, sym, Symbols, text, textOf, type Value, vectorOf } from "../values/value.ts"
import { countLines, Cut, type FieldPlaces } from "./cutting.ts"
import { Interned } from "./Interned.ts"
import { readFloatIn, readIntIn } from "./reading.ts"

/** A column that is filled some rows at a time; `row` is the first of them. */
interface Column {
  /** The column, after all rows. */
  readonly value: () => Value
  readonly fill: (bytes: Uint8Array, fields: FieldPlaces, row: number, rows: number) => void
}

const numbers = (t: number, n: number, read: (bytes: Uint8Array, from: number, to: number) => number): Column => {
  const value = vectorOf(t, n)
  const { v } = value
  return {
    value: () => value,
    fill: (bytes, { starts, ends, at }, row, rows) => {
      for (let i = 0; i < rows; i++) v[row + i] = read(bytes, starts[at + i]!, ends[at + i]!)
    },
  }
}

/** Strings that stay in the file's bytes. */
const strings = (n: number, bytes: Uint8Array): Column => {
  const parts = { of: new Chars(bytes), starts: budget.unfilledInts(n), ends: budget.unfilledInts(n) }
  return {
    value: () => (n === 0 ? new List([]) : listOf(parts)),
    fill: (_, { starts, ends, at }, row, rows) => {
      parts.starts.set(starts.subarray(at, at + rows), row)
      parts.ends.set(ends.subarray(at, at + rows), row)
    },
  }
}

type ColumnOf = (n: number, bytes: Uint8Array, interned: Interned) => Column
const kinds: ReadonlyMap<string, ColumnOf> = new Map<string, ColumnOf>([
  ["I", (n) => numbers(-1, n, readIntIn)],
  ["F", (n) => numbers(-2, n, readFloatIn)],
  ["S", (n, _, interned) => numbers(-4, n, (bytes, from, to) => interned.trimmed(bytes, from, to))],
  ["C", strings],
])

const columnOf = (type: string, n: number, bytes: Uint8Array, interned: Interned): Column => {
  const kind = kinds.get(type)
  if (kind === undefined) throw new KError("domain", { what: "field", type })
  return kind(n, bytes, interned)
}

/** The columns of the next n lines, which are not cut yet. Calls `quotesCut` when a field was cut inside quotes. */
const columns = (types: string, cut: Cut, n: number, quotesCut?: () => void): List => {
  const interned = new Interned()
  const all = Array.from(types, (type) => {
    budget.tick()
    return type === " " ? undefined : columnOf(type, n, cut.bytes, interned)
  })
  for (let row = 0; row < n; row += cut.step) {
    const rows = Math.min(cut.step, n - row)
    cut.rows(rows)
    all.forEach((column, i) => {
      if (column === undefined) return
      budget.tick(rows)
      column.fill(cut.bytes, cut.places(i), row, rows)
    })
  }
  if (cut.cutQuotes) quotesCut?.()
  return new List(all.flatMap((column) => (column === undefined ? [] : [column.value()])))
}

const FIELDS = "fields are told by a string of types and a separator, or widths"

/** The columns of the lines in a file's bytes, or (names;columns) when the first line has the names. */
export const table = (types: Value, how: Value, bytes: Uint8Array, quotesCut?: () => void): Value => {
  const letters = textOf(types)
  if (letters === undefined || typeof how === "number") throw wrongType(FIELDS, types, how)
  const lines = countLines(bytes)
  switch (how.t) {
    case 3:
      return columns(letters, new Cut(bytes, letters.length, how.v), lines, quotesCut)
    case -3: {
      if (how.v.length !== 1) throw new KError("length", "a separator is one char")
      const cut = new Cut(bytes, letters.length, how.v[0]!)
      cut.rows(Math.min(1, lines))
      const names = [...letters].flatMap((type, i) => {
        budget.tick()
        if (type === " ") return []
        const { starts, ends, at } = cut.places(i)
        return [sym(lines === 0 ? "" : text(bytes.subarray(starts[at], ends[at])).trim()).id]
      })
      return new List([new Symbols(Int32Array.from(names)), columns(letters, cut, Math.max(0, lines - 1), quotesCut)])
    }
    case -1:
      if (how.v.length !== letters.length) throw new KError("length", "one width for each field")
      if (how.v.some((width) => width < 0)) throw new KError("domain", "a negative width")
      return columns(letters, new Cut(bytes, letters.length, how.v), lines)
    default:
      throw wrongType(FIELDS, types, how)
  }
}
