/** Functions written in K. Does not: compile them; `lambda.ts` of the compiler makes their JavaScript. */
import { Applicable, project } from "./function.ts"
import type { Kernel } from "../run/kernel.ts"
import { Dict, NIL, type Sym, type Value } from "./value.ts"

/** `{…}`. `run` is JavaScript made by the compiler; it takes exactly `valence` values, and after them true when the result is dropped. */
export class Lambda extends Applicable {
  constructor(
    readonly text: string,
    readonly valence: number,
    readonly run: (...args: (Value | boolean)[]) => Value,
    /** The directory of its globals, or the empty string when it names none; see `contexts.ts`. */
    readonly context: string,
    /** The locals of the function that made it that it captured, and their values. */
    private readonly names: readonly Sym[] = [],
    private readonly values: readonly Value[] = [],
  ) {
    super()
  }
  /** What it captured; undefined when its text alone makes it again. */
  get captured(): Dict | undefined {
    const { names, values } = this
    if (names.length > 0) return new Dict(names, values, Array<Value>(names.length).fill(NIL))
    return undefined
  }
  call1(x: Value, _k: Kernel): Value {
    return this.valence === 1 ? this.run(x) : this.valence === 0 ? this.run() : project(this, [x])
  }
  /** Calls it for its effect alone, with `valence` arguments. */
  drop(...args: Value[]): Value {
    return this.run(...args, true)
  }
  call2(x: Value, y: Value, _k: Kernel): Value {
    return this.valence === 2 ? this.run(x, y) : project(this, [x, y])
  }
  protected callMany(args: readonly Value[]): Value {
    return args.length === this.valence ? this.run(...args) : project(this, args)
  }
}
