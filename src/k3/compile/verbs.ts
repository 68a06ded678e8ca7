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

/** A verb with one operand or two. `passing`: the operands that nothing holds after the call. */
export const applyVerb = (
  fn: FunctionBuilder,
  verb: Verb,
  operands: readonly [Operand] | readonly [Operand, Operand],
  span: Span,
  passing: readonly Operand[] = [],
): Operand => {
  const { code, program } = fn
  const [x, y] = operands
  const run = y === undefined ? verb.monad : verb.dyad
  const given = `(${operands.map(({ js }) => js).join(",")},k)`
  if (run === undefined) return code.called(span, `${program.object(verb)}.call${operands.length}${given}`)
  const name = `${y === undefined ? "m" : "d"}${identifier(verb.text)}`
  const slow = after(fn, program.object(run, name) + given, passing)
  const { monad, dyad } = verb.rows
  const fast = y === undefined ? monad?.int?.(x.js) : dyad?.int?.code(x.js, y.js)
  if (fast === undefined) return code.called(span, slow)
  // Of an int that is written in the program it is known.
  const tests = operands.filter(({ kind }) => kind !== "int").map(({ js }) => `typeof ${js}==="number"`)
  const when = y === undefined ? "" : (dyad?.int?.when?.(x.js, y.js) ?? "")
  return code.temporary(`${(tests.join("&&") || "true") + when}?${fast}:(${code.at(span)},${slow})`)
}
