/**
 * Statements in their order, and control words, to lines of JavaScript.
 *
 * Guarantees: a loop pays a step a turn; what is long is made functions of its own, so that it can be stopped in between. Does not: write
 * expressions (`generate.ts`).
 */
import { Assignments } from "./assignment.ts"
import type { Items, Node } from "../syntax/ast.ts"
import { KError, type Span } from "../run/KError.ts"

export abstract class Control extends Assignments {
  /** `dropped`: nobody uses the result. */
  protected abstract monad(node: Node & { readonly kind: "monad" }, dropped?: boolean): string
  protected abstract apply(node: Node & { readonly kind: "apply" }, dropped?: boolean): string

  /** Emits all; gives the value of the last. */
  sequence(statements: Items): string {
    this.block(statements.slice(0, -1))
    const node = statements.at(-1)
    return node === undefined ? this.rt("N") : this.expression(node)
  }

  private statement(node: Node | undefined): void {
    if (node === undefined) return
    if (node.kind === "assign") this.assign(node, false)
    else if (node.kind === "control") this.control(node.word, node.args, node.span, false)
    else if (node.kind === "monad") this.monad(node, true)
    else if (node.kind === "apply") this.apply(node, true)
    else this.expression(node)
  }

  private condition(node: Node | undefined, span: Span): string {
    if (node === undefined) throw new KError("parse")
    const c = this.expression(node)
    return `typeof ${c}==="number"?${c}!==0:(${this.at(span)},${this.rt("truth")}(${c}))`
  }

  protected control(word: "cond" | "if" | "while" | "do", args: Items, span: Span, wanted: boolean): string {
    const [first, ...body] = args
    switch (word) {
      case "cond":
        return this.cond(args, span, wanted)
      case "if":
        this.emit(`if(${this.condition(first, span)}){`)
        this.block(body)
        this.emit("}")
        break
      case "while":
        this.emit("for(;;){")
        this.loops++
        this.emit(`if(!(${this.condition(first, span)}))break;${this.rt("tick")}(1);`)
        this.loops--
        this.loop(body)
        this.emit("}")
        break
      case "do": {
        const n = this.expression(first!)
        const limit = this.called(span, `${this.rt("times")}(${n})`)
        const i = `t${this.temps++}`
        this.emit(`for(${i}=0;${i}<${limit};${i}++){${this.rt("tick")}(1);`)
        this.loop(body)
        this.emit("}")
      }
    }
    return this.rt("N")
  }

  private block(statements: Items): void {
    let from = this.here
    for (const node of statements) {
      this.statement(node)
      const piece = this.apart(from, () => "0")
      if (piece === undefined) continue
      this.emit(`${piece};`)
      from = this.here
    }
  }
  private loop(statements: Items): void {
    this.loops++
    this.block(statements)
    this.loops--
  }

  private cond(args: Items, span: Span, wanted: boolean): string {
    const t = wanted ? `t${this.temps++}` : ""
    const branch = (node: Node | undefined): void => {
      if (!wanted) this.statement(node)
      else this.emit(`${t}=${node === undefined ? this.rt("N") : this.expression(node)};`)
    }
    // One after the other and not each within the one before: the host takes no more than some thousand of those.
    const label = `b${this.program.fresh()}`
    this.emit(`${label}:{`)
    let i = 0
    for (; i + 1 < args.length; i += 2) {
      this.emit(`if(${this.condition(args[i], span)}){`)
      branch(args[i + 1])
      this.emit(`break ${label};}`)
    }
    branch(i < args.length ? args[i] : undefined)
    this.emit("}")
    return wanted ? t : this.rt("N")
  }
}
