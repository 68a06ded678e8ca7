import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { printed } from "../lib/session.ts"

describe("a change is seen through no other name", () => {
  it.each([
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
    ["a:!3;a[0]:9;a[0 1]:5 6 7\na", "9 1 2"],
    ["a:(1 2;`x);a[0;0]:9;a[0 1]+:1\na", "(9 2\n `x)"],
    ["a:5\na:1+`b\na", "5"],
  ])("%s", (script, expected) => expect(printed(script).split("\n").slice(-expected.split("\n").length).join("\n")).toBe(expected))
})

it("amend touches only what it names", () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: -99, max: 99 }), { minLength: 1, maxLength: 20 }),
      fc.nat(),
      fc.integer({ min: -99, max: 99 }),
      (v, at, y) => {
        const i = at % v.length
        const expected = v.with(i, y)
        const vector = (w: readonly number[]): string => (w.length === 1 ? `,${w[0]}` : w.join(" "))
        expect(printed(`a:${vector(v)};b:a;a[${i}]:${y};a`)).toBe(vector(expected))
        expect(printed(`a:${vector(v)};a[${i}]:0;b:a;a[${i}]:${y};@[b;${i};:;${y}]~a`)).toBe("1")
      },
    ),
    { numRuns: 100 },
  )
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
