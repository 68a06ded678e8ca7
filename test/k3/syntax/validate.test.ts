/**
 * Checking without running.
 *
 * D3 `validate` never throws, ends, and calls nothing an error that runs; what does not run has at least one error; places are those of
 * the text.
 */
import { readFileSync } from "node:fs"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { idioms } from "../../../src/help/idioms.ts"
import { makeInterpreter } from "../../../src/k3/k3.ts"
import { type Held, type Issue, MOST, validate } from "../../../src/k3/syntax/validate.ts"
import { memoryHost } from "../../lib/memoryHost.ts"
import { statements } from "../../../src/k3/text/statements.ts"

const nothing: Held = { names: new Map(), directory: ".k" }
const held: Held = {
  names: new Map([
    [".k.a", -1],
    [".k.f", 7],
    [".k.total", 1],
    [".k.d.x", 1],
    [".u.twice", 7],
  ]),
  directory: ".k",
}

const short = ({ line, column, severity, code }: Issue): string => `${line}:${column} ${severity} ${code}`
const issues = (code: string, session = nothing): readonly string[] => validate(code, session).map(short)

/** The names of errors that come of the text alone. */
const syntactic = new Set(["parse", "open", "unmatched", "character", "reserved"])

describe("D3 the recorded cases", () => {
  const cases = ["kx", "kona"].flatMap((file) =>
    readFileSync(new URL(`../../cases/${file}.jsonl`, import.meta.url), "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { readonly id: string; readonly code: string })
      .map(({ id, code }) => [id, Buffer.from(code, "utf8").toString("latin1")] as const),
  )

  it("no error in code that runs, and one at least in code that is no K", () => {
    for (const [id, code] of cases) {
      const interpreter = makeInterpreter(memoryHost(), { steps: 1e6 })
      const failed = statements(code)
        .map(({ source }) => interpreter.evaluate(source)?.name)
        .some((name) => name !== undefined && syntactic.has(name))
      const errors = validate(code, nothing).filter(({ severity }) => severity === "error")
      expect(errors.length > 0, `${id}: ${code}`).toBe(failed)
    }
  })

  it("hardly any warning in code that runs", () => {
    const warned = cases.filter(([, code]) => validate(code, nothing).some(({ severity }) => severity === "warning"))
    expect(warned.length / cases.length).toBeLessThan(0.02)
  })

  it("no warning in an idiom", () => {
    for (const { form, body } of idioms) {
      const warned = validate(body[0]![0], nothing).filter(({ severity }) => severity !== "hint")
      expect(warned.map(short), form).toEqual([])
    }
  })
})

describe("errors of the text", () => {
  it.each([
    ["(1;2", ["1:1 error open"]],
    ['x:"abc', ["1:3 error open"]],
    ["f:{[x\n  x+1}", ["2:6 error unmatched"]],
    ["f:{[x\n  x+1}\nzz", ["2:6 error unmatched", "3:1 warning unknown-name"]],
    ["1)+2", ["1:2 error unmatched"]],
    ["1§2;3§4", ["1:2 error character", "1:6 error character"]],
    ["_foo 1;_bar 2", ["1:1 error reserved", "1:8 error reserved"]],
    ["_t:5", ["1:1 error reserved"]],
    ["12abc;3j", ["1:3 error parse", "1:8 error nonce"]],
    [":[0;2;;3]", ["1:7 error parse"]],
    ["1+:[;2;3]", ["1:3 error parse"]],
    ["if[;a]", ["1:1 error parse"]],
    ["1.2.3;.9.1+§", ["1:4 error parse", "1:9 error parse", "1:12 error character"]],
    ["a::;{[1]x}", ["1:7 error parse"]],
    ["a:(1;2\nb:3\nc:§", ["1:3 error open", "3:3 error character"]],
    ["good:1\n)\nbad:2+\n]", ["2:1 error unmatched", "4:1 error unmatched"]],
  ])("%j: %j", (code, wanted) => expect(issues(code)).toEqual(wanted))

  it("says where the bracket was opened", () => {
    expect(validate("f:{[x\n  x+1}", nothing)).toMatchObject([{ line: 2, column: 6, opened: { line: 1, column: 4 }, caret: "     ^" }])
    expect(validate("a:1\n(1;2", nothing)).toMatchObject([{ line: 2, column: 1, opened: { line: 2, column: 1 } }])
    expect(validate('b:"x', nothing)).toMatchObject([{ opened: { line: 1, column: 3 } }])
    expect(validate("f:{\n  x+1\n}", nothing)).toMatchObject([{ code: "brace-line", line: 3, opened: { line: 1, column: 3 } }])
  })

  it("says what to write, and shows the line with a caret", () => {
    expect(validate("a:1\nb:_sqr2 a", nothing)).toEqual([
      {
        severity: "error",
        code: "reserved",
        message: "_sqr2 is no system name",
        line: 2,
        column: 3,
        source: "b:_sqr2 a",
        caret: "  ^",
        instead: "_sqrt, or _ sqr2 with a blank for the verb _",
      },
    ])
    expect(validate("_ceil 2.5", nothing)).toMatchObject([{ code: "reserved", instead: "-_-x" }])
  })
})

describe("names", () => {
  it.each([
    ["b+1", ["1:1 warning unknown-name"]],
    ["b:1\nb+1", []],
    ["b+b:1", []],
    ["a+total", []],
    ["d.x+d[`x]", []],
    [".k.a+.u.twice 2", []],
    [".k.nosuch", ["1:1 warning unknown-name"]],
    ["{x+y+z}", []],
    ["{[p]q:p;{[r]r+q}p}", []],
    ["{later x}\nlater:{x}", []],
    ["later 1\nlater:{x}", ["1:1 warning unknown-name"]],
    ["{zz+1}", ["1:2 warning unknown-name"]],
    ["{zz::1}0\nzz", []],
    ["zz+:1", ["1:1 warning unknown-name"]],
    ["@[`zz;();:;1]\nzz", []],
    ["\\l other\nzz", ["2:1 hint unknown-name"]],
    [" \\l other\nzz", ["2:1 hint unknown-name"]],
    ["\\d .u\ntwice 2", []],
    ["\\d .v\nmine:1\n\\d .k\n.v.mine", []],
    ["\\d ^\nmine:1\n.mine\n\\d .k\n.mine", []],
    ["\\d .\nmine:1\n\\d .k\n.mine", []],
    ["g:{.k.later+later}\nlater:2", []],
    ["\\d .lib\ng:{.lib.later}\nlater:2", []],
    ["g:{.lib.later}\n\\d .lib\nlater:2", []],
    ["g:{.lib}\n.lib.sub.later:2", []],
    ["g:{later}\n.k.later:2", []],
    ["g:{later}\n\\d .lib\nlater:2", ["1:4 warning unknown-name"]],
    [".k.later\nlater:2", ["1:1 warning unknown-name"]],
    ["@[`zz;();:;1]\n.k.zz", []],
    ["@[`.lib.zz;();:;1]\n.lib.zz", []],
    ["zz zz zz", ["1:1 warning unknown-name"]],
    ["zz:,(`a;1)\n.zz", []],
    ["{[i]r:,(`a;1);(.r;i)}", []],
    ["{.zz}", ["1:2 warning unknown-name"]],
    ["(1;§;b:2)\nb", ["1:4 error character"]],
  ])("%j: %j", (code, wanted) => expect(issues(code, held)).toEqual(wanted))

  it.each([
    ["zz\nzz:1", "zz: nothing has given it a value; it is assigned only further down"],
    ["zz:1\n\\d ^\nzz", "zz: nothing has given it a value; it is assigned in another directory"],
  ])("%j: %s", (code, message) => expect(validate(code, held)[0]?.message).toBe(message))

  it.each([
    ["totl", "total"],
    ["sqrt 4", "_sqrt"],
    ["print 5", "a value alone on its line is printed; `0:text prints a string"],
    ["{[p]p_1}", "p _ 1 with blanks, for the verb _"],
    ["f:{.z.s x-1}", "_f"],
    ["a_1", "a _ 1 with blanks, for the verb _"],
    ["nearby:,(`a;1)\n.neaby", ".nearby"],
  ])("%j: write %s", (code, instead) => expect(validate(code, held)[0]?.instead).toBe(instead))
})

describe("what bites newcomers", () => {
  it.each([
    ["+ /1 2 3", ["1:3 warning comment-blank"]],
    ["+/1 2 3 /the sum", []],
    ["b:1 / note", []],
    ["b:(a+total) / 2", ["1:13 hint comment-divides"]],
    ["+/a / #a", ["1:5 hint comment-divides"]],
    ["b:1 / 2 of them", []],
    ["7/2", ["1:2 warning slash-divides"]],
    ["7/total", ["1:2 warning slash-divides"]],
    ["7 f/2", []],
    ["1 2 0/0", []],
    ["7+/2 3", []],
    ["1_t", ["1:2 warning system-glued"]],
    ["(a)_n", ["1:4 warning system-glued"]],
    ["1 _draw 5", []],
    ["1_ total", []],
    ["b:if[a;1;2]", ["1:3 warning control-value"]],
    ["b:while[a;1]", ["1:3 warning control-value"]],
    ["b:1+if[a;1;2]", ["1:5 warning control-value"]],
    ['{if[x>1;"big";"small"]}', ["1:2 warning control-value"]],
    ["{if[x>1;:1];if[x;a:2;f x];if[x;f[1];0:`a]}", []],
    ["b:1, c:2", ["1:4 warning comma-parts"]],
    ["b:1,c:2", []],
    ["b:1, (c:2)", []],
    ["a[0,1]", ["1:1 warning comma-parts"]],
    ["a[b:0,1;1]", []],
    ["a[:2]", ["1:1 warning slice"]],
    ["a[a>2]", ["1:1 warning mask"]],
    ["a[(a>2)&5>a]", ["1:1 warning mask"]],
    ["a[a>2]:0", ["1:1 warning mask"]],
    ["a[a>2]-:", ["1:1 warning mask"]],
    ["a[&a>2]:0", []],
    ["a[total?a]:0", []],
    ["a[&a>2]", []],
    ["a[1:]", ["1:1 warning slice"]],
    ["a[1:2]", ["1:1 warning slice"]],
    ["a[6:`file]", []],
    ["total[a>2]", []],
    ["b:1_000_000", ["1:4 warning digit-groups"]],
    ["2_345 6", []],
    ["1_000 2_000", ["1:2 warning digit-groups", "1:8 warning digit-groups"]],
    ["2 _ 345", []],
    ['`i$"12"', ["1:3 warning type-name"]],
    ['"I"$"12"', ["1:4 warning type-name"]],
    ['`$"12";" "$"a";0$"12"', []],
    ["0N!a", ["1:3 warning null-prints"]],
    ["0<a<9", ["1:2 warning chain"]],
    ["0<(a<9)", []],
    ["1 2 _in 2 3", ["1:5 warning whole-in"]],
    ["1 2 _in (1 2;3 4)", []],
    ["a++", ["1:2 warning glued-verbs"]],
    ["f:{a--}", ["1:5 warning glued-verbs"]],
    ["a--total", []],
    ["b:5\nb -1", ["2:3 warning minus-glued"]],
    ["b:5\nb - 1\nb-1", []],
    ["f -1", []],
    ["{[g]g -1}", ["1:7 hint minus-glued"]],
    ["h:{x+y};b:h(3;4)", ["1:11 warning one-list"]],
    ["h:{[p;q]p+q};b:h(a;4)", ["1:16 warning one-list"]],
    ["h:{x+y};b:h . (3;4);c:h 3 4;e:h[(3;4);5]", []],
    ["h:{+/x};b:h(3;4)", []],
    ["h:{[]3};b:h()", []],
    ["h:{x+y};g:{h:{+/x};h(3;4)};{[h]h(3;4)}g", []],
    ["h.s:{x+y};b:h(3;4)", []],
    ["f(3;4)", []],
    ["{[g;h] -1+g}", []],
    ["{a[0] -1}", ["1:7 hint minus-glued"]],
    ["f:{\n  x+1\n}", ["3:1 warning brace-line"]],
    ["f:{\n  x+1}", []],
    ["f:{\n  a::x\n}", ["3:1 hint brace-line"]],
    ["b = 5", ["1:1 warning equals-assign"]],
    ["b:5;b=4;b", ["1:6 warning equals-assign"]],
    ["a=5", []],
    ["a = 5", ["1:3 hint equals-assign"]],
    ["{a = 5}", []],
    ["$[a;1;2]", ["1:1 warning dollar-cond"]],
    ["5$a", []],
    ["total ? b : 5", ["1:7 hint question-cond"]],
    ["total ? 4 : 5", ["1:11 error parse"]],
    ["total?b:5", []],
    ["select x from t", ["1:1 warning no-query"]],
    ["r:select x from t where x>1", ["1:3 warning no-query"]],
    ["select:1;r:select from 1", ["1:19 warning unknown-name"]],
    ["b:99999999999 1", ["1:3 warning int-range"]],
    ["2147483647 -2147483648", []],
    ["3×4".replace("×", "\xc3\x97"), ["1:2 error character"]],
    ["a==5", ["1:2 warning glued-verbs"]],
    ["a!=5", ["1:2 warning glued-verbs"]],
    ["a+=5", ["1:2 warning glued-verbs"]],
    ["a&&f total", ["1:2 hint glued-verbs"]],
    ["while[a&&f total;f 1]", ["1:8 warning glued-verbs"]],
    ["while[a&&/total;f 1]", []],
    ["a**/total", []],
    ["b:=5", ["1:2 warning glued-verbs"]],
    ["b:=a", []],
    ["if (a) 1", ["1:1 warning control-bracket"]],
    ["if[a;b:1]", []],
    ["_sin:5", ["1:1 warning system-assign"]],
    ["(a%2)#1", ["1:3 warning float-count"]],
    ["do[a%2;b:1]", ["1:5 warning float-count"]],
    ["a[total%2]", ["1:8 warning float-count"]],
    ["a@total%2", ["1:8 warning float-count"]],
    ["(a%2)_ total", ["1:3 warning float-count"]],
    ["f[total%2]", []],
    ["2*3+4", ["1:2 hint right-to-left"]],
    ["2*(3+4)", []],
    ["(2*3)+4", []],
    ["a>1&a<5", ["1:2 warning right-to-left"]],
    ["(a>1)&a<5", []],
    ['a~"x"', ["1:2 hint char-atom"]],
    ['("a";"bc")', ["1:1 hint char-atom"]],
    ['?("a";"bc")', ["1:2 hint char-atom"]],
    ['$("a";"bc")', []],
    ['0$("1";"23")', []],
    [',/("a";"bc")', []],
    ['("IF";",")0:`file', []],
    ['`file 0:("a";"bc")', []],
    ['("I";",")0:`file', ["1:10 warning one-field"]],
    ['(,"I";",")0:`file', []],
    ['"I," 0:,"a"', []],
    ['"("~*a', []],
    ['a[0]~"("', []],
    ['f[0]~"("', ["1:5 hint char-atom"]],
    ["b:'abc'", ["1:3 warning single-quotes", "1:4 warning unknown-name"]],
    ["\\ls", ["1:1 warning shell-command"]],
    [" \\ls", ["1:2 warning shell-command"]],
    ["\\\\", ["1:1 warning leaves"]],
    ["\\t a", []],
  ])("%j: %j", (code, wanted) => expect(issues(code, held)).toEqual(wanted))
})

describe("D3 more issues than are shown", () => {
  const unknown = (n: number): string => Array.from({ length: n }, (_, i) => `n${i}`).join("\n")

  it("says so in place of the last one", () => {
    expect(issues(unknown(MOST)).at(-1)).toBe(`${MOST}:1 warning unknown-name`)
    expect(issues(unknown(MOST + 1)).slice(-2)).toEqual([`${MOST - 1}:1 warning unknown-name`, `${MOST}:1 hint more-issues`])
    expect(issues(unknown(500))).toHaveLength(MOST)
  })

  it("leaves out no error for a warning", () => {
    const found = issues(`${unknown(MOST + 5)}\n(1;`)
    expect(found).toHaveLength(MOST)
    expect(found.at(-1)).toBe(`${MOST + 6}:1 error open`)
    expect(found.at(-2)).toBe(`${MOST - 1}:1 hint more-issues`)
    expect(issues("§\n".repeat(500)).filter((each) => each.includes("error"))).toHaveLength(MOST - 1)
  })
})

describe("D3 any text", () => {
  const piece = fc.constantFrom(..."()[]{};:'/\\+-*%=~_`\"\n 019abxyz.,#!@$?<>&|^§", "if[", "_sin", "{[a]", "0:", "::", "\\l ", "/:", " /")
  const text = fc.array(piece, { maxLength: 120 }).map((pieces) => pieces.join(""))

  it("never throws, is bounded, and points into the text", () => {
    fc.assert(
      fc.property(text, (code) => {
        const lines = code.split("\n")
        const found = validate(code, held)
        expect(found.length).toBeLessThanOrEqual(MOST)
        for (const { line, column, caret, message } of found) {
          expect(line).toBeGreaterThan(0)
          expect(line).toBeLessThanOrEqual(lines.length)
          expect(column).toBeLessThanOrEqual(lines[line - 1]!.length + 1)
          expect(caret.endsWith("^")).toBe(true)
          expect(message).not.toBe("")
        }
      }),
      { numRuns: 1500 },
    )
  })

  it("agrees with the interpreter whether a statement is K", () => {
    fc.assert(
      fc.property(text, (code) => {
        const interpreter = makeInterpreter(memoryHost(), { steps: 1000, depth: 50 })
        const source = statements(code)[0]?.source
        if (source === undefined || /^[ \t]*\\/.test(source)) return
        const name = interpreter.evaluate(`{${source}\n}`)?.name ?? ""
        const errors = validate(`{${source}\n}`, nothing).filter(({ severity }) => severity === "error")
        if (syntactic.has(name)) expect(errors.length, code).toBeGreaterThan(0)
        else if (name !== "nonce") expect(errors, code).toEqual([])
      }),
      { numRuns: 1500 },
    )
  })

  it.each([
    ["a long line", "1+".repeat(25_000) + "nosuch"],
    ["functions in functions", "{[a]".repeat(390) + "nosuch" + "}".repeat(390)],
    ["a bracket in another", "(1;".repeat(390) + "nosuch" + ")".repeat(390)],
  ])("warns however deep it is: %s", (_what, code) => expect(validate(code, nothing).map((issue) => issue.code)).toEqual(["unknown-name"]))

  it.each([
    ["a name", (long: string) => long],
    ["a command", (long: string) => `\\${long}`],
    ["a reserved name", (long: string) => `_${long}`],
    ["a comparison", (long: string) => `${long}=1`],
  ])("an issue is short, whatever it quotes: %s", (_what, of) => {
    const [issue] = validate(of("x".repeat(90_000)), nothing)
    expect(JSON.stringify(issue).length).toBeLessThan(1500)
  })

  it.each([
    ["brackets too deep", "(".repeat(200_000)],
    ["brackets in brackets", "(".repeat(50_000) + "()".repeat(50_000)],
    ["verbs too many", "-".repeat(200_000)],
    ["lines left open", "a:(\n".repeat(20_000)],
    ["names unknown", Array.from({ length: 20_000 }, (_, i) => `n${i}`).join(";")],
    ["one long line", "1+".repeat(100_000)],
    ["comparisons as a place", `a[${"(a>2)&".repeat(12_000)}a<9]`],
    ["quotes", '"'.repeat(100_001)],
    ["comments", " /".repeat(100_000)],
  ])("ends: %s", (_what, code) => expect(validate(code, nothing).length).toBeLessThanOrEqual(MOST))
})
