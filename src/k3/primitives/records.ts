/**
 * Reads records from bytes: `(types;widths)1:f`.
 *
 * Guarantees: one typed column for each letter of types, least byte first: c a char, b s i ints of 1, 2 and 4 bytes, f d floats of 4 and 8; C strings
 * and S symbols of as many bytes as their width, a symbol ending at a zero byte and without blanks around it; a blank skips bytes. Does not: guess;
 * other widths, or bytes left after the last record, are a length error.
 */
import * as budget from "../run/budget.ts"
import { KError } from "../run/KError.ts"
import { listed } from "../run/Results.ts"
import { Chars, List, sym, text, vectorOf, type Value, type Vector } from "../values/value.ts"

/** Bytes of the types with a fixed width. */
const SIZES: ReadonlyMap<string, number> = new Map([
  ["c", 1],
  ["b", 1],
  ["s", 2],
  ["i", 4],
  ["f", 4],
  ["d", 8],
])

/** A vector of type code t, read at the offset of each record. */
const vector = (t: number, count: number, start: number, step: number, read: (at: number) => number): Vector => {
  const out = vectorOf(t, count)
  budget.filledBy(out.v, (row) => read(start + row * step))
  return out
}

const symbolIn = (bytes: Uint8Array): number => {
  const end = bytes.indexOf(0)
  return sym(text(end < 0 ? bytes : bytes.subarray(0, end)).trim()).id
}

export const records = (letters: string, widths: Int32Array, bytes: Uint8Array): Value => {
  const step = widths.reduce((sum, width) => sum + width, 0)
  if (widths.length !== letters.length) throw new KError("length", "one width for each field")
  if (widths.some((width) => width <= 0)) throw new KError("length", "a field has a byte or more")
  if (bytes.length % step !== 0) throw new KError("length", { what: "records", bytes: bytes.length, record: step })
  const count = bytes.length / step
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let start = 0
  const column = (type: string, at: number, width: number): Value => {
    if ((SIZES.get(type) ?? width) !== width) throw new KError("length", { what: "field", type, bytes: SIZES.get(type) })
    const field = (place: number): Uint8Array => bytes.slice(place, place + width)
    switch (type) {
      case "c":
        return vector(-3, count, at, step, (place) => bytes[place]!)
      case "b":
        return vector(-1, count, at, step, (place) => view.getInt8(place))
      case "s":
        return vector(-1, count, at, step, (place) => view.getInt16(place, true))
      case "i":
        return vector(-1, count, at, step, (place) => view.getInt32(place, true))
      case "f":
        return vector(-2, count, at, step, (place) => view.getFloat32(place, true))
      case "d":
        return vector(-2, count, at, step, (place) => view.getFloat64(place, true))
      case "S":
        return vector(-4, count, at, step, (place) => symbolIn(field(place)))
      case "C":
        return listed(count, (row) => new Chars(field(at + row * step)), 64 + width)
      default:
        throw new KError("domain", { what: "field", type })
    }
  }
  return new List(
    [...letters].flatMap((type, i) => {
      const at = start
      start += widths[i]!
      return type === " " ? [] : [column(type, at, widths[i]!)]
    }),
  )
}
