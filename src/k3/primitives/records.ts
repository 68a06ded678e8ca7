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

/** A type with a fixed width: its bytes, the type code of its column, and its number at an offset. */
interface Fixed {
  readonly size: number
  readonly t: number
  readonly read: (view: DataView, at: number) => number
}
const fixed: ReadonlyMap<string, Fixed> = new Map(
  Object.entries<Fixed>({
    c: { size: 1, t: -3, read: (view, at) => view.getUint8(at) },
    b: { size: 1, t: -1, read: (view, at) => view.getInt8(at) },
    s: { size: 2, t: -1, read: (view, at) => view.getInt16(at, true) },
    i: { size: 4, t: -1, read: (view, at) => view.getInt32(at, true) },
    f: { size: 4, t: -2, read: (view, at) => view.getFloat32(at, true) },
    d: { size: 8, t: -2, read: (view, at) => view.getFloat64(at, true) },
  }),
)

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
  /** A vector of type code t, read at the offset of each record. */
  const vector = (t: number, at: number, read: (view: DataView, at: number) => number): Vector => {
    const out = vectorOf(t, count)
    budget.filledBy(out.v, (row) => read(view, at + row * step))
    return out
  }
  const column = (type: string, at: number, width: number): Value => {
    const known = fixed.get(type)
    if (known !== undefined && known.size !== width) throw new KError("length", { what: "field", type, bytes: known.size })
    if (known !== undefined) return vector(known.t, at, known.read)
    const field = (place: number): Uint8Array => bytes.slice(place, place + width)
    if (type === "S") return vector(-4, at, (_, place) => symbolIn(field(place)))
    if (type === "C") return listed(count, (row) => new Chars(field(at + row * step)), 64 + width)
    throw new KError("domain", { what: "field", type })
  }
  return new List(
    [...letters].flatMap((type, i) => {
      const at = start
      start += widths[i]!
      return type === " " ? [] : [column(type, at, widths[i]!)]
    }),
  )
}
