import { describe, expect, it } from "vitest"
import { printed } from "../../lib/printed.ts"

describe("deleting", () => {
  it.each([
    ["3 2 4 5 _di 1 3", "3 4"],
    ["3 2 4 5 _di (0;1 2)", ",5"],
    ["3 2 4 5 _di !0", "3 2 4 5"],
    ["@[_di[1 2];2;:]", '(1;"index")'],
    ["@[_di[1 2];-1;:]", '(1;"index")'],
    ["(.((`a;1);(`b;2);(`c;3))) _di `a`c", ".,(`b;2;)"],
    ["3 4 4 5 _dv 6", "3 4 4 5"],
    ["1 2 2 _dv 2.0", ",1"],
    ["1.0 2 3 _dv 2", "1 3.0"],
    ["(1;2.0;`a) _dv 2", "(1;`a)"],
    ["1 0N 2 _dv 0n", "1 2"],
    ["1 2 3 _dv ,2", "1 2 3"],
    ["1 2 2.5 _dv 2.0", "1 2.5"],
    ['(1;"a";2) _dv "a"', "1 2"],
    ["(1 2;3 4;1 2) _dv 1 2", ",3 4"],
    ["`a`b`a _dv `a", ",`b"],
    ["4 4 _dv 4", "!0"],
    ['"oh! no" _dvl "!o"', '"h n"'],
    ["1 2 3 _dvl (1;`a)", "2 3"],
    ["a:1 2 3\nb:a _dv 2\na", "1 2 3"],
    ["@[_dv[5];5;:]", '(1;"rank")'],
  ])("%s", (code, prints) => expect(printed(code)).toBe(prints))
})

describe("membership", () => {
  it.each([
    ["4 3 _in\\: 1 7 2 4 6 3", "1 1"],
    ['"ooo" _in ("aaa";"ooo")', "1"],
    ["2 _in 2", "1"],
    ["`a _in !3", "0"],
    ["1 2 _in (1 2;3)", "1"],
    ["(1 2;3 4) _lin (3 4;5)", "0 1"],
    ["1 2.5 _lin 2.5 7", "0 1"],
    ["1 2 _lin `a`b", "0 0"],
    ["3 _lin 1 2 3", "1"],
  ])("%s", (code, prints) => expect(printed(code)).toBe(prints))
})

describe("binary search", () => {
  it.each([
    ["1 3 5 _bin 4", "2"],
    ["(!0) _bin 4", "0"],
    ["1 3 3 3 5 _bin 3", "1"],
    ["1 2.5 4 _bin 2", "1"],
    ["1 2 3 _bin 2.00000000000001", "1"],
    ["1 2 3.0 _binl 2.00000000000001 2.1", "1 2"],
    ["(1.0 2;3 4.0) _bin 1.00000000000001 2", "0"],
    ["0n 1 2.0 _binl 0n 1", "0 1"],
    ['("ab";"cd") _binl ("cd";"zz")', "1 2"],
    ["`a`c`e _bin `d", "2"],
    ["@[_bin[5];5;:]", '(1;"rank")'],
  ])("%s", (code, prints) => expect(printed(code)).toBe(prints))
})
