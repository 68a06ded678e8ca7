/**
 * One generated program: its parameters, its functions, and the pieces of it that are compiled when the code gets there.
 *
 * Guarantees: a value, a cell or a function of ours is one parameter however often it is used, and a program may have more of them than
 * the host takes. Does not: know K; `Code` writes the functions.
 */
import type { Context } from "./Context.ts"
import { constant, type Operand } from "./Operand.ts"
import { runtime, type RuntimeName } from "./runtime.ts"
import type { Cell } from "../tree/Directory.ts"
import type { Value } from "../values/value.ts"

/** A function made of generated code. */
export type Made = (...values: unknown[]) => Value

/** Values that are parameters of their own. Further ones are in one list, since the host takes 65,534. */
const PARAMETERS = 1024

export class Program {
  readonly parameters: string[] = []
  readonly values: unknown[] = []
  private readonly more: unknown[] = []
  readonly cells = new Set<Cell>()
  readonly assigned = new Set<Cell>()
  /** Read through `V.lookup`. */
  readonly paths = new Set<string>()
  /** Code of functions, to stand before the code around them. */
  readonly hoisted: string[] = []
  private readonly named = new Map<unknown, string>()
  private readonly pieces: (string | Made)[] = []
  private readonly runPiece = (i: number, given: unknown): Value => this.piece(i)(...this.values, given)
  private functions = 0

  constructor(
    readonly context: Context,
    /** Names met in functions: reading one of them at the top level is nil when it has no value, as Kona does. */
    readonly mentioned: Set<string>,
    /** Makes the function of a text. */
    private readonly make: (parameters: readonly string[], code: string) => Made,
  ) {}

  /** The text that reads the value: the name, or a place in `M`. */
  parameter(name: string, value: unknown): string {
    if (this.parameters.length > PARAMETERS) return `M[${this.more.push(value) - 1}]`
    if (this.parameters.length === PARAMETERS) {
      this.parameters.push("M")
      this.values.push(this.more)
      return this.parameter(name, value)
    }
    this.parameters.push(name)
    this.values.push(value)
    return name
  }
  readonly runtime = (name: RuntimeName): string => this.object(runtime[name], name)
  get nil(): Operand {
    return constant(this.runtime("N"))
  }
  /** A value or function as a parameter, once. */
  object(value: unknown, name = `L${this.named.size}`): string {
    let known = this.named.get(value)
    if (known === undefined) this.named.set(value, (known = this.parameter(name, value)))
    return known
  }
  /** An int as a parameter: statements that differ in their numbers alone are then one program. */
  int(value: number): string {
    return this.object(value, `i${this.named.size}`)
  }
  cell(cell: Cell): string {
    const name = this.object(cell, `c${this.cells.size}`)
    this.cells.add(cell)
    return name
  }
  /** A number that nothing else in the program has. */
  unique(): number {
    return this.functions++
  }
  /**
   * The text that makes a function of this code when it gets there, and calls it. The code sees the same parameters, and `S`, which sets the
   * place to blame around it.
   */
  later(code: string): string {
    return `${this.object(this.runPiece, "Q")}(${this.pieces.push(code) - 1},n=>{p=n})`
  }
  private piece(i: number): Made {
    const piece = this.pieces[i]!
    return typeof piece === "string" ? (this.pieces[i] = this.make([...this.parameters, "S"], piece)) : piece
  }
}
