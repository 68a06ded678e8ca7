import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { display } from "../../../src/k3/values/format.ts"
import { TreeEvaluator } from "../../../src/k3/interpreter/TreeEvaluator.ts"
import { Interpreter } from "../../../src/k3/interpreter/Interpreter.ts"
import { count, Dict, isAtom, item, Sym, List, type Value } from "../../../src/k3/values/value.ts"
import { memoryHost } from "../../lib/memoryHost.ts"
import { printed } from "../../lib/session.ts"
import { anything } from "../../lib/values.ts"

describe("a change is seen through no other name", () => {
  it.each([
    ["a:3 1 2;b:a[<a];b[0]:9;a", "3 1 2"],
    ["a:3 1 2;b:a@>a;a[0]:9;b", "3 2 1"],
    ["a:b:!4;a[1]:9;b", "0 1 2 3"],
    ["a:1 2 3;a[0]:5;b:a;a[0]:6;b", "5 2 3"],
    ["m:3 3#!9;m[1;1]:100;r:m[1];m[1;0]:77;r", "3 100 5"],
    ["m:(1 2;3 4);m[0;0]:9;n:m;m[0;0]:8;n", "(9 2\n 3 4)"],
    ["a:1 2 3;f:{a[0]+:1;a};x:f[];f[];x", "2 2 3"],
    ["a:1 2;a,:3;b:a;a,:4;b,:5;(a;b)", "(1 2 3 4\n 1 2 3 5)"],
    ["f:{x[0]:9;x};a:1 2 3;f a;a", "1 2 3"],
    ["d:.((`a;1 2);(`b;3));d[`a;0]:9;e:d;d[`a;0]:8;e[`a]", "9 2"],
    ["{a:!3;a[0]:5;g:{a};a[0]:6;g[]}[]", "5 1 2"],
    ["a:!3;a[0]:1;(a;a[0]:7)[0]", "7 1 2"],
    ["a:0 0;a[0]:1;f:{a[0]:9;0};f[0]+a", "1 0"],
    ["l:,1 2;l[0;0]:5;r:*l;l[0;0]:6;r", "5 2"],
  ])("%s", (script, expected) => expect(printed(script)).toBe(expected))
})

describe("an error leaves the variable as it was", () => {
  it.each([
    ["a:!3;a[0]:9;a[0 1 7]:5\na", "9 1 2"],
    ["a:!100;a[0]:1;a[3 4 200]:1 2 3\na~1,1+!99", "1"],
    ["a:!100;a[0]:1;a[3 4 5]+:(1;2;`a)\na~1,1+!99", "1"],
    ["a:(!5;!5);a[0;0]:7;a[1;0]:7;a[0 1;2]+:(1;`b)\na~2#,7,1+!4", "1"],
    ["l:100#,`a`b;l[0]:5;l[1]:(1;`x);l[1 2 300],:5\n(l 1;l 2)", "((1;`x)\n `a `b)"],
    ["d:.((`a;!3);(`b;`x));d[`c]:1;d[`a;0]:0;d[`q`a`b]+:1\n(!d;d.a)", "(`a `b `c\n 0 1 2)"],
    ["a:!3;a[0]:9;a[0 1]:5 6 7\na", "9 1 2"],
    ["a:(1 2;`x);a[0;0]:9;a[0 1]+:1\na", "(9 2\n `x)"],
    ["a:5\na:1+`b\na", "5"],
  ])("%s", (script, expected) => expect(printed(script).split("\n").slice(-expected.split("\n").length).join("\n")).toBe(expected))
})

/** A place in a value: an index or key at each depth, into lists, vectors and dictionaries of any kind. */
const placeIn = (x: Value, choices: readonly number[]): Value[] => {
  const [choice, ...rest] = choices
  if (choice === undefined) return []
  if (x instanceof Dict) {
    if (x.keys.length === 0) return []
    const i = choice % x.keys.length
    return [x.keys[i]!, ...placeIn(x.values[i]!, rest)]
  }
  if (isAtom(x) || count(x) === 0) return []
  const i = choice % count(x)
  return [i, ...placeIn(item(x, i), rest)]
}

describe("amend touches only what it names", () => {
  // A symbol that ends in a dot names attributes.
  const plainKeys = (path: readonly Value[]): boolean => path.length > 0 && path.every((i) => !(i instanceof Sym && i.text.endsWith(".")))
  const cases = fc
    .tuple(anything, fc.array(fc.nat(), { minLength: 1, maxLength: 3 }), anything)
    .map(([x, choices, y]) => ({
      x,
      path: placeIn(x, choices),
      y,
      [fc.toStringMethod]: () => [x, y].map((v) => display(v, 17)).join(" <- "),
    }))
    .filter(({ path }) => plainKeys(path))
  const host = memoryHost()
  const k = new TreeEvaluator(host)
  const interpreter = new Interpreter(k, {})
  const answer = (code: string): string => {
    const failure = interpreter.evaluate(code)
    return host.take() + (failure?.rendered ?? "")
  }
  const forms: readonly (readonly [name: string, code: string])[] = [
    ["a[..]:y", "@"],
    ["the same of a variable that owns its value", "a:b;@;@"],
    [".[a;p;:;y]", "a:.[a;p;:;y]"],
    [".[`a;p;:;y]", ".[`a;p;:;y]"],
  ]
  it.each(forms)("%s", (_name, code) => {
    fc.assert(
      fc.property(cases, ({ x, path, y }) => {
        k.variables.assign("x", x)
        k.variables.assign("y", y)
        k.variables.assign("p", new List(path))
        path.forEach((i, depth) => k.variables.assign(`p${depth}`, i))
        const assignment = `a[${path.map((_, depth) => `p${depth}`).join(";")}]:y`
        expect(answer(`a:x;b:x;${code.replaceAll("@", assignment)};`)).toBe("")
        // What was changed is there, the other name sees nothing of it, and put back it is the same again.
        expect(answer("((a . p)~y;b~x)")).toBe("1 1\n")
        expect(answer(".[`a;p;:;x . p];a~x")).toBe("1\n")
      }),
      { numRuns: 200 },
    )
  })
})

it("appending takes time in proportion to what is appended", () => {
  // Copying would take 2e10 steps; the limit stands for the time.
  expect(printed('a:!0;s:"";l:();do[100000;a,:1;s,:"x";l,:,"ab"];(#a;#s;#l)', { steps: 5_000_000 })).toBe("100000 100000 100000")
})

it("a dictionary grows in place, and no other name sees it", () => {
  expect(printed('d:.();i:0;while[i<20000;d[`$$i]:i;i+:1];e:d;d[`x]:1;(#!d;#!e;d[`$"777"])', { steps: 2_000_000 })).toBe("20001 20000 777")
})

it("many places are amended in place too", () => {
  expect(printed("a:100000#0;b:a;i:0;while[i<1000;a[i,i+1]:i;i+:1];(+/a;+/b)", { steps: 2_000_000 })).toBe("500499 0")
  expect(printed("a:!4;a[1 1 2]:7 8 9;a")).toBe("0 8 9 3")
  expect(printed("a:!3;a[0]:0;a[a]:2 1 0;a")).toBe("2 1 0")
})

it("amending in a loop copies once", () => {
  expect(printed("a:100000#0;m:300 300#0;i:0;while[i<300;a[i]:i;m[i;i]:1;i+:1];+/+/m", { steps: 2_000_000 })).toBe("300")
})

describe("appending and amending in place, wherever the value stands", () => {
  const n = 20_000
  // A copy each time would be 2e8 steps; the limit stands for the time.
  it.each([
    ["l:!0;f:{l,:x};i:0", "f i", "#l", n],
    ["l:();f:{l,:,x,x};i:0", "f i", "#l", n],
    ["l:();f:{[x;y]l,:,x,y};i:0", "f[i;i]", "#l", n],
    ["l:!0;i:0", "l:l,i", "#l", n],
    [".k.a.b:!0;f:{.k.a.b,:x};i:0", "f i", "#.k.a.b", n],
    ["d:.,(`l;!0);i:0", "d[`l],:i", "#d.l", n],
    ["d.l:!0;i:0", "d.l,:i;d.n:#d.l", "d.n", n],
    ["d.l:();i:0", "d.l,:,`a`b", "#d.l", n],
    ["a:(!0;0#0.0);i:0", "a[1],:i%2", "#a 1", n],
    ["a:(!0;());i:0", "a[1],:,`a`b", "#a 1", n],
    ["a:!0;i:0", ".[`a;();,;i]", "#a", n],
    [`a:${n}#0;i:0`, "@[`a;i;:;1]", "+/a", n],
    [`a:${n}#0;i:0`, "a[1 2 3]+:1 2 3", "+/a", 6 * n],
    [`a:2 ${n}#0;i:0`, "a[1;5 6]+:1", "+/+/a", 2 * n],
    [`a:2 ${n}#0;i:0`, "a[0 1;7]+:1 2", "+/+/a", 3 * n],
    [`m:3 ${n}#0;i:0`, "m[1;i]:m[0;i]+1", "+/m 1", n],
  ])("%s; %s", (start, step, show, answer) => {
    expect(printed(`${start};while[i<${n};${step};i+:1];${show}`, { steps: 3_000_000 })).toBe(String(answer))
  })

  it.each([
    ["a:!3;a,:3;b:a;a,:4;a[0]:9", "b", "0 1 2 3"],
    ["a:!3;a,:3;b:a;b,:5;a,:4", "b", "0 1 2 3 5"],
    ["a:!3;b:a,:3;a,:4;b,:5;a[0]:7", "(a;b)", "(7 1 2 3 4\n 0 1 2 3 5)"],
    ["f:{a,:x};a:!2;b:f 2;a[0]:5;c:f 3;a[1]:6", "(a;b;c)", "(5 6 2 3\n 0 1 2\n 5 1 2 3)"],
    ["f:{a,:,x};a:(1 2;3);b:f 2;a[1]:5;f 3;a[0]:6", "(a;b)", "(6 5 2 3\n (1 2\n  3\n  2))"],
    ["d.l:!2;e:d;d.l,:2;m:d.l;d.l[0]:9", "(d.l;e.l;m)", "(9 1 2\n 0 1\n 0 1 2)"],
    ["d.l:(1;`a);e:d.l;d.l,:2;g:d.l;d.l,:3", "(#d.l;#e;#g)", "4 2 3"],
    ["a:(!2;!3);b:a 1;a[1],:9;c:a 1;a[1;0]:7", "(a 1;b;c)", "(7 1 2 9\n 0 1 2\n 0 1 2 9)"],
    ["a:(!2;!3);a[0],:5;b:a 0;a[0],:6;b,:7;a[0;0]:8", "(a 0;b)", "(8 1 5 6\n 0 1 5 7)"],
    ["a:!5;@[`a;0;:;9];b:a;@[`a;1;:;8]", "(a;b)", "(9 8 2 3 4\n 9 1 2 3 4)"],
    ["m:(!3;!3);m[0;0]:5;r:m 0;x:m[0;1];m[0;1]:6", "(m 0;r)", "(5 6 2\n 5 1 2)"],
  ])("%s: who holds a part of it sees no change", (code, show, answer) => expect(printed(`${code};${show}`)).toBe(answer))
})

describe("the memory of a value that a variable alone held serves again, and nobody sees that", () => {
  it.each([
    ["{s:r:x+1;r:x+2;q:x+3;+/s}[100#0]", "100"],
    ["{r:x+1;s:r;r:x+2;q:x+3;(+/r;+/s;+/q)}[100#0]", "200 100 300"],
    ["f:{r::x+1;t::r;r::x+2;r::x+3;q:x+4;(+/r;+/t;+/q)};f 100#0", "300 100 400"],
    ["{r:x+1;g:{[i]+/r};r:x+2;r:x+3;q:x+4;g 0}[100#0]", "100"],
    ["{l:();i:0;while[i<5;r:x+i;l,:,r;i+:1];+/'l}[100#0]", "0 100 200 300 400"],
    ["{r:+\\x;s:(r;r);r:+\\x+1;r:+\\x+2;+/*s}[100#1]", "5050"],
    ["{r:+\\x;r:+\\x+1;r:|\\x+2;(#x;r)}[!0]", "(0;!0)"],
    ["{r:x+1;r+:r;r*:r;r-:x;+/r}[100#0]", "400"],
    ["{r:x+1;r+r:x+2}[100#0]0", "4"],
    ["{r:x+1;(r:x+2)+r}[100#0]0", "3"],
    ["{r:x+1;{[y]r::y;0}[r+1];r:x+3;r:x+4;+/r}[100#0]", "400"],
    ["{do[3;r:0.5*x;s:_sqrt r;t:s>0];(+/r;+/t)}[100#8]", "(400.0;100)"],
    ["{do[3;r:x>50;s:&r;r:|s];(#r;*r;*s)}[!100]", "49 99 51"],
    ["f:{r:x+1;r};a:f 100#0;b:f 100#5;(+/a;+/b)", "100 600"],
    ["{d:.,(`a;x+1);r:d.a;r:x+2;r:x+3;q:x+4;+/d.a}[100#0]", "100"],
    ["{r:x+1;p:@[;0 1;:;r 5];r:x+2;q:x+3;*p x}[100#0]", "1"],
  ])("%s", (code, answer) => expect(printed(code)).toBe(answer))
})
