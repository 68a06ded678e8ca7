/**
 * Collects the results of a loop into the value that `collapse` would make of a list of them; atoms of one type go straight into a vector, many short
 * vectors into parts of one.
 *
 * Guarantees: memory is announced, and moved in pieces, so that interrupts and limits hold. Does not: pay for the loop itself.
 */
import { alloc, push, tick } from "./budget.ts"
import { hold, release } from "./roots.ts"
import { partsWriter, type PartsWriter } from "../values/PartsWriter.ts"
import { listOf, MANY } from "../values/Parts.ts"
import { EMPTY_LIST, item, List, stored, typeOf, vector, vectorOf, view, type Value, type Vector } from "../values/value.ts"

export class Results {
  /** The type of all results so far, when they are atoms of one of the four vector types; otherwise 0. */
  private t = 0
  private n = 0
  private v: Vector["v"] | undefined
  private parts: PartsWriter | undefined
  private items: Value[] | undefined

  private readonly place = hold(this)

  /** `length` results will be added. `x` is the loop's operand, held until `value` is called. */
  constructor(
    private readonly length: number,
    readonly x: unknown,
  ) {}

  add(x: Value): void {
    if (this.t > 0 && typeOf(x) === this.t) this.v![this.n++] = stored(x)
    else this.addOther(x)
  }

  private addOther(x: Value): void {
    if (this.n === 0 && this.items === undefined) {
      if (this.length >= MANY) this.parts = partsWriter(x)
      const t = typeOf(x)
      if (t >= 1 && t <= 4) {
        this.t = t
        this.v = vectorOf(t, this.length).v
        return this.add(x)
      }
    }
    if (this.parts?.fits(x) === true) this.parts.add(x)
    else push((this.items ??= this.spread()), x)
    this.n++
  }

  /** The results so far, as a list of items. */
  private spread(): Value[] {
    const so = this.collected()
    this.t = 0
    this.v = this.parts = undefined
    alloc((this.n === 0 ? 8 : 24) * this.length)
    return listed(this.n, (i) => item(so, i)).v
  }

  private collected(): Vector | List {
    if (this.parts !== undefined) return listOf(this.parts.parts())
    return this.v === undefined ? EMPTY_LIST : vector(-this.t, view(this.v, 0, this.n))
  }

  /** The value, after the last result. */
  value(): Vector | List {
    release(this.place)
    return this.items === undefined ? this.collected() : new List(trimmed(this.items))
  }
}

/** Items for which the engine makes room in an array that grows from nothing. */
const ROOM = 17

/** A short list without its spare room, which would be most of it. */
const trimmed = (items: Value[]): Value[] => (items.length < ROOM ? items.slice() : items)

/** The results of `f` for each index below n; pays a step for each. */
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

/** The results of `f` as a list, also when they are atoms of one type. `bytes`: memory that a result takes. */
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
