/**
 * The symbols in a file's fields: a JavaScript string is made only for a text that is new.
 *
 * Guarantees: gives the id of the symbol whose text the bytes are. A known text costs one table look-up and one comparison; after the table has
 * grown, the first occurrence of a text costs as much as that of a new one.
 */
import { alloc, tick } from "../run/budget.ts"
import { isBlank } from "./reading.ts"
import { sym, symbolOf, text } from "../values/value.ts"

export class Interned {
  /** An open-addressed table of symbol ids plus one, with the hashes of their texts beside them, at most half full. */
  private numbers = new Int32Array(256)
  private hashes = new Int32Array(256)
  private held = 0

  /** The id of the symbol for these bytes, blanks at both ends dropped. */
  trimmed(bytes: Uint8Array, from: number, to: number): number {
    while (from < to && isBlank(bytes[from]!)) from++
    while (to > from && isBlank(bytes[to - 1]!)) to--
    let hash = to - from
    for (let i = from; i < to; i++) hash = Math.imul(hash ^ bytes[i]!, 0x01000193)
    const n = to - from
    if (n > 256) tick(n >> 3)
    const mask = this.numbers.length - 1
    let slot = (hash ^ (hash >>> 15)) & mask
    for (let known = this.numbers[slot]!; known !== 0; known = this.numbers[slot]!) {
      if (this.hashes[slot] === hash && isText(symbolOf(known - 1).text, bytes, from, n)) return known - 1
      slot = (slot + 1) & mask
    }
    const { id } = sym(text(bytes.subarray(from, to)))
    this.numbers[slot] = id + 1
    this.hashes[slot] = hash
    if (2 * ++this.held > mask) this.grow()
    return id
  }

  /** Makes a larger, empty table: a text enters it when it next occurs. */
  private grow(): void {
    const size = 2 * this.numbers.length
    alloc(8 * size)
    this.numbers = new Int32Array(size)
    this.hashes = new Int32Array(size)
    this.held = 0
  }
}

const isText = (known: string, bytes: Uint8Array, from: number, n: number): boolean => {
  if (known.length !== n) return false
  for (let i = 0; i < n; i++) if (known.charCodeAt(i) !== bytes[from + i]) return false
  return true
}
