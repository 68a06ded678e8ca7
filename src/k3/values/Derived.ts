/** Verbs that an adverb derives from a function or from data. Does not: evaluate the six adverbs; `adverbs.ts` does. */
import { Applicable, isMonadic, MadeFunction, operand, Projection } from "./function.ts"
import type { Kernel } from "../run/kernel.ts"
import { KError } from "../run/KError.ts"
import type { Value } from "./value.ts"

/** An adverb: its function for one argument, for two, and for any number in brackets. */
export interface Adverb {
  readonly text: string
  /**
   * Arguments of a verb derived by it; `own`: as many as its function takes. `+/'x` folds each item, while `,/:\:` passes pairs on; only each-left
   * and each-right always take two.
   */
  readonly valence: 1 | 2 | "own"
  one(f: Value, x: Value, k: Kernel): Value
  two(f: Value, x: Value, y: Value, k: Kernel): Value
  many(f: Value, args: readonly Value[], k: Kernel): Value
}

/** `f/`, `f'`, `f/:`, …; an `f` that is data is indexed. */
export class Derived extends MadeFunction {
  /** The valence by which adverbs treat it. (Most derived verbs also take one argument.) */
  readonly valence: number
  /** True for `+/:` and similar: with one argument it waits for the second. */
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
  protected makeText(): string {
    return operand(this.f) + this.adverb.text
  }
  /** Applies it to x, with nothing on its left: `+/:x`. */
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
