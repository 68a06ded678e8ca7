/**
 * The results of a loop as they come, to be one value: what `collapse` makes of them, without their standing in a list before.
 *
 * Guarantees: memory is announced and moved in pieces, so that an interrupt is heard and a limit holds. Does not: pay for the loop itself.
 */
import { alloc, tick } from "./budget.ts"
import { Char, Chars, EMPTY_LIST, Float, Floats, Ints, item, List, Sym, Symbols, typeOf, type Value, type Vector } from "./value.ts"

export class Results {
  /** The type of all results so far, when they are atoms of one of the four vector types; 0 when they are not. */
  private t = 0
  private n = 0
  private v: Int32Array | Float64Array | Uint8Array | undefined
  private items: Value[] | undefined

  /** `length` results are to come. */
  constructor(private readonly length: number) {}

  add(x: Value): void {
    const { v } = this
    if (typeof x === "number") {
      if (this.t === 1) {
        v![this.n++] = x
        return
      }
    } else if (x.t === this.t) {
      if (x instanceof Float || x instanceof Char) {
        v![this.n++] = x.v
        return
      }
      if (x instanceof Sym) {
        v![this.n++] = x.id
        return
      }
    }
    this.addOther(x)
  }

  private addOther(x: Value): void {
    if (this.n === 0 && this.items === undefined) {
      const t = typeOf(x)
      if (t >= 1 && t <= 4) {
        this.t = t
        const { length } = this
        alloc((t === 2 ? 8 : t === 3 ? 1 : 4) * length)
        this.v = t === 2 ? new Float64Array(length) : t === 3 ? new Uint8Array(length) : new Int32Array(length)
        this.add(x)
        return
      }
      alloc(8 * this.length)
      this.items = []
    }
    this.items ??= this.spread()
    this.items.push(x)
    this.n++
  }

  /** What came so far, item by item. */
  private spread(): Value[] {
    alloc(24 * this.length)
    const items: Value[] = []
    const so = this.vector(this.n)
    for (let i = 0; i < this.n; i++) {
      tick()
      items.push(item(so, i))
    }
    this.t = 0
    this.v = undefined
    return items
  }

  private vector(n: number): Vector {
    const v = n === this.length ? this.v! : this.v!.subarray(0, n)
    switch (this.t) {
      case 1:
        return new Ints(v as Int32Array)
      case 2:
        return new Floats(v as Float64Array)
      case 3:
        return new Chars(v as Uint8Array)
      default:
        return new Symbols(v as Int32Array)
    }
  }

  /** All of them, `length` having come. */
  value(): Value {
    if (this.n === 0) return EMPTY_LIST
    return this.items === undefined ? this.vector(this.n) : new List(this.items)
  }
}
