/** Values written as text (`5:`) and as images (`_bd`), and functions as they print, read back equal. */
import * as fc from "fast-check"
import { expect, it } from "vitest"
import { display } from "../../../src/k3/values/format.ts"
import { TreeEvaluator } from "../../../src/k3/interpreter/TreeEvaluator.ts"
import { Interpreter } from "../../../src/k3/interpreter/Interpreter.ts"
import { memoryHost } from "../../lib/memoryHost.ts"
import { anything } from "../../lib/values.ts"

const host = memoryHost()
const k = new TreeEvaluator(host)
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

it.each([
  ["_abs 2*", "_abs 2*", "3 4", "6 8"],
  ["_abs -1+", "_abs -1+", "3 4", "2 3"],
  ["2 . 5+", "2 . 5+", "3", "rank"],
  ["{x} -1+", "{x} -1+", "3 4", "2 3"],
  ["(|-:)(+/)1+", "|:-:+/1+", "3 4", "-9"],
  ["|(-)1+", "|:(-)1+", "3 4", "-[4 5]"],
  ["{x}(|-)1+", "{x}(|:-)1+", "3", "(|:-)[4]"],
  ["| ::1+", "|: ::1+", "3 4", "5 4"],
  ["1 (2 1 0)/", "(1)2 1 0/", "2", "0"],
  ["`a. (|-:)'", "`a. (|:-:)'", "2", "valence"],
  ["(::)'", "(::)'", "3 4", "3 4"],
  ["(_n):'", "(_n) :'", "3 4", "3 4"],
])("the train or section (%s) is written %s, and is the same function after its text or image is read", (code, text, x, result) => {
  expect(answer(`f:(${code})`)).toBe("")
  expect(answer("f")).toBe(`${text}\n`)
  for (const f of ["f", "(. 5:f)", "(_db _bd f)"]) {
    const prints = answer(`${f} ${x}`)
    expect(/^(\w+) error/.exec(prints)?.[1] ?? prints.trimEnd()).toBe(result)
  }
})

it("a train that grows part by part stays flat, so that its text is read back and its calls do not nest", () => {
  expect(answer("f:(|1+);do[1000;f:(f 1+)]")).toBe("")
  expect(answer("#5:f")).toBe("2004\n")
  expect(answer("f 3 4")).toBe("1005 1004\n")
  expect(answer("(. 5:f) 3 4")).toBe("1005 1004\n")
})
