/** The interpreter, as generated code uses it. Types only. */
import type { Span } from "../run/KError.ts"
import type { Kernel } from "../run/kernel.ts"
import type { Cell } from "../tree/Directory.ts"
import type { Tree } from "../tree/tree.ts"
import type { Value } from "../values/value.ts"

/** A text that errors are blamed on: a statement or a function. */
export interface Unit {
  readonly source: string
  /** Indexed by the `p` of the generated code; the first is the whole text. */
  readonly spans: readonly Span[]
  readonly name: string | undefined
}

export interface Context extends Kernel {
  readonly tree: Tree
  /** The number of open calls, and the most there may be. */
  readonly depth: { n: number; max: number }
  /** Receives calls and written variables; absent, no such code is generated. */
  readonly trace: Trace | undefined
  /** Adds a frame to an error; gives the error to throw. */
  blame(error: unknown, unit: Unit, p: number): unknown
}

export interface Trace {
  called(unit: Unit, args: readonly Value[]): void
  wrote(cell: Cell): void
}
