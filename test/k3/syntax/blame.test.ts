/** How many arguments the verb at an error's place was given. */
import { expect, it } from "vitest"
import { makeInterpreter } from "../../../src/k3/k3.ts"
import { memoryHost } from "../../lib/memoryHost.ts"
import { statements } from "../../../src/k3/text/statements.ts"

const failureOf = (code: string) => {
  const interpreter = makeInterpreter(memoryHost())
  return statements(code)
    .map(({ source }) => interpreter.evaluate(source))
    .find((failure) => failure !== undefined)
}

it.each([
  ["1+`a", "+", 2],
  ["-`a", "-", 1],
  ["(1;-`a)", "-", 1],
  ["1-(2;-`a)", "-", 1],
  ["+/1,`a", "+/", 2],
  ["%:'(1;`a)", "%:'", 1],
  ["1+'`a `b", "+'", 2],
  ["+/'(1 2;(3;`a))", "+/'", 2],
  ["1+/:\\:(2;`a)", "+/:\\:", 2],
  ["(1+`a)[2]", "+", 2],
  ["(1<`a) 2", "<", 2],
  ["+[1;`a]2", "+", 2],
  ["a:1;a+:`b", "a+:", 2],
  ["a:`b;a-:", "a-:", 1],
  ["+[1;`a]", "+", 2],
  ["_ssr[1;2;3]", "_ssr[", 3],
  ["_sqrt `a", "_sqrt", 1],
  ["f:{x+`a}\nf 1", "+", 2],
  ["f:{[p]\n  -`a}\n2*f 1", "-", 1],
  ["nosuch", "nosuch", undefined],
  ["(1;2", "(", undefined],
])("%j: %s with %s", (code, at, valence) => {
  expect(failureOf(code)).toMatchObject({ at, ...(valence !== undefined && { valence }) })
  expect(failureOf(code)?.valence).toBe(valence)
})
