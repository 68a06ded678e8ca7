/** The shape of the primitives table: one row a verb and valence, one row a system name. The rows are documents as much as code. */
import type { Dyad, Kernel, Monad } from "../run/kernel.ts"
import type { Value } from "../values/value.ts"

/** How a verb treats the structure of its arguments. */
export type VerbClass = "atomic" | "list" | "search" | "order" | "text" | "apply" | "tree" | "file" | "math" | "time" | "system"

interface Document {
  /** As written: `+`, `_ssr`, `0:`. */
  readonly glyph: string
  /** English name, as the K manual has it: `flip`, `plus`. */
  readonly name: string
  readonly class: VerbClass
  /** One sentence. */
  readonly doc: string
  /** K text and exactly what the console prints for it; each is run as a test. Statements in one example are separated by newlines. */
  readonly examples: readonly (readonly [code: string, prints: string])[]
  /**
   * True when the result never is, nor holds, an argument or an item of one: reading a variable only to pass it here does not end
   * the variable's ownership of its value, so that it can still be amended in place.
   */
  readonly fresh?: boolean
}

export interface MonadRow extends Document {
  readonly valence: 1
  readonly run: Monad
}
export interface DyadRow extends Document {
  readonly valence: 2
  readonly run: Dyad
}
/** `_t`, `_d`: read like a name. */
export interface NounRow extends Document {
  readonly valence: 0
  readonly run: (k: Kernel) => Value
}
/** `_ssr[s;p;r]`. */
export interface TriadRow extends Document {
  readonly valence: 3
  readonly run: (x: Value, y: Value, z: Value, k: Kernel) => Value
}

export type VerbRow = MonadRow | DyadRow
export type SystemRow = NounRow | MonadRow | DyadRow | TriadRow
