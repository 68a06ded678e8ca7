/** I6 how K reads a text, as a nested list in one line. */
import { describe, expect, it } from "vitest"
import { treeText } from "../../../src/k3/syntax/tree.ts"
import { readStatement } from "../../../src/k3/syntax/validation/syntax.ts"

const tree = (code: string): string => treeText(readStatement(code).parsed!.tree)

describe("I6", () => {
  it.each([
    ["2*x+1", "(*;2;(+;`x;1))"],
    ["#x", "(#:;`x)"],
    ["f g x", "(`f;(`g;`x))"],
    ["f[;2]", "(`f;;2)"],
    ["x -1", "(`x;-1)"],
    ["x-1", "(-;`x;1)"],
    ["+/x", "((/;+);`x)"],
    ["x+/:y", "((/:;+);`x;`y)"],
    ["#+:", "(train;#:;+:)"],
    ["x+", "(+;`x;)"],
    ["`a", ",`a"],
    ["`a`b", ",`a `b"],
    ["(1;x)", "(list;1;`x)"],
    ['("ab";`c)', '("ab";`c)'],
    ["a:b:2", "(:;`a;(:;`b;2))"],
    ["a[0]+:1", "(+:;(`a;0);1)"],
    ["a::3", "(::;`a;3)"],
    ["a-:", "(-::;`a)"],
    [":[x;1;2]", "(:[];`x;1;2)"],
    ["if[x>1;y:2]", "(if;(>;`x;1);(:;`y;2))"],
    ["f:{x+1}", "(:;`f;{x+1})"],
    ["_log x", "(_log;`x)"],
    ["'`err", "(';,`err)"],
    ["a;b", "(;;`a;`b)"],
  ])("%s", (code, expected) => expect(tree(code)).toBe(expected))

  it("what nests deep, or is long, is cut", () => {
    expect(tree(`${"(".repeat(300)}x;1${")".repeat(300)}`).length).toBeLessThan(1000)
    expect(tree("-".repeat(1000) + "x")).toContain("…")
    expect(tree(Array.from({ length: 20_000 }, (_, i) => `x${i}`).join(";")).length).toBeLessThan(30_000)
  })
})
