/** The cost of parsing a text, in visited nodes and paid steps, is proportional to its length. */
import { describe, expect, it, vi } from "vitest"
import { makeInterpreter } from "../../../src/k3/k3.ts"
import { vocabulary } from "../../../src/k3/primitives/vocabulary.ts"
import { dimensions } from "../../../src/k3/primitives/structure.ts"
import { parse } from "../../../src/k3/syntax/parser.ts"
import { collapse, List, type Value } from "../../../src/k3/values/value.ts"
import { memoryHost } from "../../lib/memoryHost.ts"

const looked = vi.hoisted(() => ({ n: 0 }))
vi.mock(import("../../../src/k3/syntax/ast.ts"), async (original) => {
  const { children } = await original()
  return {
    children: (node) => {
      looked.n++
      return children(node)
    },
  }
})

const MOST = 200
const texts: readonly (readonly [what: string, text: (n: number) => string])[] = [
  ["verbs and numbers", (n) => `${"1+".repeat(n)}1`],
  ["applications", (n) => `${"f ".repeat(n)}1`],
  ["a train of verbs", (n) => "+-".repeat(n / 2)],
  ["assignments", (n) => `${"a+b:".repeat(n)}1`],
  ["applications in parentheses", (n) => `${"f (".repeat(n)}1${")".repeat(n)}`],
  ["functions in functions", (n) => `${"{[a]".repeat(n)}a${"}".repeat(n)}`],
]

describe.each(texts)("%s: twice as long a line costs twice as much", (_what, text) => {
  it("to parse", () => {
    const steps = (n: number): number => {
      let paid = 0
      parse(text(n), vocabulary(), (more) => void (paid += more))
      return paid
    }
    expect(steps(MOST)).toBeLessThan(2.2 * steps(MOST / 2))
  })

  it("to evaluate", () => {
    const cost = (n: number): number => {
      looked.n = 0
      makeInterpreter(memoryHost()).evaluate(text(n))
      return looked.n
    }
    expect(cost(MOST)).toBeLessThan(2.2 * cost(MOST / 2) + 10)
  })

  it("in steps that are paid", () => {
    expect(makeInterpreter(memoryHost(), { steps: 40 * MOST }).evaluate(text(MOST))?.kind).not.toBe("steps")
  })
})

it("a line of more verbs than a stack holds calls is read", () => {
  expect(parse("1+".repeat(20_000) + "1", vocabulary()).statements.length).toBe(1)
  expect(parse("+-".repeat(10_000), vocabulary()).statements.length).toBe(1)
})

it.each(["1+".repeat(40_000) + "1", "+" + "/".repeat(40_000), "f" + "[1]".repeat(40_000), "(".repeat(500) + "1" + ")".repeat(500)])(
  "deeper than that is refused before it is compiled: %#",
  (text) => expect(makeInterpreter(memoryHost()).evaluate(text)).toMatchObject({ kind: "deep", name: "stack" }),
)

it("the dimensions of a deeply nested list are found without copying them at each depth", () => {
  const depth = 2000
  let nested: Value = 1
  for (let i = 0; i < depth; i++) nested = new List([nested, collapse([1, 2])])
  let deep: Value = 1
  for (let i = 0; i < depth; i++) deep = i === 0 ? collapse([1]) : new List([deep])
  const iterate = Array.prototype[Symbol.iterator]
  let copied = 0
  // oxlint-disable-next-line no-extend-native
  Array.prototype[Symbol.iterator] = function (this: unknown[]) {
    copied += this.length
    return iterate.call(this)
  }
  try {
    expect(dimensions(deep).length).toBe(depth)
    expect(dimensions(nested)).toEqual([2, 2])
  } finally {
    // oxlint-disable-next-line no-extend-native
    Array.prototype[Symbol.iterator] = iterate
  }
  expect(copied).toBeLessThan(20 * depth)
})
