/**
 * Tables out of text: the fields of `(types;separator)0:f` and `(types;widths)0:f`.
 *
 * Guarantees: one typed column for each letter of types: I ints, F floats, S symbols, C strings; a blank passes a field over. What a field
 * cannot be read as, or a line that is too short lacks, is a null. Blanks around a symbol are dropped, those of a string kept.
 * Does not: know quotes; a separator always separates.
 */
import * as budget from "../run/budget.ts"
import { KError } from "../run/KError.ts"
import { wrongType } from "../run/mismatch.ts"
import { holding } from "../run/roots.ts"
import { type Chars, chars, List, sym, Symbols, text, textOf, type Value, vectorOf } from "../values/value.ts"
import { readFloat, readInt } from "./reading.ts"

/** How a line is cut: the text of its field number i. */
type Cut = (line: string) => (i: number) => string

const separated =
  (separator: string): Cut =>
  (line) => {
    const fields = line.split(separator)
    return (i) => fields[i] ?? ""
  }

const fixed = (widths: readonly number[]): Cut => {
  let end = 0
  const ends = widths.map((w) => (end += w))
  return (line) => (i) => line.slice(ends[i]! - widths[i]!, ends[i])
}

/** A column that is filled row by row. */
interface Column {
  readonly value: Value
  readonly put: (row: number, field: string) => void
}

const columnOf = (type: string, n: number): Column => {
  switch (type) {
    case "I": {
      const value = vectorOf(-1, n)
      return { value, put: (row, field) => (value.v[row] = readInt(field)) }
    }
    case "F": {
      const value = vectorOf(-2, n)
      return { value, put: (row, field) => (value.v[row] = readFloat(field)) }
    }
    case "S": {
      const value = vectorOf(-4, n)
      return { value, put: (row, field) => (value.v[row] = sym(field.trim()).id) }
    }
    case "C": {
      budget.alloc(64 * n)
      const value = new List(new Array<Value>(n))
      return { value, put: (row, field) => (value.v[row] = chars(field)) }
    }
    default:
      throw new KError("domain", { what: "field", type })
  }
}

/** Of the lines from number `first` on. */
const columns = (types: string, lines: readonly Chars[], first: number, cut: Cut): List => {
  const n = Math.max(0, lines.length - first)
  const all = Array.from(types, (type) => (type === " " ? undefined : columnOf(type, n)))
  holding(all, () => {
    for (let row = 0; row < n; row++) {
      const { v } = lines[first + row]!
      budget.tick(v.length + types.length)
      const field = cut(text(v))
      all.forEach((column, i) => column?.put(row, field(i)))
    }
  })
  return new List(all.flatMap((column) => (column === undefined ? [] : [column.value])))
}

const FIELDS = "fields are told by a string of types and a separator, or widths"

/** The columns of lines, or (names;columns) when the first line holds the names. */
export const table = (types: Value, how: Value, lines: readonly Chars[]): Value => {
  const letters = textOf(types)
  if (letters === undefined || typeof how === "number") throw wrongType(FIELDS, types, how)
  switch (how.t) {
    case 3:
      return columns(letters, lines, 0, separated(String.fromCharCode(how.v)))
    case -3: {
      if (how.v.length !== 1) throw new KError("length", "a separator is one char")
      const cut = separated(text(how.v))
      const header = cut(text(lines[0]?.v ?? how.v.subarray(1)))
      const names = [...letters].flatMap((type, i) => (type === " " ? [] : [sym(header(i).trim()).id]))
      return new List([new Symbols(Int32Array.from(names)), columns(letters, lines, 1, cut)])
    }
    case -1:
      if (how.v.length !== letters.length) throw new KError("length", "one width for each field")
      if (how.v.some((width) => width < 0)) throw new KError("domain", "a negative width")
      return columns(letters, lines, 0, fixed([...how.v]))
    default:
      throw wrongType(FIELDS, types, how)
  }
}
