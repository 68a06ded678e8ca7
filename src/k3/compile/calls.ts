/**
 * Verbs and functions with their arguments.
 *
 * Guarantees: a variable still owns its value after it is only indexed, or is an operand of a verb whose result holds no operand. Does not: apply
 * verbs to operands (`verbs.ts`).
 */
import type { FunctionBuilder } from "./FunctionBuilder.ts"
import { array, type Operand, type Use } from "./Operand.ts"
import { after, applyVerb } from "./verbs.ts"
import type { Node, NodeOf } from "../syntax/ast.ts"
import type { Span } from "../run/KError.ts"
import { assigns, inert, isFresh, isOfAtomic, isPassing } from "../syntax/scope.ts"

/** The operands, evaluated right to left. `fresh`: the result holds neither. */
const bothOperands = (fn: FunctionBuilder, { f, x, y }: NodeOf<"dyad">, fresh: boolean): readonly [Operand, Operand] => {
  const right = fn.operand(y, fresh && inert(x) ? "read" : "kept", () => assigns(x) || assigns(f))
  return [fn.operand(x, fresh ? "read" : "kept", () => assigns(f)), right]
}

export const monad = (node: NodeOf<"monad">, fn: FunctionBuilder): Operand => {
  const { code } = fn
  const { f } = node
  if (f.kind === "verb") {
    const x = fn.operand(node.x, isFresh(node) ? "read" : "kept")
    return applyVerb(fn, f.verb, [x], f.span, isFresh(node) && isPassing(node.x) ? [x] : [])
  }
  const x = fn.operand(node.x, "kept", () => assigns(f))
  const isPassed = isOfAtomic(f, "/") && isPassing(node.x)
  return code.consumed(code.called(f.span, after(fn, `${fn.operand(f).js}.prefix(${x.js},k)`, isPassed ? [x] : [])), [x])
}

export const dyad = (node: NodeOf<"dyad">, fn: FunctionBuilder): Operand => {
  const { f } = node
  if (f.kind !== "verb") {
    const [x, y] = bothOperands(fn, node, false)
    return fn.code.consumed(fn.code.called(f.span, `${fn.operand(f).js}.call2(${x.js},${y.js},k)`), [x, y])
  }
  if (f.verb.rows.dyad?.role === "apply") return call1(fn, node.x, node.y, f.span)
  const operands = bothOperands(fn, node, f.verb.rows.dyad?.fresh === true)
  const passing = isFresh(node) ? operands.filter((_, i) => isPassing(i === 0 ? node.x : node.y)) : []
  return applyVerb(fn, f.verb, operands, f.span, passing)
}

/** `f@x`. */
const call1 = (fn: FunctionBuilder, f: Node, x: Node, span: Span): Operand => {
  const y = fn.operand(x, "kept", () => assigns(f))
  return fn.code.called(span, `${fn.program.runtime("call1")}(${fn.operand(f, "read").js},${y.js},k)`)
}

/** `f[…]`, and `f x`. */
export const apply = (node: NodeOf<"apply">, fn: FunctionBuilder, use: Use): Operand => {
  const {
    code,
    program: { runtime },
    self,
  } = fn
  const { f, args } = node
  const [first, second] = args
  if (f.kind === "verb" && args.length === 2 && first !== undefined && second !== undefined && f.verb.dyad !== undefined)
    return dyad({ kind: "dyad", f, x: first, y: second, span: node.span }, fn)
  const span = node.bracket || f.kind !== "name" ? node.span : f.span
  const given = fn.operands(args, () => assigns(f))
  if (f.kind === "self" && self?.valence === args.length && args.every((a) => a !== undefined))
    return code.called(span, `${self.run}(${given.map((x) => x!.js).join(",")})`)
  const g = fn.operand(f, "read").js
  const [x, y] = given
  const isDropped = use === "dropped"
  if (args.length === 1)
    return code.called(span, x === undefined ? `${runtime("call0")}(${g},k)` : `${runtime(isDropped ? "drop1" : "call1")}(${g},${x.js},k)`)
  if (args.length === 2 && x !== undefined && y !== undefined)
    return code.called(span, `${runtime(isDropped ? "drop2" : "call2")}(${g},${x.js},${y.js},k)`)
  return code.called(span, `${runtime("call")}(${g},${array(given)},k)`)
}
