import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { printed } from "../../lib/session.ts"
import { withoutOwnership } from "../../../src/k3/values/ownership.ts"

describe("what was read is never changed", () => {
  it.each([
    ["all items", "a:1 2 3;a[1]:5;b:a[];a[0]:9;b", "1 5 3"],
    ["items by nil", "a:1 2 3;a[1]:5;b:a[_n];a[0]:9;b", "1 5 3"],
    ["items by a nil that was computed", "a:1 2 3;a[1]:5;n:_n;b:a n;a[0]:9;b", "1 5 3"],
    ["rows of all items", "m:(1 2;3 4);m[1;0]:5;b:m[];m[1;0]:9;b", "(1 2\n 5 4)"],
    ["a row", "m:(1 2 3;4 5 6);m[0;1]:7;r:m[0;];m[0;0]:9;r", "1 7 3"],
    ["a row of a row", "m:,,1 2;m[0;0;0]:7;r:m[0;0;_n];m[0;0;0]:9;r", "7 2"],
    ["rows behind each other", "m:(,1 2;,3 4);m[0;0;0]:7;r:m[;0;];m[0;0;0]:9;r", "(7 2\n 3 4)"],
    ["the value of an assignment to all items", "a:1 2 3;b:a[]+:1;a[0]:9;b", "2 3 4"],
    ["the value of an amendment by name", "a:1 2 3;b:.[`a;,_n;+;1];c:a[];a[0]:9;c", "2 3 4"],
    ["a literal's row, amended nowhere", "f:{m:(1 2 3;4 5 6);m[0;!0]:5;m[0;1]+:90;m};f[];*f[]", "1 92 3"],
    ["a literal, amended nowhere", "f:{a:1 2 3;a[!0]:5;a[0]:9;a};f[];a:f[];f[]", "9 2 3"],
    ["a value amended nowhere first", "a:b:1 2 3;a[(!0;1)]:5;b", "1 2 3"],
    ["a dictionary amended nowhere", "a:b:.,(`k;1);a[0#`]:5;a[`k]:7;b", ".,(`k;1;)"],
    ["the empty dictionary", "d:.,(`a;.());d[`a;0#`]:5;d[`a;`k]:7;.()", ".()"],
    ["items seen by a function among them", "a:({a[1]:9;x};1 2;3 4);a[2;0]:7;b:a[0 1;0];b", "0 1"],
    ["what a dependency amends", 'a:1 2 3;a[0]:5;b..d:"a[1]:9;1";b+a', "6 3 4"],
    ["what a text amends", 'a:1 2 3;a[0]:5;d:"a[1]:9;1";(.d)+a', "6 3 4"],
    ["what a function at a place keeps of it", "n:(1 2;3 4);n[0;0]:5;f:{m::x;n[0;0]:9;x};@[`n;0;f];m", "5 2"],
    ["what a function of the whole keeps of it", "n:1 2 3;n[0]:5;f:{m::x;n[0]:9;x};.[`n;();f];m", "5 2 3"],
    ["what a function keeps that then fails", 'n:(1 2;3 4);n[0;0]:5;f:{m::x;1+`a};@[.:;"@[`n;0;f]";:];n[0;0]:9;m', "5 2"],
    ["what a function of the whole keeps that then fails", 'n:1 2 3;n[0]:5;f:{m::x;1+`a};@[.:;".[`n;();f]";:];n[0]:9;m', "5 2 3"],
    ["a dictionary that a scan leaves as it is", "d:.,(`a;1);e:+\\d;e[`a]:2;d", ".,(`a;1;)"],
    ["a dictionary in a local that a scan leaves as it is", "f:{e:+\\x;e[`a]:2;x};f@.,(`a;1)", ".,(`a;1;)"],
    ["items read by strings among indices", 'd:.,(`a;1 2);d[`a;0]:5;d[`b]:1;*|d("d[`b]:9;1";`b)', "1"],
  ])("%s: %s", (_, script, expected) => {
    expect(printed(script)).toBe(expected)
    expect(withoutOwnership(() => printed(script))).toBe(expected)
  })
})

describe("marks of owners", () => {
  const src = join(import.meta.dirname, "../../../src/k3")
  const files = readdirSync(src, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".ts"))
  it("are read and written in one file alone", () => {
    const withoutComments = (path: string): string => readFileSync(join(src, path), "utf8").replaceAll(/\/\*\*?[^]*?\*\/|\/\/.*/g, "")
    const touching = files.filter((path) => /\.owner\b|\bo\$/.test(withoutComments(path)))
    expect(touching.map((path) => path.replaceAll("\\", "/"))).toEqual(["values/ownership.ts"])
  })
})
