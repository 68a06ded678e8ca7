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

type Operands = readonly [Operand] | readonly [Operand, Operand]

/** The verb with one operand, or with two: its function, a prefix for the function's name, the JavaScript for ints and what it requires. */
const formOf = ({ monad, dyad, rows }: Verb, [x, y]: Operands) =>
  y === undefined
    ? { prefix: "m", run: monad, fast: rows.monad?.int?.(x.js), when: "" }
    : { prefix: "d", run: dyad, fast: rows.dyad?.int?.code(x.js, y.js), when: rows.dyad?.int?.when?.(x.js, y.js) ?? "" }

/** A verb with one operand or two. `passing`: the operands that nothing holds after the call. */
export const applyVerb = (fn: FunctionBuilder, verb: Verb, operands: Operands, span: Span, passing: readonly Operand[] = []): Operand => {
  const { code, program } = fn
  const { prefix, run, fast, when } = formOf(verb, operands)
  const given = `(${operands.map(({ js }) => js).join(",")},k)`
  if (run === undefined) return code.called(span, `${program.object(verb)}.call${operands.length}${given}`)
  const slow = after(fn, program.object(run, prefix + identifier(verb.text)) + given, passing)
  if (fast === undefined) return code.called(span, slow)
  // An int in the text of the program needs no test.
  const tests = operands.filter(({ kind }) => kind !== "int").map(({ js }) => `typeof ${js}==="number"`)
  return code.temporary(`${(tests.join("&&") || "true") + when}?${fast}:(${code.at(span)},${slow})`)
}
