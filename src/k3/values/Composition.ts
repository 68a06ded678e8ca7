/** Trains: functions that are one after the other. */
import { type Applicable, besides, MadeFunction, Projection } from "./function.ts"
import { tick } from "../run/budget.ts"
import type { Kernel } from "../run/kernel.ts"
import { Derived } from "./Derived.ts"
import type { Value } from "./value.ts"
import { Verb } from "./Verb.ts"

/** A train `f g h` as one function: the last part takes the arguments, each other part the result of the part after it. */
export class Composition extends MadeFunction {
  readonly parts: readonly Applicable[]
  constructor(parts: readonly [Applicable, ...Applicable[]]) {
    super()
    // Trains among the parts are flattened: text and calls would nest deeper with each part that is added. A train that waits for a second
    // argument stays: flat, it would be another function.
    this.parts = parts.flatMap((part) => (part instanceof Composition && !part.waits(1) ? part.parts : [part]))
    tick(this.parts.length)
  }
  get valence(): number {
    return this.last.valence
  }
  protected makeText(): string {
    const last = this.parts.length - 1
    let afterNoun = false
    return besides(
      this.parts.map((part, i) => {
        const isVerb = part instanceof Verb || part instanceof Derived
        // A verb would take a noun before it for its left argument, and `+` before another part would be `+:`.
        const isNoun = isVerb && i < last && (afterNoun || (part instanceof Verb && part.forced !== undefined))
        afterNoun = isNoun || !(isVerb || (part instanceof Projection && part.section))
        return isNoun || part instanceof Composition ? `(${part.text})` : part.text
      }),
    )
  }
  override get plain(): string {
    return besides(this.parts.map((part) => part.glyph))
  }
  override get operand(): string {
    return `(${this.text})`
  }
  private onward(x: Value, k: Kernel): Value {
    for (let i = this.parts.length - 2; i >= 0; i--) {
      tick()
      x = this.parts[i]!.call1(x, k)
    }
    return x
  }
  private get last(): Applicable {
    return this.parts[this.parts.length - 1]!
  }
  override waits(given: number): boolean {
    return this.last.waits(given)
  }
  call1(x: Value, k: Kernel): Value {
    return this.waits(1) ? new Projection(this, [x]) : this.onward(this.last.call1(x, k), k)
  }
  call2(x: Value, y: Value, k: Kernel): Value {
    return this.waits(2) ? new Projection(this, [x, y]) : this.onward(this.last.call2(x, y, k), k)
  }
  protected callMany(args: readonly Value[], k: Kernel): Value {
    return this.waits(args.length) ? new Projection(this, args) : this.onward(this.last.call(args, k), k)
  }
}
