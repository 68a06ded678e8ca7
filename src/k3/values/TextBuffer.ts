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
  protected bytes: Uint8Array
  protected at = 0

  /** `size`: an estimate of its bytes. */
  constructor(size = 128) {
    this.bytes = budget.unfilledBytes(Math.max(64, size))
  }

  /** Makes room for `n` more bytes. */
  protected room(n: number): void {
    if (this.at + n <= this.bytes.length) return
    const wider = budget.unfilledBytes(Math.max(2 * this.bytes.length, this.at + n))
    this.bytes = budget.transfer(wider, 0, this.bytes, 0, this.at)
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
