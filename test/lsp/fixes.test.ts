/** Quick fixes: the resulting text, which no longer has the issue. */
import { expect, it } from "vitest"
import { type Issue, validate } from "../../src/k3/documents.ts"
import { type Edit, fixesOf } from "../../src/lsp/fixes.ts"
import { tokensOf } from "../../src/lsp/tokens.ts"

const held = {
  names: new Map<string, number>([
    [".k.a", 1],
    [".k.b", 1],
    [".k.price", 1],
    [".k.f", 7],
  ]),
  directory: ".k",
}

const edited = (text: string, edits: readonly Edit[]): string =>
  edits.toSorted((a, b) => b.start - a.start).reduce((done, { start, end, text: by }) => done.slice(0, start) + by + done.slice(end), text)

const offsetOf = (text: string, { line, column }: Issue): number =>
  text
    .split("\n")
    .slice(0, line - 1)
    .reduce((sum, each) => sum + each.length + 1, column - 1)

// prettier-ignore
const cases: readonly (readonly [code: string, text: string, ...fixed: string[]])[] = [
  ["glued-verbs", "a==b", "a=b", "a~b"],
  ["glued-verbs", "a!=b", "~a=b"],
  ["glued-verbs", "f[a]<=b", "~f[a]>b"],
  ["glued-verbs", "1+a>=b", "1+~a<b"],
  ["glued-verbs", "a**2", "a^2"],
  ["glued-verbs", "a+=1", "a+:1"],
  ["glued-verbs", "if[a&&b;f 1]", "if[a&b;f 1]"],
  ["glued-verbs", "c:=5", "c:5"],
  ["minus-glued", "a -1", "a - 1"],
  ["comment-blank", "+ /1 2 3", "+/1 2 3"],
  ["comment-divides", "c:(a+b) / 2", "c:(a+b) % 2"],
  ["comment-divides", "c:(a+b) // 2", "c:(a+b) % 2"],
  ["comment-blank", "% /a", "%/a"],
  ["comment-divides", "+/a / #a", "+/a % #a"],
  ["single-quotes", "c:'text'", 'c:"text"'],
  ["int-range", "c:3000000000", "c:3000000000.0"],
  ["right-to-left", "2*3+4", "(2*3)+4"],
  ["right-to-left", "a>1&a<5", "(a>1)&a<5"],
  ["char-atom", 'a~"x"', 'a~,"x"'],
  ["char-atom", '"x"~a', '(,"x")~a'],
  ["float-count", "(7%2)#a", "(7 _div 2)#a"],
  ["float-count", "do[2^3;a]", "do[_ 2^3;a]"],
  ["brace-line", "g:{\n  x+1\n}", "g:{\n  x+1}"],
  ["dollar-cond", "$[a;1;2]", ":[a;1;2]"],
  ["equals-assign", "c = 5;", "c:5;"],
  ["equals-assign", "a = 5", "a:5"],
  ["unknown-name", "prise+1", "price+1"],
  ["unknown-name", "x:true", "x:1"],
  ["unknown-name", ".prise", ".price"],
  ["unknown-name", "a_b", "a _ b"],
  ["reserved", "_sinn 1", "_sin 1"],
]

it.each(cases)("E2 %s in %j", (code, text, ...fixed) => {
  const issue = validate(text, held).find((each) => each.code === code)!
  const at = offsetOf(text, issue)
  const made = fixesOf(text, tokensOf(text), at, issue).map(({ edits }) => edited(text, edits))
  expect(made.slice(0, fixed.length)).toEqual(fixed)
  for (const each of made) expect(validate(each, held).filter((left) => left.code === code && offsetOf(each, left) === at)).toEqual([])
})

it("E2 no assignment is offered for a == b, in which a has no value", () => {
  const text = "nosuch == b"
  const issue = validate(text, held).find(({ code }) => code === "equals-assign")!
  expect(fixesOf(text, tokensOf(text), offsetOf(text, issue), issue)).toEqual([])
})
