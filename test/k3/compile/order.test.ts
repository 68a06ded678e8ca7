/** Operands are evaluated from the right; each has its variable's value at that moment, whatever is assigned further left. */
import { expect, it } from "vitest"
import { makeInterpreter } from "../../../src/k3/k3.ts"
import { memoryHost } from "../../lib/memoryHost.ts"

it.each([
  ["a dyad", "{[a] (a:5)+a} 1", "6"],
  ["a list", "{[a] (a;a:5;a)} 1", "5 5 1"],
  ["arguments", "{[a] {[x;y]x,y}[a:5;a]} 1", "5 1"],
  ["what is indexed by a bracket", "{[a] (a:!3)[a]} 1", "1"],
  ["what is indexed by what follows", "{[a] (a:!3)a} 1", "1"],
  ["what is indexed by @", "{[a] (a:!3)@a} 1", "1"],
  ["a function applied to several arguments", "{[a] (a:{x-y})[a;7]} 9", "2"],
  ["a derived verb", "{[a] (a:{x-y})/[a;1 2]} 9", "6"],
  ["a projection of a verb", "{[a] f:(a (a:{x-y})/);f 1 2} 9", "6"],
  ["places of an assignment", "{[a] b:!3;b[a:2]:a;b} 7", "0 1 7"],
  ["an assignment with a verb", "{[a] a+:(a:5);a} 1", "10"],
])("%s", (_, code, prints) => {
  const host = memoryHost()
  expect(makeInterpreter(host).evaluate(code)?.rendered).toBe(undefined)
  expect(host.take().trimEnd()).toBe(prints)
})

it.each([
  ["{::[x;1;2];3} 1", "1"],
  ["{: :[x;1;2];3} 0", "2"],
  ["{if[x;::[x>1;1;2]];3}'0 1 2", "3 2 1"],
])("the value of a condition is returned: %s", (code, prints) => {
  const host = memoryHost()
  expect(makeInterpreter(host).evaluate(code)?.rendered).toBe(undefined)
  expect(host.take().trimEnd()).toBe(prints)
})
