/**
 * One function being compiled: its program, its names, its code, and the way its nodes are compiled.
 *
 * Guarantees: operands are evaluated right to left; an operand that a later one may change is copied. Does not: know the kinds of nodes.
 * `expressions.ts` does, and passes itself as `CompileNode`, since expressions contain expressions.
 */
import type { Code } from "./Code.ts"
import type { Operand, Use } from "./Operand.ts"
import type { Program } from "./Program.ts"
import type { Scope } from "./Scope.ts"
import type { ItemNodes, Node } from "../syntax/ast.ts"
import { assigns } from "../syntax/scope.ts"

/** Writes the code that evaluates a node; gives the operand of its value. */
export type CompileNode = (fn: FunctionBuilder, node: Node, use: Use) => Operand

/** The function of `_f`, as its own code uses it: its value, its JavaScript function, its valence, its statements. */
export interface Self {
  readonly value: Operand
  readonly run: string
  readonly valence: number
  readonly body: ItemNodes
}

export class FunctionBuilder {
  constructor(
    readonly scope: Scope,
    readonly code: Code,
    /** Undefined at the top level. */
    readonly self: Self | undefined,
    readonly compileNode: CompileNode,
  ) {}

  get program(): Program {
    return this.code.program
  }

  /** The operand of a node. `mayChange`: may code that runs before the value is used assign a local? */
  operand(node: Node, use: Use = "kept", mayChange: () => boolean = () => false): Operand {
    const x = this.compileNode(this, node, use)
    return x.kind === "local" && mayChange() ? this.code.temporary(x.js) : x
  }

  /** Evaluates items from right to left and passes each to `each`; an elided item is undefined. `mayChange`: may code after them assign a local? */
  fromRight(nodes: ItemNodes, each: (x: Operand | undefined, i: number) => void, mayChange: () => boolean = () => false): void {
    const assigning = nodes.findIndex(assigns)
    for (let i = nodes.length - 1; i >= 0; i--) {
      const node = nodes[i]
      each(node && this.operand(node, "kept", () => (assigning >= 0 && assigning < i) || mayChange()), i)
    }
  }

  operands(nodes: ItemNodes, mayChange?: () => boolean): readonly (Operand | undefined)[] {
    const out = new Array<Operand | undefined>(nodes.length).fill(undefined)
    this.fromRight(nodes, (x, i) => void (out[i] = x), mayChange)
    return out
  }
}
