/**
 * Texts far longer than anybody writes, which programs do: compiled in pieces, they mean what short ones mean, blame the same places, and
 * are stopped in between. Not held here: how long a piece takes the host.
 */
import { expect, it } from "vitest"
import { makeInterpreter } from "../../src/k3/k3.ts"
import { linearly } from "../lib/linearly.ts"
import { memoryHost } from "../lib/memoryHost.ts"

const MANY = 4000
const many = (item: (i: number) => string, count = MANY): string => Array.from({ length: count }, (_, i) => item(i)).join(";")

const session = (limits = {}, interrupted = () => false) => {
  const printed: string[] = []
  const interpreter = makeInterpreter({ ...memoryHost(), interrupted, write: (text: string) => void printed.push(text) }, limits)
  const run = (...statements: string[]) => {
    for (const statement of statements) {
      const failure = interpreter.evaluate(statement)
      if (failure !== undefined) return failure
    }
    return printed.splice(0).join("").trimEnd()
  }
  return run
}

it.each([
  ["computed items", `x:1;+/(${many((i) => `x+${i}`)})`, String(MANY + (MANY * (MANY - 1)) / 2)],
  ["calls and strings", `f:{#x};+/(${many((i) => `f "abc${i % 10}"`)})`, String(4 * MANY)],
  ["functions", `+/(${many((i) => `{x+${i}}`)})@\\:1`, String(MANY + (MANY * (MANY - 1)) / 2)],
  ["items of which some assign", `x:0;r:(${many((i) => (i % 1000 === 999 ? "x+:1" : "x"))});r 0 1998 2998 3998`, "4 3 2 1"],
  [
    "a list within a function",
    `f:{[a]b:a;+/(${many((i) => (i % 1000 === 999 ? "b+:1" : "b"))})};f 0`,
    String(999 * (4 + 3 + 2 + 1) + 4 + 3 + 2 + 1),
  ],
  ["items that leave the function", `f:{[a]#(${many((i) => (i === 7 ? ":[a;:-1;0]" : `a+${i}`))})};(f 0),f 1`, `${MANY} -1`],
  ["statements of a function", `f:{${many((i) => `a:x+${i}`)};a};f 1`, String(MANY)],
  ["statements in a loop", `f:{do[3;${many(() => "x+:1")}];x};f 1`, String(3 * MANY + 1)],
  ["conditions", `x:${MANY - 1};:[${many((i) => `x~${i};-${i}`)};1]`, String(1 - MANY)],
  ["lists in lists", `x:1;#,//(${many((i) => `(x;"a";${i}.5;(x;${i}))`)})`, String(5 * MANY)],
])("%s", (_, text, prints) => {
  expect(session()(text)).toBe(prints)
})

it("more constants than the host has parameters for", () => {
  expect(session()(`x:1;#(${many((i) => `x;"a${i}"`, 70_000)})`)).toBe("140000")
})

it("a function takes along more locals than the host has parameters for", () => {
  expect(session()(`{[a]${many((i) => `a${i}:1`, 70_000)};{${many((i) => `a${i}`, 70_000)}}}[0] 0`)).toBe("1")
})

it("more parameters than any function has are refused by the parser, at the first that is too many", () => {
  const text = `{[${many((i) => `a${i}`, 70_000)}]a0}`
  expect(session()(text)).toMatchObject({ name: "parse", at: "a1024" })
  expect(session()(`#5:{[${many((i) => `a${i}`, 1024)}]a0}`)).toMatch(/^\d+$/)
})

it("an error is blamed on its place in whatever piece", () => {
  for (const at of [0, 1, 1999, MANY - 1]) {
    const text = `x:1;(${many((i) => (i === at ? "x-`a" : `x+${i}`))})`
    expect(session()(text)).toMatchObject({ name: "type", at: "-", column: text.indexOf("-") + 1 })
  }
})

it.each([
  ["digits that are no number", '0.0$(1000000#"1"),"x"', "0n"],
  ["a field of digits that is no number", '`f 0:,(1000000#"1"),"x"\n(,"F";",")0:`f', ",,0n"],
  ["a command with a comment before its last line", '4:. "\\\\t 1",(500000#" /"),"\\n1"', "1"],
  ["a command with a long comment", '. "\\\\p 3 ",500000#" /"\n. "\\\\p"', "3"],
])("%s: read in time in proportion to its length", (_, text, prints) => {
  expect(linearly(() => session()(...text.split("\n")))).toBe(prints)
})

it.each([
  ["escapes in a string", `"${"\\n".repeat(MANY)}";`, MANY / 2],
  ["blanks", `${" ".repeat(16 * MANY)}1;`, MANY],
  ["a symbol written with quotes", "5:s;", MANY],
  ["types of fields", '(t;,",")0:`f;', 2 * MANY],
])("%s: each char is paid for", (_, text, least) => {
  const interpreter = makeInterpreter(memoryHost())
  for (const setup of [`s:\`$${MANY}#" "`, `t:${MANY}#"I"`, '`f 0:,"a"']) interpreter.evaluate(setup)
  expect(interpreter.imaged(text, { most: 0 }).steps).toBeGreaterThan(least)
})

it("compiling a long text asks whether to stop, and pays", () => {
  let asked = 0
  const ask = () => {
    asked++
    return false
  }
  session({}, ask)("x:1", `(${many((i) => `x+${i}`)});1`)
  expect(asked).toBeGreaterThan(MANY / 1000)
  expect(session({ steps: 10 * MANY })("x:1", `(${many((i) => `x+${i}`)});1`)).toMatchObject({ name: "limit" })
})
