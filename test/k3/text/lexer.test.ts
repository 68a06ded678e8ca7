import { describe, expect, it } from "vitest"
import { tokens } from "../../../src/k3/text/lexer.ts"
import { SyntaxKError } from "../../../src/k3/syntax/SyntaxKError.ts"

const lex = (text: string): string =>
  tokens(text, (name) => name === "_n" || name === "_ss")
    .slice(0, -1)
    .map((t) => `${t.kind}${"([{;".includes(t.kind) || ")]}".includes(t.kind) ? "" : `:${t.text}`}`)
    .join(" ")

const placeOfError = (text: string): string => {
  try {
    tokens(text, () => false)
  } catch (error) {
    if (error instanceof SyntaxKError) return `${error.kind} ${error.span.start}`
    throw error
  }
  return "none"
}

describe("the minus", () => {
  it.each([
    ["1 -3", "literal:1 -3"],
    ["1-3", "literal:1 verb:- literal:3"],
    ["1 - 3", "literal:1 verb:- literal:3"],
    ["a-1", "name:a verb:- literal:1"],
    ["a -1", "name:a literal:-1"],
    [")-3".padStart(4, "("), "( ) verb:- literal:3"],
    ["2*-3", "literal:2 verb:* literal:-3"],
    ["- 5", "verb:- literal:5"],
    ["x:-.5", "name:x colon:: literal:-.5"],
    ["{[x]-3}", "{ [ name:x ] verb:- literal:3 }"],
  ])("%s", (text, expected) => expect(lex(text)).toBe(expected))
})

describe("dots, colons, slashes, underscores", () => {
  it.each([
    ["a.b.c", "name:a.b.c"],
    [".k.a", "name:.k.a"],
    ["a..d", "name:a..d"],
    ["a.b.;(a.)", "name:a.b. ; ( name:a. )"],
    ["a . b", "name:a verb:. name:b"],
    ["{[x].k.a}", "{ [ name:x ] name:.k.a }"],
    ["{[].5}", "{ [ ] literal:.5 }"],
    ["{x[0].k}", "{ name:x [ literal:0 ] verb:. name:k }"],
    ["f.(1;2)", "name:f verb:. ( literal:1 ; literal:2 )"],
    ["`b. `c", "literal:`b. `c"],
    ["`a.1", "literal:`a verb:. literal:1"],
    ['`"a b"', 'literal:`"a b"'],
    ["0:f", "verb:0: name:f"],
    ["1 2 0:f", "literal:1 2 verb:0: name:f"],
    ["+/ 1 / sum", "verb:+ adverb:/ literal:1"],
    ["x/:y", "name:x adverb:/: name:y"],
    ["#:'x", "verb:#: adverb:' name:x"],
    ["a::b", "name:a colon:: colon:: name:b"],
    ["1_x", "literal:1 verb:_ name:x"],
    ["x _ss y", "name:x system:_ss name:y"],
    ['"a/b" /c', 'literal:"a/b"'],
  ])("%s", (text, expected) => expect(lex(text)).toBe(expected))
})

describe("line ends", () => {
  it.each([
    ["(1\n2)", "( literal:1 ; literal:2 )"],
    ["(\n1;\n2\n)", "( literal:1 ; literal:2 )"],
    ["{[a]\n a\n }", "{ [ name:a ] name:a ; }"],
    ["f[\n1\n]", "name:f [ literal:1 ]"],
    ["(1 / one\n/ nothing\n2)", "( literal:1 ; literal:2 )"],
    ["1\n", "literal:1"],
  ])("%j", (text, expected) => expect(lex(text)).toBe(expected))
})

describe("errors point at what is wrong", () => {
  it.each([
    ["(1;[2", "open 3"],
    ['1,"ab', "open 2"],
    ["1)", "unmatched 1"],
    ["(1]", "unmatched 0"],
    ["1+§", "character 2"],
    ["_nope", "reserved 0"],
    ["123j", "unknown 3"],
    ["0x10", "parse 1"],
  ])("%s", (text, expected) => expect(placeOfError(text)).toBe(expected))
})
