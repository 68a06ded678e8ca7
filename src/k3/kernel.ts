/** What verbs that apply functions, read variables or reach the world ask of the interpreter they run in. */
import type { Host } from "./k3.ts"
import type { Value } from "./value.ts"

export interface Kernel {
  readonly host: Host
  /** `f . args`: applies a function, or indexes data, with all of K's rules for projection. */
  apply(f: Value, args: readonly Value[]): Value
  /** Evaluates K text in the current directory and gives the value of its last statement: `."…"`. */
  execute(code: string): Value
  /** The function that a text writes down; `undefined` when evaluating the text would do more than that. */
  functionOf(code: string): Value | undefined
  /** The value of a global by path (`a`, `.k.a.b`, `d.x`), relative to the current directory; throws `value`. */
  lookup(path: string): Value
  /** The same without the error. */
  find(path: string): Value | undefined
  assign(path: string, value: Value): void
  /**
   * Amends the global of that path: `.[path;places;f;y]`; `undefined` for f replaces, `undefined` for y makes f monadic. Gives what
   * is then at the places, if that is wanted: what can be interrupted comes before the variable is written.
   */
  amend(path: string, places: readonly Value[], f: Value | undefined, y: Value | undefined, wanted?: boolean): Value
  /** `(0;result)`, or `(1;"error")` for an error of K other than an interrupt or a spent limit. */
  trap(run: () => Value): Value
  /** The names in a directory of the tree, or undefined when there is none such. */
  namesIn(path: string): readonly string[] | undefined
  /** The current directory: `_d`. */
  readonly currentDirectory: string
  /** While a trigger runs: the path of the variable that was amended and the index it was amended at, `_v` and `_i`. */
  readonly amended?: { readonly variable: string; readonly index: Value } | undefined
  /** `\p`: significant digits, 0 meaning 17. */
  precision: number
  /** State of `_draw`, set by `\r`. */
  seed: number
}

export type Monad = (x: Value, k: Kernel) => Value
export type Dyad = (x: Value, y: Value, k: Kernel) => Value
