/**
 * Every kind of expression. `compile.ts` explains generated code.
 *
 * Does not: write sequences and control words (`control.ts`), calls (`calls.ts`) or assignments (`assignment.ts`), or decide whether a name is local
 * (`Scope.ts`).
 */
import { assign } from "./assignment.ts"
import { apply, dyad, monad } from "./calls.ts"
import { cond, loopOrIf, sequence } from "./control.ts"
import type { CompileNode, FunctionBuilder } from "./FunctionBuilder.ts"
import { lambda } from "./lambda.ts"
import { array, constant, int, type Operand } from "./Operand.ts"
import { constantDerived } from "./shortcuts.ts"
import { readVariable } from "./variables.ts"
import type { Items } from "../syntax/ast.ts"
import { assigns } from "../syntax/scope.ts"
import { NIL, type Value } from "../values/value.ts"

export const expression: CompileNode = (fn, node, use) => {
  const {
    code,
    program,
    program: { runtime },
  } = fn
  switch (node.kind) {
    case "literal":
      return literal(fn, node.value)
    case "name":
      return readVariable(fn, node.name, node.span, use)
    case "system":
      return node.row.constant !== undefined ? literal(fn, node.row.constant) : code.called(node.span, `${program.object(node.row)}.run(k)`)
    case "self":
      return fn.self?.value ?? program.nil
    case "verb":
      return constant(program.object(node.verb))
    case "derived": {
      const known = constantDerived(node)
      if (known !== undefined) return constant(program.object(known))
      return code.temporary(`${runtime("derive")}(${fn.operand(node.f).js},${JSON.stringify(node.adverb)})`)
    }
    case "lambda":
      return lambda(fn, node, undefined)
    case "list":
      return code.temporary(`${runtime("collapse")}(${items(fn, node.items)})`)
    case "apply":
      return apply(fn, node, use)
    case "monad":
      return monad(fn, node, use)
    case "dyad":
      return dyad(fn, node)
    case "section": {
      const x = fn.operand(node.x, "kept", () => assigns(node.f))
      return code.temporary(`${runtime("section")}(${fn.operand(node.f).js},${x.js})`)
    }
    case "compose":
      return code.temporary(`${runtime("compose")}(${items(fn, node.parts)})`)
    case "assign":
      return assign(fn, node, use)
    case "return": {
      const x = fn.operand(node.x)
      code.leave(`${fn.self === undefined ? "" : "D.n--;"}return ${x.js};`)
      return x
    }
    case "signal": {
      const x = fn.operand(node.x)
      code.line(`${code.at(node.span)};${runtime("signal")}(${x.js});`)
      return program.nil
    }
    case "cond":
      return cond(fn, node, use)
    case "loop":
      return loopOrIf(fn, node)
    case "sequence":
      return sequence(fn, node.statements, use)
  }
}

/** Ints that run once are parameters, so that statements that differ only in them are one program. */
const literal = ({ code, program, self }: FunctionBuilder, value: Value): Operand => {
  if (typeof value !== "number") return value === NIL ? program.nil : constant(program.object(value))
  if (self === undefined && code.loops === 0) return int(program.int(value))
  return int(value < 0 ? `(${value})` : String(value))
}

/** The items of a list as the text of an array, in pieces when they are many. */
const items = (fn: FunctionBuilder, nodes: Items): string => {
  const { code, program } = fn
  const pieces: Operand[] = []
  let from = code.here
  let taken: Operand[] = []
  const text = (): string => array(taken.toReversed())
  fn.fromRight(nodes, (x) => {
    taken.push(x ?? program.nil)
    const piece = code.piece(from, text)
    if (piece === undefined) return
    pieces.push(code.temporary(piece))
    taken = []
    from = code.here
  })
  return pieces.length === 0 ? text() : `[${[text(), ...pieces.toReversed().map(({ js }) => js)].join(",")}].flat()`
}
