/** The rows of the glyph verbs are true, also at their edges, by the language page and the measured interpreters. */
import { describe, expect, it } from "vitest"
import { makeInterpreter } from "../../../src/k3/k3.ts"
import { verbs } from "../../../src/k3/primitives/table.ts"
import { memoryHost } from "../../lib/memoryHost.ts"
import { statements } from "../../../src/k3/text/statements.ts"

/** The output of statements, one per line, in a fresh interpreter, without the last newline; an error as its name, such as `'type`. */
const printed = (code: string): string => {
  const host = memoryHost()
  const interpreter = makeInterpreter(host, { memory: 1e9 })
  for (const { source } of statements(code)) {
    const failure = interpreter.evaluate(source)
    if (failure !== undefined) return `'${failure.name}`
  }
  return host.take().replace(/\n$/, "")
}

describe("every example prints what its row says", () => {
  const examples = verbs.flatMap((row) => row.examples.map(([code, prints]) => [row.glyph, code, prints] as const))
  it.each(examples)("%s: %s", (_glyph, code, prints) => expect(printed(code)).toBe(prints))
})

describe("the table", () => {
  it("has a monad and a dyad for every glyph", () => {
    const keys = verbs.map(({ glyph, valence }) => glyph + valence)
    expect(keys).toEqual(Array.from("+-*%|&^!<>=~?_,#@.$:", (glyph) => [glyph + 1, glyph + 2]).flat())
  })
  it("documents every row in one sentence with examples", () => {
    for (const row of verbs) {
      expect(row.doc, row.glyph).toMatch(/^\S.*\.$/s)
      expect(row.examples.length, row.glyph).toBeGreaterThan(1)
    }
  })
})

/** By topic file: code and its output. */
const edges: Record<string, readonly (readonly [code: string, prints: string])[]> = {
  arithmetic: [
    ["0I+2", "-0I"],
    ["0N-1", "0I"],
    ["-0I - 27", "2147483622"],
    ["65536*65536", "0"],
    ["-(-2147483647)-1", "0N"],
    ["1+(1;2.5;(3 4;5))", "(2\n 3.5\n (4 5\n  6))"],
    ["(1 2;3)+10 20", "(11 12\n 23)"],
    ["1 2+1 2 3", "'length"],
    ["1+`a", "'type"],
    ['"a"*2', "'type"],
    ["1+_n", "'type"],
    ["1 0 -1%0", "0i 0n -0i"],
    ["10^1000", "0i"],
    ["-8^0.5", "0n"],
    ["1 2 3.0^2", "1 4 9.0"],
    ["5!-3", "-1"],
    ["-3 4 -17!-4", "-3 0 -1"],
    ["5.0!-3.0", "-1.0"],
    ["5!0", "5"],
    ["1.5!0", "1.5"],
    ["20000000000000.0!3", "2.0"],
    ["123456789012345.0!10", "5.0"],
    ["1e16!3", "1.0"],
    ["-1e16!3", "2.0"],
    ["1e300!7", "1.0"],
    ["0.3!0.1", "0.0"],
    ["0.3!-0.1", "0.0"],
    ["4.2!0.7", "0.0"],
    ["100.3 1000000.3!0.1", "0 0.0"],
    ["-1e-14 1e-14 4e-13!3", "0 0 4e-13"],
    ["1.5 -1.5!/:1e15 -1e15", "(1.5 1e+15\n -1e+15 -1.5)"],
    ["1.5 -1.5=1.5 -1.5!'1e15 -1e15", "1 1"],
    ["300.00000000001 299.99999999999!300", "0 0.0"],
    ["5.5 -5.5!/:2 -2", "(1.5 0.5\n -0.5 -1.5)"],
    ["0i 0n!3", "0n 0n"],
    ["-1^0i -0i 0n 2", "1 1 0n 1"],
    ["-1.0^0i", "1.0"],
    ["1^0n -0i", "1 1.0"],
    ["0N!7", "5"],
    ["1e100&0i", "1e+100"],
    ["0n|5", "5.0"],
    ['"a"&"b"', "'type"],
    ["_ -2.5 -0i 0i 1e10", "-3 -0I 0I 0I"],
    ["_`a", "'type"],
    ["_ 1999999999.9999 123456789.99999 12345.99999999999", "1999999999 123456789 12345"],
    ["_ 1.999999999999999 28999.999999999996", "2 29000"],
    ["_ 0.3 4.2%0.1 0.7", "3 6"],
    ["_ -1e-15 -5.00000000000001", "-1 -6"],
    ["()+1", "()"],
  ],
  compare: [
    ["1=1.000000000001", "0"],
    ["0n=0n", "1"],
    ["0n=0N", "1"],
    ["0N< -0i", "1"],
    ["0i= -0i", "0"],
    ['"a"<1', "'type"],
    ["`b>`a`b`c", "1 0 0"],
    ['~"a"', "'type"],
    ["~`a`b", "`a. `b."],
  ],
  match: [
    ["()~!0", "0"],
    ['""~()', "0"],
    ["0n~0n", "1"],
    ["{x}~{ x}", "0"],
    ["(1;(2;`a))~(1;(2;`a))", "1"],
    ["1.0 2~1.00000000000001 2", "1"],
  ],
  structure: [
    ["**()", ""],
    ["*0#`", "`"],
    ['*""', '" "'],
    ["|()", "()"],
    ["-1!1 2 3 4", "4 1 2 3"],
    ["7!1 2 3", "2 3 1"],
    ["1.0!1 2", "'int"],
    ["`a`b!1 2", ".((`a;1;)\n  (`b;2;))"],
    ["+(1 2;3 4 5)", "'length"],
    ["+(1;`a)", "(1;`a)"],
    ["+`abc", "`abc"],
    ['+(1 2;"ab")', '((1;"a")\n (2;"b"))'],
    ["1,()", ",1"],
    ['"",()', "()"],
    ["(1;`a),2", "(1;`a;2)"],
    ["(1;`a;2)_di 1", "1 2"],
    ["^((1 2 3);(4 5);(6 7 8 9))", ",3"],
    ['^("ab";"cd")', "2 2"],
    ["^()", ",0"],
  ],
  take: [
    ["-5#1 2", "2 1 2 1 2"],
    ["3#42", "42 42 42"],
    ['0#"abc"', '""'],
    ["3#()", "(;;)"],
    ["2#{x}", "({x};{x})"],
    ["3#!0", "0 0 0"],
    ["2.0#!5", "'int"],
    ['2 -1#"abcd"', '("ab"\n "cd")'],
    ["^2 3 4 0 7 8#1", "2 3 4 0"],
    ["0 3#1", "!0"],
    ["2 -3#1", "'domain"],
    ["0 0 2 _ !3", "(!0\n 0 1\n ,2)"],
    ["2 1 _ !3", "'domain"],
    ["0 9 _ !5", "'length"],
    ["9 _ 1 2", "!0"],
    ["3 _ 7", "7"],
  ],
  grade: [
    ["<5", "'rank"],
    ["<()", "!0"],
    ["<2.5 0n -0i 1", "1 2 3 0"],
    ['<("ad";"abd";,"a")', "2 1 0"],
    ['<("ad";"abd";"a")', "1 0 2"],
    ['<(`a;"ab";1;2.5;1 2;1.5 2;`a`b;();_n)', "6 1 5 4 7 2 3 0 8"],
    ['>(("";,"\\000";" "))', "2 1 0"],
    ["<`b`a``c", "2 1 0 3"],
    ["<(2 1;1 2 3)", "0 1"],
    ["<(`b`a;`a`b`c)", "0 1"],
    ["<(1.5 2;1 2 3.0)", "0 1"],
    ["<((2;`b);(1;`a;3))", "0 1"],
    [">(2 1;1 2 3)", "1 0"],
    ["<((2 1;1);(1 2 3;1);(1 3;1))", "2 0 1"],
    ["<2147483647 -2147483647 0 5 100000", "1 2 3 4 0"],
  ],
  search: [
    ["=5", "'rank"],
    ["?5", "'rank"],
    ["=()", "()"],
    ["?``a``b", "` `a `b"],
    ["=(1 2;3;1 2)", "(0 2\n ,1)"],
    ["=1 1.0 1.00000000000001 2", "(0 1 2\n ,3)"],
    ["&0", "!0"],
    ["&1.0", "'int"],
    ["5?5", "'domain"],
    ["1 2 3?2.0", "1"],
    ["(1 2;3 4)?3 4", "1"],
    ['"abc"?"c"', "2"],
    ["(1;1.0)?1.0", "1"],
    ['" abcdefgh"?/:"faded"', "6 1 4 5 4"],
  ],
  enumerate: [
    ["! -2", "'domain"],
    ["!0", "!0"],
    ["!3 0", "()"],
    ["!`a", "'value"],
    ["a:1\n!`", ",`k"],
    ["!1000000000", "'wsfull"],
  ],
  execute: [
    ["(*. .,(`a;`b;`c))~`a`b`c", "1"],
    [".,`a`b", ".,(`a;`b;)"],
    [".()", ".()"],
    [".,(`a;1;.())", ".,(`a\n   1\n   .())"],
    [".,(1;2)", "'type"],
    [".,(`a;1;2;3)", "'length"],
    ["a:5\n.`a", "5"],
    ['.`"1"', "'domain"],
  ],
  "an index that is a list": [
    ["5@()", "()"],
    ["5@(();())", "(();())"],
    ["5@(();1)", "'rank"],
    ["5@!0", "'rank"],
    ["d:.((`a;1);(`b;()))\nd[`a;()]", "()"],
    ["(1;2 3)[;()]", "(();())"],
    ["1 2 3@()", "()"],
    // Equal keys are kept, and the last one's entry is found (the language page, 1).
    [".((`a;1);(`b;3);(`a;2))", ".((`a;1;)\n  (`b;3;)\n  (`a;2;))"],
    ["d:.((`a;1);(`b;3);(`a;2))\n(d`a;d.a;d[`a`b])", "(2\n 2\n 2 3)"],
    ["d:.((`a;1);(`b;3);(`a;2))\nd[`a]:7\nd[]", "1 3 7"],
    ["d:.((`$'\"abcdefgha\"),'!9)\nd`a", "8"],
  ],
  identity: [
    ["::5", "5"],
    ["{::x;2}5", "2"],
    ["(::)'1 2", "1 2"],
    ["f:(::);f`a", "`a"],
    ["a::5;a", "5"],
    ["(::)~(:)", "0"],
    // The first two colons assign a global.
    ["a:::5;a", "5"],
    ["{a:::x;a}5", "5"],
    ["a:::;a", ":"],
    ["a::::;a", "::"],
  ],
  inverse: [
    ["{x^2}?9", "3.0"],
    ["?[{(x^2)+(-x)+(-1)};0;1]", "1.618034"],
    ["?[{(x^2)+(-x)+(-1)};0;.25]", "-0.618034"],
    ["{1}?2", "'limit"],
  ],
  fold: [
    ["+/1 2 3", "6"],
    ["+/2 3#!6", "3 5 7"],
    ["+/1 2*(3 4;5 6)", "13 16"],
    ["+/1 2*3 4 5", "'length"],
    ["+/1.5 2*(3 4.0;5 6.0)", "14.5 18"],
    ["+/2*3 4", "14"],
    [',/("ab";"c";"")', '"abc"'],
    ["5,/!0", "5"],
    ['5,/""', "5"],
    ["5{x,y}/!0", "5"],
    ["0,/()", ",0"],
    ["1 2,/!0", "1 2"],
    [",/(1 2;`a;3)", "(1;2;`a;3)"],
    [",/,5", "5"],
    ["1.0+\\1 2", "1 2 4.0"],
    ["-':4 8 9 12 20", "4 1 3 8"],
    ['(~=\':"aab"),1', "0 1 1"],
    ["^\\2 3 2", "(2;8.0;64.0)"],
  ],
}

for (const [topic, cases] of Object.entries(edges))
  describe(topic, () => {
    it.each(cases)("%s", (code, prints) => expect(printed(code)).toBe(prints))
  })
