/** A limit that ends a statement leaves every variable as it was before the assignment that was not finished, whichever limit and form. */
import { describe, expect, it } from "vitest"
import type { Limits } from "../../../src/k3/Host.ts"
import { makeInterpreter } from "../../../src/k3/k3.ts"
import { memoryHost } from "../../lib/memoryHost.ts"

/** More than the budget moves at once (65,536 items), and several times the steps between two questions to the host. */
const N = 80_000
const start = (n: number) => [
  `a:!${n}`,
  "d:.((`x;a);(`y;`z))",
  `m:(${n / 2};2)#a`,
  `l:${n}#,"ab"`,
  "b:(1 2;3 4)",
  "t:0",
  'b..t:"t+:1"',
  "f:{1+f x}",
]

/** Each takes several times the steps between two questions to the host. */
const long = [
  "a:a+1",
  "a+:1",
  "a-:",
  "a,:a",
  "l,:a",
  `a[!${N}]:7`,
  `a[!${N}]:\`sym`,
  `a[!${N}]+:1`,
  "a[]:7",
  "a[]+:1",
  `a[(!${N};0)]:(a;5)`,
  `d.x[!${N}]+:1`,
  "d[`x]+:1",
  "d[`new]:a+1",
  "m[;0]+:1",
  `m[;1]:a[!${N / 2}]`,
  `@[\`a;!${N};+;1]`,
  `.[\`d;(\`x;!${N});+;1]`,
  ".[`m;(;0);+;1]",
  "b[0;1]:+/{x}'a",
  "b,:+/{x}'a",
  ".k.a:{x+1}'a",
  "a:5:a",
  "a:<-a",
]

const show = "(a;d;m;l;b;t)"

const session = (limits: Limits = {}, n = N) => {
  let left = Infinity
  let used = 0
  const host = { ...memoryHost(), interrupted: () => --left < 0, room: (bytes: number) => used + bytes <= (limits.memory ?? Infinity) }
  const interpreter = makeInterpreter(host, limits)
  for (const line of start(n)) expect(interpreter.evaluate(line)).toBeUndefined()
  interpreter.evaluate(`before:${show}`)
  return {
    interpreter,
    /** The interrupt comes when it is asked for the n-th time. */
    interruptAfter: (n: number) => (left = n),
    use: (bytes: number) => (used = bytes),
    unchanged: () => {
      left = Infinity
      used = 0
      host.take()
      expect(interpreter.evaluate(`before~${show}`)).toBeUndefined()
      return host.take() === "1\n"
    },
  }
}

describe("an interrupt, as a deadline sends it", () => {
  it.each(long)("%s", (statement) => {
    const { interpreter, interruptAfter, unchanged } = session()
    let n = 0
    // Every one of the first interrupts there can be, then ever fewer.
    for (; ; n += 1 + (n >> 2)) {
      interruptAfter(n)
      const failure = interpreter.evaluate(statement)
      if (failure === undefined) break
      expect(failure.name).toBe("break")
      expect(unchanged()).toBe(true)
    }
    expect(n).toBeGreaterThan(0)
    expect(unchanged()).toBe(false)
  })
})

describe("the step limit", () => {
  it.each([
    "b[0;0]:+/{x}'!4000000",
    "b:{x}'!4000000",
    "b[;1]:{while[1;x+:1]}0",
    "d.x:{while[1;x+:1]}0",
    "b,:while[1;1]",
    "@[`b;0;{while[1;1];x}]",
  ])("%s", (statement) => {
    const { interpreter, unchanged } = session({ steps: 3e6 })
    expect(interpreter.evaluate(statement)?.name).toBe("limit")
    expect(unchanged()).toBe(true)
  })
})

/** Each turn makes something larger by a few bytes than the turn before did, and pays for all of it: thousands of turns if it did not. */
describe("the step limit ends early what grows", () => {
  it.each(["_bd x", "_db _bd _bd x", "x,.", "x*%", "{y}[x]", "(x')", '`$($x),"a"', ".,(`a;x)", "(x;x)"])("%s", (body) => {
    const host = memoryHost()
    const interpreter = makeInterpreter(host, { steps: 2e4, depth: 100 })
    interpreter.evaluate("turns:0")
    expect(interpreter.evaluate(`{turns+:1;${body}}/0.5`)?.name).toBe("limit")
    interpreter.evaluate("turns")
    expect(Number(host.take())).toBeLessThan(600)
  })
})

it("words for the error of used up steps take none of them", () => {
  const interpreter = makeInterpreter(memoryHost(), { steps: 2e4 })
  expect(interpreter.evaluate("0N+while[3;_f {{`a`b}}]")?.name).toBe("limit")
})

describe("the memory limit", () => {
  it.each(["a:(a;!100000000)", "a[3]:!100000000", "a,:!100000000", "a[0 1]:100000000#1", "d.x:100000000#a", "b[1]:100000000#1.5"])(
    "%s",
    (statement) => {
      const { interpreter, unchanged } = session({ memory: 64 * 1024 ** 2 })
      expect(interpreter.evaluate(statement)?.name).toBe("wsfull")
      expect(unchanged()).toBe(true)
    },
  )
  it.each(["a+:1.5", "a,:a", "m[;0]+:1", "a[!100000]+:1", "d[`new]:a+1"])("%s where nothing is left", (statement) => {
    const { interpreter, use, unchanged } = session({ memory: 64 * 1024 ** 2 }, 200_000)
    use(63.9 * 1024 ** 2)
    const failure = interpreter.evaluate(statement)
    if (failure !== undefined) expect(failure.name).toBe("wsfull")
    expect(unchanged()).toBe(failure !== undefined)
  })
})

describe("the depth of calls", () => {
  it.each(["a:f 1", "a[0]:f 1", "a[0 1]+:f 1", "a,:f 1", "d.x:f 1", "d[`new]:f 1", "b[0;0]:f 1", "@[`a;0;f]", ".[`m;(0;0);f]"])(
    "%s",
    (statement) => {
      const { interpreter, unchanged } = session({ depth: 100 })
      expect(interpreter.evaluate(statement)?.name).toBe("stack")
      expect(unchanged()).toBe(true)
    },
  )
})

it("what was assigned before, in the same statement, stays", () => {
  const { interpreter, unchanged } = session({ depth: 100 })
  expect(interpreter.evaluate("b:f t:5")?.name).toBe("stack")
  expect(unchanged()).toBe(false)
  interpreter.evaluate("t:0")
  expect(unchanged()).toBe(true)
})
