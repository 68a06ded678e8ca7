/**
 * Builds a text: bytes in one growing array, turned into a string once.
 *
 * Guarantees: appending is linear in total, paid for in steps, and its memory is announced to the budget.
 */
import * as budget from "../run/budget.ts"
import { text } from "./value.ts"

/** Bytes of the longest int, `-2147483647`. */
const INT_BYTES = 11

export class TextBuffer {
  private bytes: Uint8Array = new Uint8Array(128)
  private at = 0

  /** Makes room for `n` more bytes. */
  private room(n: number): void {
    if (this.at + n <= this.bytes.length) return
    const size = Math.max(2 * this.bytes.length, this.at + n)
    const wider = budget.unfilledBytes(size)
    wider.set(this.bytes.subarray(0, this.at))
    this.bytes = wider
  }

  byte(b: number): void {
    this.room(1)
    this.bytes[this.at++] = b
  }

  /** Appends a byte string. */
  put(s: string): void {
    const n = s.length
    budget.tick(1 + (n >> 3))
    this.room(n)
    for (let i = 0; i < n; i++) this.bytes[this.at + i] = s.charCodeAt(i)
    this.at += n
  }

  /** Appends the digits of an int32, without making a JavaScript string. */
  int(x: number): void {
    budget.tick()
    this.room(INT_BYTES)
    if (x < 0) {
      this.bytes[this.at++] = 45
      x = -x
    }
    let end = this.at + 1
    for (let bound = 10; bound <= x; bound *= 10) end++
    this.at = end
    do {
      const tenth = (x / 10) | 0
      this.bytes[--end] = 48 + x - 10 * tenth
      x = tenth
    } while (x > 0)
  }

  toString(): string {
    return text(this.bytes.subarray(0, this.at))
  }
}
