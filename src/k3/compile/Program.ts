/**
 * One generated program: its parameters, its functions, and the pieces that are compiled when they are reached.
 *
 * Guarantees: each value, cell and runtime function is one parameter however often it is used; there may be more of them than the host allows
 * parameters. Does not: know K; `Code` writes the functions.
 */
import type { Context } from "./Context.ts"
import { constant, type Operand } from "./Operand.ts"
import { runtime, type RuntimeName } from "./runtime.ts"
import type { Cell } from "../tree/Directory.ts"
import type { Value } from "../values/value.ts"

/** A function made of generated code. */
export type GeneratedFunction = (...values: unknown[]) => Value

/** Values with parameters of their own. Further values are in one list, since the host allows 65,534 parameters. */
const PARAMETERS = 1024

export class Program {
  private readonly more: unknown[] = []
  readonly parameters: string[] = ["M"]
  readonly values: unknown[] = [this.more]
  readonly cells = new Set<Cell>()
  /** Paths that the code reads through `V.lookup`. */
  readonly paths = new Set<string>()
  /** The code of functions, to be put before the code around them. */
  readonly hoisted: string[] = []
  private readonly named = new Map<unknown, string>()
  private readonly pieces: (string | GeneratedFunction)[] = []
  private readonly runPiece = (i: number, given: unknown): Value => this.piece(i)(...this.values, given)
  private functions = 0

  constructor(
    readonly context: Context,
    /** Names that functions contain: at the top level such a name is nil when it has no value, as in Kona. */
    readonly mentioned: Set<string>,
    /** Makes the function of a text. */
    private readonly make: (parameters: readonly string[], code: string) => GeneratedFunction,
  ) {}

  /** The code that reads the value: its name, or a place in `M`. */
  parameter(name: string, value: unknown): string {
    if (this.parameters.length > PARAMETERS) return `M[${this.more.push(value) - 1}]`
    this.parameters.push(name)
    this.values.push(value)
    return name
  }
  readonly runtime = (name: RuntimeName): string => this.object(runtime[name], name)
  get nil(): Operand {
    return constant(this.runtime("N"))
  }
  /** The parameter of a value or function; each has one. */
  object(value: unknown, name = `L${this.named.size}`): string {
    let known = this.named.get(value)
    if (known === undefined) this.named.set(value, (known = this.parameter(name, value)))
    return known
  }
  /** The parameter of an int: statements that differ only in their numbers are then one program. */
  int(value: number): string {
    return this.object(value, `i${this.named.size}`)
  }
  cell(cell: Cell): string {
    const name = this.object(cell, `c${this.cells.size}`)
    this.cells.add(cell)
    return name
  }
  /** A number that is used nowhere else in the program. */
  unique(): number {
    return this.functions++
  }
  /**
   * The code that compiles and calls a piece when it is reached. The piece has the same parameters, and `S`, which sets the span to blame in the code
   * around it.
   */
  later(code: string): string {
    return `${this.object(this.runPiece, "Q")}(${this.pieces.push(code) - 1},n=>{p=n})`
  }
  private piece(i: number): GeneratedFunction {
    const piece = this.pieces[i]!
    return typeof piece === "string" ? (this.pieces[i] = this.make([...this.parameters, "S"], piece)) : piece
  }
}
