/**
 * Collects the results of a loop into the value that `collapse` would make of a list of them; atoms of one type never stand in a list.
 *
 * Guarantees: memory is announced, and moved in pieces, so that an interrupt is heard and a limit holds. Does not: pay for the loop itself.
 */
import { alloc, push, tick } from "./budget.ts"
import { hold, release } from "./roots.ts"
import { Char, EMPTY_LIST, Float, item, List, Sym, typeOf, vector, vectorOf, view, type Value, type Vector } from "../values/value.ts"

export class Results {
  /** The type of all results so far, when they are atoms of one of the four vector types; 0 when they are not. */
  private t = 0
  private n = 0
  private v: Vector["v"] | undefined
  private items: Value[] | undefined

  private readonly place = hold(this)

  /** `length` results will come. They are made of x and y, which are held until the last has come. */
  constructor(
    private readonly length: number,
    readonly x: unknown,
    readonly y?: unknown,
  ) {}

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
        this.v = vectorOf(t, this.length).v
        this.add(x)
        return
      }
      alloc(8 * this.length)
      this.items = []
    }
    this.items ??= this.spread()
    push(this.items, x)
    this.n++
  }

  /** The results so far, item by item. */
  private spread(): Value[] {
    alloc(24 * this.length)
    const items: Value[] = []
    const so = this.vector(this.n)
    for (let i = 0; i < this.n; i++) {
      tick()
      push(items, item(so, i))
    }
    this.t = 0
    this.v = undefined
    return items
  }

  private vector(n: number): Vector {
    return vector(-this.t, view(this.v!, 0, n))
  }

  /** The value, when all results have come. */
  value(): Vector | List {
    release(this.place)
    if (this.n === 0) return EMPTY_LIST
    return this.items === undefined ? this.vector(this.n) : new List(trimmed(this.items))
  }
}

/** The engine gives an array that grows from nothing room for so many items. */
const ROOM = 17

/** Without the room of a short list, which would be most of it. */
const trimmed = (items: Value[]): Value[] => (items.length < ROOM ? items.slice() : items)

/** The results of `f` for each place below n, each paid for. */
export const gathered = (n: number, f: (i: number) => Value): Vector | List => {
  const out = new Results(n, f)
  for (let i = 0; i < n; i++) {
    tick()
    out.add(f(i))
  }
  return out.value()
}

/** The items of a vector or list, as a list. */
export const spread = (x: Vector | List): List => listed(x.v.length, (i) => item(x, i))

/** The same as a list that is never a vector; a result takes so many `bytes`. */
export const listed = (n: number, f: (i: number) => Value, bytes = 8): List => {
  alloc(bytes * n)
  const out: Value[] = []
  const place = hold(out)
  hold(f)
  for (let i = 0; i < n; i++) {
    tick()
    push(out, f(i))
  }
  release(place)
  return new List(trimmed(out))
}
