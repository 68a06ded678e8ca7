/** The primitives as values of K. A verb has its rows, and calls the functions in them. */
import { Applicable, project } from "./function.ts"
import type { DyadRow, MonadRow } from "../primitives/Row.ts"
import type { Dyad, Kernel, Monad } from "../run/kernel.ts"
import { surplus } from "../run/mismatch.ts"
import type { Value } from "./value.ts"

/** `@ . ?` with three or four arguments, a verb of its own. */
export type Polyad = (args: readonly Value[], k: Kernel) => Value

/** The rows of a verb, by the number of its arguments. */
export interface VerbRows {
  readonly monad?: MonadRow | undefined
  readonly dyad?: DyadRow | undefined
}

/** A primitive. `+` has monad and dyad, and takes two arguments when applied as a noun; `+:` has the monad alone. */
export class Verb extends Applicable {
  readonly valence: number
  readonly monad: Monad | undefined
  readonly dyad: Dyad | undefined
  constructor(
    readonly text: string,
    readonly rows: VerbRows,
    /** `_ssr` has valence 3; `@ . ?` take up to 4 arguments. */
    readonly polyad?: Polyad,
    /** Of a glyph: the verb with a colon, the monad alone. Without it, one argument chooses the monad. */
    readonly forced?: Verb,
  ) {
    super()
    this.monad = rows.monad?.run
    this.dyad = rows.dyad?.run
    this.valence = this.dyad !== undefined ? 2 : this.monad !== undefined ? 1 : 3
  }
  override get most(): number {
    return this.polyad === undefined ? this.valence : 4
  }
  /** `+` of `+` and of `+:`. */
  override get glyph(): string {
    return (this.rows.monad ?? this.rows.dyad)?.glyph ?? this.text
  }
  call1(x: Value, k: Kernel): Value {
    if (this.monad !== undefined && this.forced === undefined) return this.monad(x, k)
    return project(this, [x])
  }
  call2(x: Value, y: Value, k: Kernel): Value {
    if (this.dyad !== undefined) return this.dyad(x, y, k)
    return project(this, [x, y])
  }
  protected callMany(args: readonly Value[], k: Kernel): Value {
    if (this.polyad !== undefined) return this.polyad(args, k)
    throw surplus(args.length, this.valence)
  }
}
