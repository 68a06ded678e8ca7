/** D3 W1 the notes about slips: one for each slip whose print shows it, and none for code that is meant. */
import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { idioms } from "../../src/help/idioms.ts"
import { slipsIn } from "../../src/help/slips.ts"
import { mayBeSlip } from "../../src/mcp/slipsOf.ts"
import { validate } from "../../src/k3/syntax/validate.ts"

const nothing = { names: new Map<string, number>(), directory: ".k" }
const ours = new Set("int-range no-query dollar-cond equals-assign slash-divides system-glued control-value control-bracket".split(" "))

describe("no false alarm", () => {
  const cases = ["kx", "kona", "kx-bd"].flatMap((file) =>
    readFileSync(new URL(`../cases/${file}.jsonl`, import.meta.url), "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { readonly id: string; readonly code: string; readonly expected: string })
      .map(({ id, code, expected }) => [id, Buffer.from(code, "utf8").toString("latin1"), expected] as const),
  )
  const pairs = [...cases, ...idioms.flatMap(({ form, body }) => body.map((part) => [form, part[0] ?? "", part[1] ?? ""] as const))]

  it("in the note of an evaluation, on every idiom and every recorded case", () => {
    const told = pairs.flatMap(([id, code, output]) => {
      const failed = / error\n/.test(`${output}\n`)
      const slips = slipsIn({ code, output: failed ? "" : output, failed, error: output, held: nothing })
      return slips.length === 0 ? [] : [`${id}: ${code}: ${slips.join()}`]
    })
    // These do what the note says, to show it.
    expect(told).toEqual([
      expect.stringMatching(/^if_simple_test: if\[3; 42\] .* if gives nil/),
      expect.stringMatching(/^kona-tests02-L161: .* a: .*reads as nil/),
      expect.stringMatching(/^kona-tests02-L301: .* a: .*reads as nil/),
      expect.stringMatching(/^kona-testsBook-L1327: 4 3 _in 1 7 2 4 6 3: _in looks for all of x/),
    ])
  })

  // Cases about images hold random functions.
  it("of these traps in k_validate, on every idiom and case but those of images", () => {
    const told = pairs.flatMap(([id, code]) =>
      id.startsWith("bd-") || id === "if_simple_test"
        ? []
        : validate(code, nothing)
            .filter((each) => ours.has(each.code))
            .map((each) => `${id}: ${code}: ${each.code}`),
    )
    expect(told).toEqual([])
  })
})

describe("a name that was read as nil", () => {
  const nil = "type error: these are an int and nil, as a missing key is, and in a function a name without a value"
  const known = { names: new Map([[".k.tax", 2]]), directory: ".k" }

  it.each([
    ["f:{x+rate}\nf 1", nil, /^line 1: rate: nothing has given it a value, and in a function it reads as nil\.$/],
    ["{totl}[]", undefined, /^totl: nothing has given it a value/],
    ["{x+rate} 5", nil, /^rate: /],
  ])("W1 is told of %j", (code, error, told) => {
    const came = { ok: error === undefined, output: "", ...(error !== undefined && { error: { name: "type", text: error } }) }
    expect(mayBeSlip(code, came)).toBe(true)
    expect(slipsIn({ code, output: "", failed: error !== undefined, error, held: known })).toEqual([expect.stringMatching(told)])
  })

  it.each([
    ["{x+tax} 5", nil],
    ["f:{x+rate}", undefined],
    ["f:{x+rate};", undefined],
    ["f:{rate::5}\nf[]", undefined],
    ["if[1;{later}]", undefined],
    ["{x} _n", undefined],
    ["f:{x+1}\nf `a", "type error: + takes numbers"],
  ])("W1 is not told of %j", (code, error) =>
    expect(slipsIn({ code, output: "", failed: error !== undefined, error, held: known })).toEqual([]),
  )

  it("W1 tells three lines at most", () => {
    const code = "{a+b+c+d+e}[]\n2**3\n$[1;2;3]"
    expect(slipsIn({ code, output: "6\n", failed: true, error: nil, held: nothing })).toHaveLength(3)
  })
})

describe("a note where the print shows the slip", () => {
  it.each(["value error: x has no value", "Undefined variable: x"])("x = 5, and %j", (error) => {
    const told = [expect.stringMatching(/^= compares x with the right side\. Write x: to assign\.$/)]
    expect(slipsIn({ code: "x = 5", output: "", failed: true, error })).toEqual(told)
    expect(slipsIn({ code: "y = x", output: "", failed: true, error })).toEqual([])
  })

  it.each([
    ["+ /1 2 3", "+", /^a \/ behind a blank begins a comment.* Write \+\/ without the blank/],
    ["a:1 2\n+ /a", "+", /^line 2: a \/ behind a blank/],
    ["2**3", "6", /^\*\* is two verbs: a\*\(\*b\)\. Write a\^b\.$/],
    ["a:99999999999", "", /^99999999999 is beyond the ints, .* K reads it as 0I\. Write 99999999999\.0, a float\.$/],
    ["1 -99999999999 2", "1 -0I 2", /K reads it as -0I/],
  ])("%j", (code, output, told) => {
    expect(mayBeSlip(code, { ok: true, output })).toBe(true)
    expect(slipsIn({ code, output, failed: false })).toEqual([expect.stringMatching(told)])
  })

  it.each([
    ["7/2", "7", /^\/ is an adverb here, over\. Write 7%… to divide\.$/],
    ["a:3 5\n(+/a) / 2", "8", /^line 2: a \/ behind a blank .* Write %2 to divide\.$/],
    ["a:3 5\n+/a / #a", "8", /Write %#a to divide\.$/],
    ["1 2 3<=2", "(0 0 0\n 0 0 0)", /^<= is two verbs: a<\(=b\)\. Write ~a>b\.$/],
    ["f:{x==y}", "", /^== is two verbs/],
    ["r:if[1>0;3;4]", "", /^if gives nil\. Write :\[c;t;f\] for a value\.$/],
    ["if(b>1){b:3}", "", /^if needs its bracket right behind it/],
    ["s:'hello'", "", /^' is an adverb, or signals an error\. Write "hello"\.$/],
    [":[(2>1)&&(3>2);4;5]", "5", /^&& is two verbs, a&\(&b\): a list, and no condition\. Write a&b\.$/],
    ["f:{if[~x;:0];:[x<0;1;(x>1)&&x<5;2;3]}", "", /^&& is two verbs/],
    ["a:!9\na>2 & a<5", "0 0 0 1 1 1 1 1 1", /^line 2: > takes all of its right side, & and what follows too\. Write parentheses/],
    ["a:!9\na=2|a=5", "0 0 1 0 0 0 0 0 0", /^line 2: = takes all of its right side, \| and/],
    ["7 // 2", "7", /Write %2 to divide\.$/],
    ["1_t", "", /^_t is a name of the system\. Write _ t with a blank, for the verb _\.$/],
    ["b:1, c:2", "", /^a comma joins values: .*\. Write ; between statements\.$/],
    ['("I";",")0:"t.csv"', "", /^two chars make a string: this writes a file of that name\. Write \(,"I";","\)0:f/],
    [
      'x:("ab";"cd");x,:"ef";x',
      '("ab"\n "cd"\n "e"\n "f")',
      /^A string joined to a list of strings is joined char by char\. .* x,:,"…"\.$/,
    ],
    ["m:(1 2;3 4)\nm[0,1]", "(1 2\n 3 4)", /^line 2: a comma joins values: .*\. Write ; between indices/],
    ["x:1 2 3\nx[:2]", "3", /^line 2: a colon here cuts no part/],
    ["x:1 2 3\nx[x>2]", "1 1 2", /^line 2: a comparison gives 0 and 1/],
    ["x:1 2 3\nx[x>2]:0\nx", "0 0 3", /^line 2: a comparison gives 0 and 1/],
    ["x:1_000_000", "", /^_ is the verb drop/],
    ['`i$"12"', '`"12"', /^\$ reads text by a sample/],
    ["0N!5", "2", /^0N! is mod or rotation/],
    ["1<2<3", "0", /^this compares with the 0 or 1/],
    ["1 2 _in 2 3", "0", /^_in looks for all of x/],
    ['f:{if[x>1;"big";"small"]}', "", /^if gives nil, and does nothing with a value\. Write :\[c;t;f\]/],
    ["f:{x+y}\nf(3;4)", "{x+y}[3 4]", /^This is a projection: /],
    ["f:{x+y}\nf 3 4", "{x+y}[3 4]", /^This is a projection: /],
    ["{[a;b]a+b} (3,4)", "{[a;b]a+b}[3 4]", /^This is a projection: /],
    [
      "f:{x+y}\nr:f(3;4)",
      "",
      /^line 2: f takes 2 arguments, and is given one, a list: this is a projection\. Write f\[…;…\], or f \. \(…;…\)\.$/,
    ],
    ["f:{x+y}\nr:f(3;4)\nr", "{x+y}[3 4]", /^line 2: f takes 2 arguments/],
    ["*/1+!13", "1932053504", /^This product has wrapped: ints have 32 bits/],
    ["*/1+!40", "0", /^This product has wrapped: ints have 32 bits/],
    ["*/1+!20", "-2102132736", /^An int this far below 0 has probably wrapped/],
    ["{:[x<2;1;x*_f x-1]}20", "-2102132736", /has probably wrapped/],
    ['x:3\n"x is ",x', '("x";" ";"i";"s";" ";3)', /^Text joined with a number is a list of both/],
    ["x:3;x++", "3++", /^\+\+ is two verbs: .*Write a\+:1\.$/],
  ])("%j, which does not fail", (code, output, told) => {
    expect(mayBeSlip(code, { ok: true, output })).toBe(true)
    expect(slipsIn({ code, output, failed: false })).toEqual([expect.stringMatching(told)])
  })

  it.each([
    ["a==b", /^== is two verbs: a=\(=b\)\. Write a=b item by item, a~b as wholes\.$/],
    ["b += 1", /^\+= is two verbs.* Write a\+:b\.$/],
    ["a && b", /^&& is two verbs.* Write a&b\.$/],
    ["b := 3", /^:= is : and the verb =/],
    ["b:'hello'", /^' is an adverb, or signals an error\. Write "hello"\.$/],
    ["while(b<3){b+:1}", /^while needs its bracket/],
  ])("%j, which fails, by its signs", (code, told) => {
    expect(mayBeSlip(code, { ok: false, output: "", error: { name: "rank", text: "rank error" } })).toBe(true)
    expect(slipsIn({ code, output: "", failed: true, error: "rank error" })).toEqual([expect.stringMatching(told)])
  })

  it.each([
    ["let a = 5", "a", /^let: .*Write a:1\.$/],
    ["for[i:0;i<5;i+:1]", "i", /^for: .*Write f'x for each item, do\[n;a\]\.$/],
    ["def f(x): return x+1", "x", /^def: .*Write f:\{\[a;b\]a\+b\}\.$/],
    ["# a comment", "comment", /^A comment begins with \//],
    ["1+1 # add them", "them", /^A comment begins with \//],
    ["-- a comment", "comment", /^A comment begins with \//],
  ])("%j, whose error is of the name %s", (code, name, told) => {
    const error = `value error: ${name} has no value\n${code}\n^`
    expect(mayBeSlip(code, { ok: false, output: "", error: { name: "value", text: error } })).toBe(true)
    expect(slipsIn({ code, output: "", failed: true, error })[0]).toMatch(told)
  })

  it.each([
    ["a printed list", '"a",b', `(${'"a";'.repeat(500_000)}`, undefined],
    ["printed functions", "f 1 2", `{${"}[".repeat(500_000)}`, undefined],
    ["arguments", `f("${";".repeat(600_000)}")+1`, "{x+y}[1]", undefined],
    ["empty lines", `${"\n".repeat(600_000)}a`, "", "value error: a has no value"],
  ])("takes no squared time for %s", (_what, code, output, error) =>
    expect(slipsIn({ code, output, failed: error !== undefined, error })).toEqual([]),
  )

  it("an assignment that was written as a comparison, in a function", () => {
    const code = "g:{[a;b] c=a+b; c}; g[1;2]"
    const error = "type error: these are nil and an int, as a missing key is, and in a function a name without a value"
    expect(slipsIn({ code, output: "", failed: true, error, held: nothing })).toEqual([
      "= compares, and c has no value yet. Write c: assigns.",
    ])
  })

  it.each([
    ["c:1;t:2\nc ? t : 5", /^line 2: \? finds, and chooses nothing\. Write :\[c;a;b\], the conditional\.$/],
    ["r:c>1 ? 2 : 3", /^a name is assigned.*\. Write :\[c;a;b\], the conditional\.$/],
    ["$[1;2;3]", /^\$ formats, and chooses nothing\. Write :\[c;a;b\], the conditional\.$/],
    ["x:!9;x[1:]", /^a colon here cuts no part/],
    ["x:!9;x[2:4]", /^a colon here cuts no part/],
    ["select a from t", /^K has no select: .*k_help data/],
    ["r:select a from t", /^K has no select: .*k_help data/],
  ])("%j, which fails", (code, told) => expect(slipsIn({ code, output: "", failed: true })).toEqual([expect.stringMatching(told)]))

  it.each([
    ["1+ / the rest\n2", "3"],
    ["2147483647 -2147483648", "0I 0N"],
    ["12345678901.5", "1.23456789e+10"],
    ['"99999999999"', '"99999999999"'],
    ["x=5", "0"],
    ["x:4\nx = 5", "0"],
    ['"\\"a"', '"\\"a"'],
    ["from:1;select:2;select+from", "3"],
    ["1 2 3 ? t : 2", "1"],
    ["2**3", ""],
    ["(1+3) / 4", "4"],
    ["1=+/2 3", "0"],
    ["a:1 2||2 1", ""],
    ["{x<=y}", "{x<=y}"],
    ["f:{x+=y}", ""],
    ["f:+'g", ""],
    ["4%2 / 2", "2.0"],
    ["_sqrt 2 / 1.41", "1.414214"],
    ["3.14159*4 / 12.57", "12.56636"],
    ["z:+/(1 2 3) / 6", ""],
    ["$12 / 12", '"12"'],
    ["!0 / 0", "!0"],
    ["a:1+2 / 3", ""],
    ["a:3 / 3\nb:a+1\nb", "4"],
    ["a:(1+2) / 3\na", "3"],
    ["a[0]:5 / 5", ""],
    ["2**|1 2 3", "6"],
    ["2**/1 2 3", "12"],
    ["a:1;b:1 1\n:[a&&/b;2;3]", "2"],
    ["3&&1 0 1", "0 2"],
    ["a:!9\n(a>2)&a<5", "0 0 0 1 1 0 0 0 0"],
    ["2*3+4", "14"],
    ["a:5 // the fifth", ""],
    [":[*3&&1 0 1;4;5]", "5"],
    ["do[#a&&b;c]", ""],
    ["f:{:[x<2;1;(x*)_f x-1]}\nf 5", "120"],
    ["f:{x+y}\nf[3 4]", "{x+y}[3 4]"],
    ["f:{x+y}\ng:f[3 4]\ng", "{x+y}[3 4]"],
    ["m:4 5 6\nm[1,0]", "5 4"],
    ["f:{+/x}\nr:f(3;4)", ""],
    ["f:{x+y+z}\nr:f(3;4)", ""],
    ["f:{x+y}\nr:f[(3;4);5]", ""],
    ["*/1+!12", "479001600"],
    ["*/1+!13.0", ""],
    ["*/1.0+!13", "6227020800.0"],
    ['x:("ab";"cd");x,:,"ef";x', '("ab"\n "cd"\n "ef")'],
    ['("IF";",")0:"t.csv"', "(1 2\n 0.5 1)"],
    ["2*_t", "-510826164"],
    ["-1000000000*1", "-1000000000"],
  ])("none for %j", (code, output) => expect(slipsIn({ code, output, failed: false })).toEqual([]))

  it.each([
    ["n # ab", "value error: ab has no value\nn # ab\n    ^"],
    ["let 5", "value error: let has no value\nlet 5\n^"],
    ["sq 4 / 16", "value error: sq has no value\nsq 4 / 16\n^"],
    ["a:1 2||2 1\nzz", "value error: zz has no value\nzz\n^"],
    ["1 2 ? t:zz", "value error: zz has no value\n1 2 ? t:zz\n        ^"],
    ["1 2 ? 5; 3 : 4", "parse error: a name is assigned"],
    ["'x / can't do", "value error: x has no value\n'x / can't do\n ^"],
  ])("none for %j, which fails elsewhere", (code, error) => expect(slipsIn({ code, output: "", failed: true, error })).toEqual([]))

  it.each(["a:(3+5) / 2", "a:7 / 2", "a:7 // 2"])("%j, an assigned quotient", (code) =>
    expect(slipsIn({ code, output: "", failed: false })).toEqual([expect.stringMatching(/Write %2 to divide\.$/)]),
  )
})
