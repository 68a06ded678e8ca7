/** Values written as text (`5:`) and as images (`_bd`), and functions as they print, read back equal. */
import * as fc from "fast-check"
import { expect, it } from "vitest"
import { display } from "../../../src/k3/values/format.ts"
import { Evaluator } from "../../../src/k3/interpreter/Evaluator.ts"
import { Interpreter } from "../../../src/k3/interpreter/Interpreter.ts"
import { memoryHost } from "../../lib/memoryHost.ts"
import { anything } from "../../lib/values.ts"

const host = memoryHost()
const k = new Evaluator(host)
const interpreter = new Interpreter(k, {})
interpreter.evaluate("\\p 17")

/** A counterexample is shown as the console shows it. */
const shown = anything.map((x) => ({ x, [fc.toStringMethod]: () => display(x, 17) }))

const answer = (code: string): string => {
  const failure = interpreter.evaluate(code)
  return (failure?.rendered ?? "") + host.take()
}

it("x ~ . 5:x, for values of every type in every nesting, with all digits shown", () => {
  fc.assert(
    fc.property(shown, ({ x }) => {
      k.variables.assign("x", x)
      expect(answer("x ~ . 5:x")).toBe("1\n")
    }),
    { numRuns: 500 },
  )
})

it("x ~ _db _bd x, for values of every type in every nesting", () => {
  fc.assert(
    fc.property(shown, ({ x }) => {
      k.variables.assign("x", x)
      expect(answer("x ~ _db _bd x")).toBe("1\n")
    }),
    { numRuns: 500 },
  )
})

it.each([":", "::", "::::", "()~", '""~', "(!0)~", "(0#0.0)~", "(0#`)~", "(,1)~", "1 2~", "()'", '"ab"/'])(
  "%s is written with the parentheses that it needs",
  (code) => {
    expect(answer(code)).toBe(`${code}\n`)
  },
)

it.each(["(:)[;1]", "(:)[1;]", "((1 2){x}|)", "((.,(`a;1)){x}|)", "((.,(`a;1))'{x}|)"])("%s is written so that it reads back", (code) => {
  expect(answer(`x:${code}`)).toBe("")
  expect(answer("(x~. 5:x)&x~_db _bd x")).toBe("1\n")
})
