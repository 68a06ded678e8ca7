/** The interpreter, as verbs use it: to apply functions, read variables and reach the host. */
import type { Host } from "../Host.ts"
import type { Value } from "../values/value.ts"

/** Globals by path (`a`, `.k.a.b`, `d.x`), relative to the current directory. */
export interface Globals {
  /** `undefined` when the path has no value. */
  find(path: string): Value | undefined
  /** As `find`; throws a value error when the path has no value. */
  lookup(path: string): Value
  /** The names in a directory or dictionary; `undefined` for anything else. */
  namesIn(path: string): readonly string[] | undefined
  /** `.[path;places;f;y]`: without `f` the places are replaced, without `y` it is monadic. */
  amend(path: string, places: readonly Value[], f: Value | undefined, y: Value | undefined): Value
}

/** The variable amended last, and the index: `_v` and `_i` of triggers. */
export interface Amended {
  readonly variable: string
  readonly index: Value
}

export interface Kernel {
  readonly host: Host
  readonly variables: Globals
  /** `f . args`: applies a function, or indexes data, with all of K's rules for projection. */
  apply(f: Value, args: readonly Value[]): Value
  /** Evaluates K text in the current directory and gives the value of its last statement: `."…"`. It reads and writes `locals` in place of globals. */
  execute(code: string, locals?: ReadonlyMap<string, Value>): Value
  /**
   * The function that a text denotes, with its globals in a directory; it captures `locals` in place of globals. `undefined` when evaluating the text
   * would do more than make a function.
   */
  functionOf(code: string, path: string, locals?: ReadonlyMap<string, Value>): Value | undefined
  /** `(0;result)`, or `(1;"error")` for an error of K other than an interrupt or a spent limit. */
  trap(run: () => Value): Value
  /** The current directory: `_d`. */
  readonly currentDirectory: string
  /** While a trigger runs: the path of the amended variable, and the amended index (`_v`, `_i`). */
  readonly amended?: Amended | undefined
  /** `\p`: significant digits, 0 meaning 17. */
  precision: number
  /** State of `_draw`, set by `\r`. */
  seed: number
}

export type Monad = (x: Value, k: Kernel) => Value
export type Dyad = (x: Value, y: Value, k: Kernel) => Value
