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
import { array, constant, int, type Operand, type Use } from "./Operand.ts"
import { derive } from "./runtime.ts"
import { readVariable } from "./variables.ts"
import { byKind, type ByKind, type ItemNodes, type Node } from "../syntax/ast.ts"
import { assigns } from "../syntax/scope.ts"
import type { Derived } from "../values/Derived.ts"
import { NIL, type Value } from "../values/value.ts"

export const expression: CompileNode = (fn, node, use) => byKind(kinds, node, fn, use)

const kinds: ByKind<Operand, [fn: FunctionBuilder, use: Use]> = {
  literal: ({ value }, fn) => literal(fn, value),
  name: ({ name, span }, fn, use) => readVariable(fn, name, span, use),
  system: ({ row, span }, fn) =>
    row.constant === undefined ? fn.code.called(span, `${fn.program.object(row)}.run(k)`) : literal(fn, row.constant),
  self: (_, { self, program }) => self?.value ?? program.nil,
  verb: ({ verb }, { program }) => constant(program.object(verb)),
  derived(node, fn) {
    const known = constantDerived(node)
    if (known !== undefined) return constant(fn.program.object(known))
    return fn.code.temporary(`${fn.program.runtime("derive")}(${fn.operand(node.f).js},${JSON.stringify(node.adverb)})`)
  },
  lambda: (node, fn) => lambda(fn, node, undefined),
  list: ({ items }, fn) => fn.code.temporary(`${fn.program.runtime("collapse")}(${arrayOf(fn, items)})`),
  apply,
  monad,
  dyad,
  section({ f, x }, fn) {
    const { js } = fn.operand(x, "kept", () => assigns(f))
    return fn.code.temporary(`${fn.program.runtime("section")}(${fn.operand(f).js},${js})`)
  },
  compose: ({ parts }, fn) => fn.code.temporary(`${fn.program.runtime("compose")}(${arrayOf(fn, parts)})`),
  assign,
  return({ x }, fn) {
    const value = fn.operand(x)
    fn.code.leave(`${fn.self === undefined ? "" : "D.n--;"}return ${value.js};`)
    return value
  },
  signal({ x, span }, fn) {
    const { js } = fn.operand(x)
    fn.code.line(`${fn.code.at(span)};${fn.program.runtime("signal")}(${js});`)
    return fn.program.nil
  },
  cond,
  loop: loopOrIf,
  sequence: ({ statements }, fn, use) => sequence(fn, statements, use),
}

/** A derived verb of a primitive, which is made before the code runs. */
const constantDerived = (node: Node): Derived | undefined => {
  if (node.kind !== "derived") return undefined
  const base = node.f.kind === "verb" ? node.f.verb : constantDerived(node.f)
  return base && derive(base, node.adverb)
}

/** Ints that run once are parameters, so that statements that differ only in them are one program. */
const literal = ({ code, program, self }: FunctionBuilder, value: Value): Operand => {
  if (typeof value !== "number") return value === NIL ? program.nil : constant(program.object(value))
  if (self === undefined && code.loops === 0) return int(program.int(value))
  return int(value < 0 ? `(${value})` : String(value))
}

/** The items of a list as the text of an array, in pieces when they are many. */
const arrayOf = (fn: FunctionBuilder, nodes: ItemNodes): string => {
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
