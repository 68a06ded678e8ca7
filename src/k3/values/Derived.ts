/** Verbs that an adverb derives from a function or from data. Does not: evaluate the six adverbs; `adverbs.ts` does. */
import { Applicable, isMonadic, Made, operand, Projection } from "./function.ts"
import type { Kernel } from "../run/kernel.ts"
import { KError } from "../run/KError.ts"
import type { Value } from "./value.ts"

/** An adverb: its function with one argument, with two, or with any number in brackets. */
export interface Adverb {
  readonly text: string
  /**
   * How many arguments a verb derived by it takes: `own`, as many as its function. `+/'x` folds each item, while `,/:\\:` hands pairs on: only
   * each-left and each-right take two always.
   */
  readonly valence: 1 | 2 | "own"
  one(f: Value, x: Value, k: Kernel): Value
  two(f: Value, x: Value, y: Value, k: Kernel): Value
  many(f: Value, args: readonly Value[], k: Kernel): Value
}

/** `f/`, `f'`, `f/:`, …; `f` may be data, which is then indexed. */
export class Derived extends Made {
  /** One argument is enough for most; adverbs on it go by this. */
  readonly valence: number
  /** `+/:`: one argument does nothing yet. */
  readonly paired: boolean
  constructor(
    readonly f: Value,
    readonly adverb: Adverb,
  ) {
    super()
    const own = f instanceof Applicable ? f.valence : 1
    this.valence = adverb.valence === "own" ? own : adverb.valence
    this.paired = adverb.valence === 2 && !isMonadic(f)
  }
  override get most(): number {
    return Infinity
  }
  override waits(given: number): boolean {
    return this.paired && super.waits(given)
  }
  protected spell(): string {
    return operand(this.f) + this.adverb.text
  }
  /** `+/:x`, nothing standing on its left. */
  prefix(x: Value, k: Kernel): Value {
    if (this.paired) throw new KError("valence", { what: "two-arguments", adverb: this.adverb.text })
    return this.adverb.one(this.f, x, k)
  }
  call1(x: Value, k: Kernel): Value {
    return this.paired ? new Projection(this, [x]) : this.adverb.one(this.f, x, k)
  }
  call2(x: Value, y: Value, k: Kernel): Value {
    return this.adverb.two(this.f, x, y, k)
  }
  protected callMany(args: readonly Value[], k: Kernel): Value {
    return this.adverb.many(this.f, args, k)
  }
}
