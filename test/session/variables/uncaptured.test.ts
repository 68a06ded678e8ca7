/** S23 the names that statements define, found in their text. */
import { expect, it } from "vitest"
import { statements } from "../../../src/k3/text/statements.ts"
import { defining, lostOf, none } from "../../../src/session/variables/uncaptured.ts"

const defined = (code: string): readonly string[] => {
  const all = statements(code).reduce((seen, statement) => defining(seen, statement, ".k") ?? seen, none)
  return lostOf(all, new Map()).map(({ path }) => path)
}

it.each([
  ["a:1", [".k.a"]],
  ["a:b:1", [".k.a", ".k.b"]],
  ["a::1", [".k.a"]],
  ["a+:1", [".k.a"]],
  ["a[0 1]+:1", [".k.a"]],
  [".d.e:1", [".d.e"]],
  ["d.e:1", [".k.d.e"]],
  ["f:{a:1;b::2}", [".k.f"]],
  ["f:{{a:1}[]}", [".k.f"]],
  ["1+2", []],
  ['"a:1"', []],
  ["`a:1", []],
  ["0:`f", []],
  ["1 /a:1", []],
  ["if[1;a:2]", [".k.a"]],
  ["\\d .d\na:1", [".d.a"]],
  ["\\d .d\n\\d e\na:1", [".d.e.a"]],
  ["\\d .d.e\n\\d ^\na:1", [".d.a"]],
  ["\\v\na:1", [".k.a"]],
])("%s", (code, names) => {
  expect(defined(code)).toEqual(names)
})

it("a captured name is not lost", () => {
  const seen = defining(none, statements("a:1")[0]!, ".k")!
  expect(lostOf(seen, new Map([[".k.a", 1]]))).toEqual([])
})
