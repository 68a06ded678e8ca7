/**
 * Finds the keys of a dictionary.
 *
 * Guarantees: finding a key takes the same time however many there are; of equal keys the last is found; growing can be interrupted, unlike that of
 * a `Map`. Does not: hold the keys.
 */
import { inBlocks } from "../run/budget.ts"

/** A symbol; no two have the same id. */
interface Key {
  readonly id: number
}

/** A hash table, at most half full. An entry is the position of a key plus one, or 0. */
export class KeyTable {
  private table: Int32Array
  constructor(private readonly keys: readonly Key[]) {
    this.table = this.sized(keys.length)
  }

  private sized(n: number): Int32Array {
    const table = new Int32Array(1 << Math.max(4, 33 - Math.clz32(n)))
    inBlocks(n, (i) => (table[this.slot(table, this.keys[i]!)] = i + 1))
    return table
  }

  /** The table index of the key, or of the free entry for it. */
  private slot(table: Int32Array, key: Key): number {
    const mask = table.length - 1
    let slot = (Math.imul(key.id, 0x9e3779b1) >>> 7) & mask
    for (let at = table[slot]!; at !== 0 && this.keys[at - 1] !== key; at = table[slot]!) slot = (slot + 1) & mask
    return slot
  }

  /** The position of a key, or -1. */
  of(key: Key): number {
    return this.table[this.slot(this.table, key)]! - 1
  }

  /** Records a key that is about to be appended. */
  add(key: Key): void {
    const n = this.keys.length + 1
    if (n * 2 > this.table.length) this.table = this.sized(this.keys.length)
    this.table[this.slot(this.table, key)] = n
  }
}
