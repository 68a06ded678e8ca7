/** The interpreter, as generated code uses it. Types only. */
import type { Span } from "../run/KError.ts"
import type { Kernel } from "../run/kernel.ts"
import type { Cell } from "../tree/Directory.ts"
import type { Tree } from "../tree/tree.ts"
import type { Value } from "../values/value.ts"

/** A text that errors are blamed on: a statement or a function. */
export interface Unit {
  readonly source: string
  /** Indexed by the `p` of the generated code; the first is the whole. */
  readonly spans: readonly Span[]
  readonly name: string | undefined
}

export interface Context extends Kernel {
  readonly tree: Tree
  /** Calls now open, and how many there may be. */
  readonly depth: { n: number; max: number }
  /** Hears of calls and of variables written; without it nothing of the kind is compiled in. */
  readonly trace: Trace | undefined
  /** Adds a frame to an error on its way out; gives the error to throw. */
  blame(error: unknown, unit: Unit, p: number): unknown
}

export interface Trace {
  called(unit: Unit, args: readonly Value[]): void
  wrote(cell: Cell): void
}
