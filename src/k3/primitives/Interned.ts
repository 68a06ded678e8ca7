/**
 * Symbols of fields in a file's bytes: a text is made into a string only when it is new.
 *
 * Guarantees: the number of the symbol whose text the bytes are. A text that comes again costs a look at a table and a comparison, but for the
 * first time after the table grew, when it costs as much as a new one.
 */
import { alloc, tick } from "../run/budget.ts"
import { isBlank } from "./reading.ts"
import { sym, symbolOf, text } from "../values/value.ts"

export class Interned {
  /** Numbers of symbols plus one, and the hash of their texts beside them, at most half full. */
  private numbers = new Int32Array(256)
  private hashes = new Int32Array(256)
  private held = 0

  /** Of the bytes without the blanks around them. */
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

  /** A larger table, empty: a text is noted in it when it comes again. */
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
