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
import { chars, Floats, Ints, List, sym, Symbols, text, textOf, type Value } from "../values/value.ts"
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

const column = (type: string, fields: readonly string[]): Value => {
  switch (type) {
    case "I":
      return new Ints(Int32Array.from(fields, readInt))
    case "F":
      return new Floats(Float64Array.from(fields, readFloat))
    case "S":
      return new Symbols(Int32Array.from(fields, (field) => sym(field.trim()).id))
    case "C":
      return new List(fields.map(chars))
    default:
      throw new KError("domain", { what: "field", type })
  }
}

const columns = (types: string, lines: readonly string[], cut: Cut): Value[] => {
  budget.alloc(64 * lines.length * types.length)
  const fields = lines.map((line) => {
    budget.tick(line.length)
    return cut(line)
  })
  return [...types].flatMap((type, i) =>
    type === " "
      ? []
      : [
          column(
            type,
            fields.map((field) => {
              budget.tick()
              return field(i)
            }),
          ),
        ],
  )
}

const FIELDS = "fields are told by a string of types and a separator, or widths"

/** The columns of lines, or (names;columns) when the first line holds the names. */
export const table = (types: Value, how: Value, lines: List): Value => {
  const letters = textOf(types)
  if (letters === undefined || typeof how === "number") throw wrongType(FIELDS, types, how)
  const texts = lines.v.map((line) => text((line as { readonly v: Uint8Array }).v))
  switch (how.t) {
    case 3:
      return new List(columns(letters, texts, separated(String.fromCharCode(how.v))))
    case -3: {
      if (how.v.length !== 1) throw new KError("length", "a separator is one char")
      const cut = separated(text(how.v))
      const header = cut(texts[0] ?? "")
      const names = [...letters].flatMap((type, i) => (type === " " ? [] : [sym(header(i).trim()).id]))
      return new List([new Symbols(Int32Array.from(names)), new List(columns(letters, texts.slice(1), cut))])
    }
    case -1:
      if (how.v.length !== letters.length) throw new KError("length", "one width for each field")
      if (how.v.some((width) => width < 0)) throw new KError("domain", "a negative width")
      return new List(columns(letters, texts, fixed([...how.v])))
    default:
      throw wrongType(FIELDS, types, how)
  }
}
