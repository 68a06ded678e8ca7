/**
 * Every example of the help prints what it says, in a fresh session of the embedded engine, and every error is raised as it says. The
 * rows of the primitives tables are held by `test/k3/primitives`.
 *
 * D1 every example of the help was run.
 */
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { errors, raised } from "../../src/help/errors.ts"
import { answerText, lookUp } from "../../src/help/help.ts"
import { idioms } from "../../src/help/idioms.ts"
import { onK3CSharp } from "../../src/help/idioms/k3csharp.ts"
import { differences, differencesIn, differencesShown } from "../../src/help/k3csharp.ts"
import { adverbs, syntax } from "../../src/help/syntax.ts"
import { topics } from "../../src/help/topics.ts"
import { commandWords } from "../../src/k3/run/commands.ts"
import { commands } from "../../src/help/commands.ts"
import { makeInterpreter } from "../../src/k3/k3.ts"
import { linearly } from "../lib/linearly.ts"
import { memoryHost } from "../lib/memoryHost.ts"
import { statements } from "../../src/k3/text/statements.ts"

/** What statements print in a fresh interpreter, without the last newline; an error as its name, as `'type`. */
const printed = (code: string): string => {
  const host = memoryHost()
  const interpreter = makeInterpreter(host, { memory: 1e9, depth: 200 })
  for (const { source } of statements(code)) {
    const failure = interpreter.evaluate(source)
    if (failure !== undefined) return `'${failure.name}`
  }
  return host.take().replace(/\n$/, "")
}

const all = [...adverbs, ...syntax, ...topics, ...idioms]
const examples = all.flatMap(({ form, body }) =>
  body.filter((part) => typeof part !== "string").map(([code, prints]) => [form, code, prints] as const),
)

describe("D1 every example prints what its entry says", () => {
  it.each(examples)("%s: %j", (_form, code, prints) => expect(printed(code)).toBe(prints))
})

describe("D1 K does what the rows on K3CSharp say", () => {
  const rows = differences.flatMap(({ code, example }) => (example === undefined ? [] : [[code, example[0], example[1]] as const]))
  it.each(rows)("%s: %j", (_row, code, prints) => expect(printed(code)).toBe(prints))
})

describe("D1 every error is raised as its entry says", () => {
  it.each(raised)("%s: %j", (name, code) => expect(printed(code)).toBe(`'${name}`))
})

describe("the entries", () => {
  it("are about 150 idioms and more, each with a print or a file that proves it", () => {
    expect(idioms.length).toBeGreaterThan(150)
    expect(new Set(idioms.map(({ form }) => form)).size).toBe(idioms.length)
  })
  it("that are marked for K3CSharp are idioms", () => {
    const names = new Set(idioms.map(({ form }) => form))
    expect([...onK3CSharp].filter((name) => !names.has(name))).toEqual([])
  })
  it("cover every command, and no other", () => {
    const own = commands.map(({ keys }) => keys[0]!.slice(1)).filter((word) => word !== "help" && word !== "word")
    expect(own.toSorted()).toEqual([...commandWords].toSorted())
  })
  it("tell of each error by name, and what to do", () => {
    for (const { title, body } of errors) expect(`${title} ${String(body.at(-1))}`).toMatch(/error: .+\./)
  })
})

it("differences are listed in the order of the code, and a script's file name is no item of a dictionary", () => {
  const found = differencesIn("\\l a.k\nt.b").map(({ code, line }) => [code, line])
  expect(found).toEqual([
    ["load", 1],
    ["dot-names", 2],
  ])
})

it.each([
  ['0:"f"', "file-names"],
  ['a:"b"; #1: "f"', "file-names"],
  ['"f" 5:1', "file-names"],
  ['("SI";",")0:`f', "fields"],
  ['(types;,",") 0:f', "fields"],
  ['("ic";4 1)1:`f', "fields"],
  ['`0:"hello\\n"', undefined],
  ['`f 0: "one"', undefined],
  ['`"f.txt"0:"one"', undefined],
  ['x:5:"abc"', undefined],
  ['(`"f.txt")0:"one"', undefined],
  ["(g[a;b])1:x", undefined],
  ["{x+y}[1]", "projection"],
  ["{x*2}[7]", undefined],
  ["{[a;b]a-b}[1]", undefined],
  ["(+/)v", "derived-alone"],
  ["@[(+/);v;:]", undefined],
  ["(+/) . ,v", undefined],
])("%j on K3CSharp: %s", (code, row) => expect(differencesIn(code).map((found) => found.code)).toEqual(row === undefined ? [] : [row]))

it.each([
  [{ code: '_ssr["abc";"b";"x"]', error: { name: "value" } }, "_ssr is missing"],
  [{ code: "f:{x}\nf 1", failedStatement: 2, error: { name: "value", at: "_ssr" } }, "_ssr is missing"],
  [{ code: "t.b", error: { name: "value" } }, "write t[`b]"],
  [{ code: "{x*2}'1 2", error: { name: "nonce" } }, "f@/:x"],
  [{ code: '0:"f.txt"', error: { name: "no such file or directory" } }, "only a symbol names a file"],
  [{ code: '("SI";,",")0:`f', error: { name: "type" } }, "cut the lines"],
  [{ code: "(+/)1 2 3" }, "write +/1 2 3"],
  [{ code: "1_2 3 4" }, "write 1 _ 2 3 4"],
  [{ code: "a:1 2 3\na[1]:9\na" }, "changes nothing, in silence"],
  [{ code: "f:{x[`k]:1;x}" }, "changes nothing, in silence"],
  [{ code: "m[;2]", error: { name: "type" } }, "m@\\:2"],
  [{ code: "f:{[v]#v};\nf[1 2 3]", failedStatement: 2, error: { name: "valence" } }, "write f 1 2 3"],
  [{ code: "f@v", error: { name: "valence" } }, "write f 1 2 3"],
  [{ code: "a:0:f", isLongAssignment: true }, "a ; behind them"],
])("the outcome of %j on K3CSharp: %s", (ran, part) => {
  expect(differencesShown(ran)).toEqual([expect.stringMatching(/^on K3CSharp .*\.$/)])
  expect(differencesShown(ran)[0]).toContain(part)
})

it.each([
  { code: "{x+1}[`a]", error: { name: "type" } },
  { code: "t.b+`a", error: { name: "type" } },
  { code: "2^3" },
  { code: "f[1]" },
  { code: "a[1]+:5" },
  { code: "m[;2]" },
  { code: "{x+zz}[1]", error: { name: "value", at: "zz" } },
  { code: "@[(+/);1 2 3;:]" },
  { code: "{[v]v}[1;2]", error: { name: "valence" } },
])("the outcome of %j on K3CSharp is not that of a difference", (ran) => expect(differencesShown(ran)).toEqual([]))

it("the entries that the rows on K3CSharp name are there, and tell of them in a session of K3CSharp alone", () => {
  for (const { of = [], there } of differences)
    for (const form of of) {
      expect(answerText(lookUp(form, "k3csharp"), "")).toContain(`On K3CSharp ${there}.`)
      expect(answerText(lookUp(form), "")).not.toContain(`On K3CSharp ${there}.`)
    }
})

it("the rows on K3CSharp look at any text in bounded time, and point into it", () => {
  const piece = fc.constantFrom("1 ", "-1", "2^3", "{x}[1", "a.b", "_ssr", '"', "\\w\n", "/", "'", "\n", "日", "1_2", "}?", "a:!3", "(+/)")
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
      const code = pieces.join("")
      for (const { at, code: row } of differencesIn(code)) {
        expect(at).toBeLessThan(code.length)
        expect(differences.some(({ code: known }) => known === row)).toBe(true)
      }
    }),
  )
  for (const part of [
    "1 ",
    " ",
    "}[",
    "a[",
    "a[1]",
    "a[1",
    "1",
    "\\",
    '"',
    "-1 ",
    "a.",
    "a;",
    "\\l a.b;",
    "\\l a.b\n",
    "0:",
    "0: ",
    ";)",
    "{y ",
    "{y}[",
  ])
    expect(linearly(() => differencesIn(part.repeat(500_000), true).length)).toBeLessThan(differences.length)
})
