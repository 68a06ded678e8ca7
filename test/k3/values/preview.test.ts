/** A preview costs as much of a large value as of a small one, and leaves strings in their one array. */
import { expect, it } from "vitest"
import { begin, stepsTaken } from "../../../src/k3/run/budget.ts"
import { preview } from "../../../src/k3/values/preview.ts"
import { stringPartsOf, StringsWriter } from "../../../src/k3/values/Parts.ts"
import { Dict, EMPTY_LIST, Ints, List, NIL, sym, type Value } from "../../../src/k3/values/value.ts"

const budget = { interrupted: () => false, memory: Infinity, room: () => true, steps: Infinity }
const ints = new Ints(new Int32Array(1_000_000))
const strings = (n: number, length: number): List => {
  const out = new StringsWriter(n, n * length)
  for (let i = 0; i < n; i++) {
    out.put("a".repeat(length))
    out.end()
  }
  return out.value()
}
const dict = (value: Value, attribute: Value = NIL): Dict => new Dict([sym("k")], [value], [attribute])
const keys = Array.from({ length: 100_000 }, (_, i) => sym(`k${i}`))
const many = keys.map(() => dict(EMPTY_LIST))

it.each<[string, Value]>([
  ["a vector", ints],
  ["a list of lists", new List([ints, ints])],
  ["an entry of a dictionary", dict(ints)],
  ["an attribute", dict(0, ints)],
  ["an entry of a dictionary in one", dict(dict(ints))],
  ["an entry of a dictionary in a list", new List([dict(ints)])],
  ["many dictionaries", new Dict(keys, many, many)],
  ["many strings", dict(strings(100_000, 1))],
  ["long strings", dict(strings(1024, 10_000))],
])("%s", (_, x) => {
  begin(budget)
  expect(preview(x, 7)).toMatch(/^.{60}…$/)
  expect(stepsTaken()).toBeLessThan(5000)
})

it("strings stay where they are", () => {
  const x = strings(2000, 3)
  expect(preview(dict(x), 7)).toMatch(/^\.,\(`k;\("aaa";"aaa";/)
  expect(stringPartsOf(x)).toBeDefined()
})

it("a small dictionary is shown whole", () => {
  expect(preview(new Dict([sym("a"), sym("b")], [1, EMPTY_LIST], [NIL, NIL]), 7)).toBe(".((`a;1;);(`b;();))")
})
