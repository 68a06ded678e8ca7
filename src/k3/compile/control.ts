/**
 * Sequences of statements, and control words.
 *
 * Guarantees: a loop pays a step per turn; a long block is cut into pieces, so that it can be interrupted between them. Does not: write expressions
 * (`expressions.ts`).
 */
import type { FunctionBuilder } from "./FunctionBuilder.ts"
import type { Operand, Use } from "./Operand.ts"
import type { CondNode, ItemNodes, LoopNode, Node } from "../syntax/ast.ts"
import type { Span } from "../run/KError.ts"

/** Writes the code of all statements; gives the operand of the last. */
export const sequence = (fn: FunctionBuilder, statements: ItemNodes, use: Use = "kept"): Operand => {
  block(fn, statements.slice(0, -1))
  const last = statements.at(-1)
  return last === undefined ? fn.program.nil : fn.operand(last, use)
}

const block = (fn: FunctionBuilder, statements: ItemNodes): void => {
  const { code } = fn
  let from = code.here
  for (const node of statements) {
    if (node !== undefined) fn.operand(node, "dropped")
    const piece = code.piece(from, () => "0")
    if (piece === undefined) continue
    code.line(`${piece};`)
    from = code.here
  }
}

const condition = (fn: FunctionBuilder, node: Node, span: Span): string => {
  const { js } = fn.operand(node)
  return `typeof ${js}==="number"?${js}!==0:(${fn.code.at(span)},${fn.program.runtime("truth")}(${js}))`
}

export const loopOrIf = (node: LoopNode, fn: FunctionBuilder): Operand => {
  const { code, program } = fn
  const { word, condition: first, body, span } = node
  const pay = (): string => `${program.runtime("tick")}(1);`
  if (word === "do") {
    const n = fn.operand(first)
    const limit = code.called(span, `${program.runtime("times")}(${n.js})`).js
    const i = code.unset().js
    code.line(`for(${i}=0;${i}<${limit};${i}++){${pay()}`)
  }
  const around = code.loops
  if (word === "if") code.line(`if(${condition(fn, first, span)}){`)
  else code.loops++
  if (word === "while") {
    code.line("for(;;){")
    code.line(`if(!(${condition(fn, first, span)}))break;${pay()}`)
  }
  block(fn, body)
  code.loops = around
  code.line("}")
  return program.nil
}

export const cond = ({ branches, otherwise, span }: CondNode, fn: FunctionBuilder, use: Use): Operand => {
  const { code, program } = fn
  const t = use === "dropped" ? undefined : code.unset()
  const branch = (node: Node | undefined): void => {
    if (t !== undefined) code.line(`${t.js}=${(node === undefined ? program.nil : fn.operand(node)).js};`)
    else if (node !== undefined) fn.operand(node, "dropped")
  }
  // A sequence of ifs, not nested ones: the host allows only some thousand levels.
  const label = `b${program.unique()}`
  code.line(`${label}:{`)
  for (const each of branches) {
    code.line(`if(${condition(fn, each.condition, span)}){`)
    branch(each.value)
    code.line(`break ${label};}`)
  }
  branch(otherwise)
  code.line("}")
  return t ?? program.nil
}
