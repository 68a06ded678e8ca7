import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { describe, expect, it } from "vitest"
import { makeInterpreter } from "../../../src/k3/k3.ts"
import { height } from "../../../src/k3/run/roots.ts"
import { memoryHost } from "../../lib/memoryHost.ts"

/** Evaluates the statement and tells how much was held at each of the looks at the budget. */
const heldIn = (statement: string): { readonly seen: number[]; readonly failed: string | undefined } => {
  const seen: number[] = []
  const interpreter = makeInterpreter({ ...memoryHost(), interrupted: () => seen.push(height()) < 0 })
  const failed = interpreter.evaluate(statement)?.name
  return { seen, failed }
}

describe("what an evaluation is making is held", () => {
  it.each([
    "x:{x,1}'!50000",
    "x:{x,y}\\!500",
    "x:{x+1}\\[50000;0]",
    "x:(!50000),'1",
    "x:(!50000){x,y}\\:1",
    "x:{(x;y)}':!50000",
    "x:(2*!50000)_!100000",
    "x:50000 2#!100000",
    "x:+(!50000;!50000)",
    "x:!40 40 40",
    "x:1.5+50000#,1 2",
    "x:-50000#,1 2.5",
  ])("%s", (statement) => {
    const { seen, failed } = heldIn(statement)
    expect(failed).toBeUndefined()
    // Beside the interpreter itself.
    expect(Math.max(...seen)).toBeGreaterThan(1)
    expect(height()).toBe(0)
  })
})

describe("nothing is held", () => {
  it.each(["x:{1+`a}'!50000", "x:{{'\"no\"}'x}'!50", "x:$'{:[x>1000;`a+1;x]}'!50000"])("after the error of %s", (statement) => {
    expect(heldIn(statement).failed).toBeDefined()
    expect(height()).toBe(0)
  })
  it("after an error that is trapped, while the statement goes on", () => {
    const { seen } = heldIn("do[40;@[{{x+`a}'!20};0;:]];do[50000;1+1];x:{x}'!50000")
    expect(seen[0]).toBe(1)
    expect(Math.max(...seen)).toBe(2)
  })
})

setFlagsFromString("--expose-gc")
const collect = runInNewContext("gc") as () => void
/** The bytes of buffers that are in use; how much of the rest is freed already differs between Nodes and runs. */
const buffers = (): number => {
  collect()
  // Buffers are freed on a thread of their own, for which the next collection waits.
  collect()
  return process.memoryUsage().arrayBuffers
}

/** Counts bytes outside of that heap: code that asks for the buffer of a short vector moves its items there. */
describe("short vectors stay in the engine's own heap", () => {
  it.each([
    "{x,1+!13}'!n",
    "|:'m",
    "1_'m",
    "13#'m",
    "-13#'m",
    "16#'m",
    "1!'m",
    "-':'m",
    "+\\'m",
    "{x,:4;x}'m",
    "{x _di 0}'m",
    "?:'m",
    "{x@<x}'m",
    "<:'m",
    "{x,!7}'0.5*1_'n#,!2",
    '{x,1_!13}\'`$n#,"a"',
    "(14*!n)_!14*n",
    "(n;14)#!14*n",
    "+14#,!n",
    '{x,50#"a"}\'$!n',
    "{50$x}'!n",
    "(14#2)_vs/:!n",
  ])("%s", (code) => {
    const interpreter = makeInterpreter(memoryHost())
    // Of more results at once, short vectors are parts of one.
    interpreter.evaluate("n:1000")
    interpreter.evaluate("m:{x,!13}'100000+!n")
    const before = buffers()
    expect(interpreter.evaluate(`v:();do[60;v,:${code}];#v`)).toBeUndefined()
    // One long vector that it is made of may be there still; the items of the short ones would be 3 MB.
    const long = code.includes("14*n") ? 4 * 14 * 60_000 : 0
    expect(buffers() - before - long).toBeLessThan(1_500_000)
    // The interpreter, and with it the vectors, is there until now.
    expect(interpreter.evaluate("v:0")).toBeUndefined()
  })
})
