/** The trace of evaluation: statements, calls by depth, variables written; and nothing of it compiled in when nobody listens. */
import { expect, it } from "vitest"
import { makeInterpreter } from "../../../src/k3/k3.ts"
import { memoryHost } from "../../lib/memoryHost.ts"

const traceOf = (...statements: readonly string[]): readonly string[] => {
  const lines: string[] = []
  const interpreter = makeInterpreter({ ...memoryHost(), trace: (line) => lines.push(line) })
  for (const statement of statements) interpreter.evaluate(statement)
  return lines
}

it("tells statements, calls with their arguments, and variables written, in order and by depth", () => {
  expect(traceOf("g:{b[1]:x;x*2}", "b:1 2 3", "f:{a::x+1;g x}", "f 5")).toEqual([
    "g:{b[1]:x;x*2}",
    "  g: {b[1]:x;x*2}",
    "b:1 2 3",
    "  b: 1 2 3",
    "f:{a::x+1;g x}",
    "  f: {a::x+1;g x}",
    "f 5",
    "  f[5]",
    "    a: 6",
    "    g[5]",
    "      b: 1 5 3",
  ])
})

it("cuts long values short, and goes on after an error", () => {
  const [, written, failed, next] = traceOf("a:!10000", "1+`a", "2")
  expect(written!.length).toBeLessThan(120)
  expect([failed, next]).toEqual(["1+`a", "2"])
})
