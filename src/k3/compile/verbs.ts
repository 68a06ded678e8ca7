/**
 * Applies a verb to operands: on ints by the JavaScript in its row, if it has some, otherwise by a call of its function.
 *
 * Does not: evaluate operands (`calls.ts`).
 */
import type { FunctionBuilder } from "./FunctionBuilder.ts"
import type { Operand } from "./Operand.ts"
import type { Span } from "../run/KError.ts"
import type { Verb } from "../values/Verb.ts"

/** A verb's text in a JavaScript name: `+` is `$43`. */
const identifier = (text: string): string => text.replaceAll(/\W/g, (glyph) => `$${glyph.charCodeAt(0)}`)

/** A call after which nothing holds these operands, so that their memory may be reused. */
export const after = ({ program }: FunctionBuilder, call: string, passing: readonly Operand[]): string =>
  passing.reduce((call, x) => `${program.runtime("after")}(${call},${x.js})`, call)

/** The code for ints when all operands are ints, which needs no test for ints in the text; otherwise the call. */
const unlessInts = (
  { code }: FunctionBuilder,
  span: Span,
  fast: string | undefined,
  operands: readonly Operand[],
  when: string,
  slow: string,
): Operand => {
  if (fast === undefined) return code.called(span, slow)
  const tests = operands.filter(({ kind }) => kind !== "int").map(({ js }) => `typeof ${js}==="number"`)
  return code.temporary(`${(tests.join("&&") || "true") + when}?${fast}:(${code.at(span)},${slow})`)
}

export const monadic = (fn: FunctionBuilder, verb: Verb, x: Operand, span: Span, passing: readonly Operand[] = []): Operand => {
  const { code, program } = fn
  if (verb.monad === undefined) return code.called(span, `${program.object(verb)}.call1(${x.js},k)`)
  const slow = after(fn, `${program.object(verb.monad, `m${identifier(verb.text)}`)}(${x.js},k)`, passing)
  const fast = verb.rows.monad?.int?.(x.js)
  return fast !== undefined && x.kind === "int" ? code.temporary(fast) : unlessInts(fn, span, fast, [x], "", slow)
}

export const dyadic = (fn: FunctionBuilder, verb: Verb, x: Operand, y: Operand, span: Span, passing: readonly Operand[] = []): Operand => {
  const { code, program } = fn
  if (verb.dyad === undefined) return code.called(span, `${program.object(verb)}.call2(${x.js},${y.js},k)`)
  const slow = after(fn, `${program.object(verb.dyad, `d${identifier(verb.text)}`)}(${x.js},${y.js},k)`, passing)
  const int = verb.rows.dyad?.int
  return unlessInts(fn, span, int?.code(x.js, y.js), [x, y], int?.when?.(x.js, y.js) ?? "", slow)
}
