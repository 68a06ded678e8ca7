import { describe, expect, it } from "vitest"
import { makeConsole, printed } from "../../lib/session.ts"

describe("directories and paths", () => {
  it.each([
    [".k.foo:42\nfoo", "42"],
    ["\\d .a.b\nx:1\n\\d .k\n.a.b.x", "1"],
    ["\\d .a.b\n\\d ^\n\\d", ".a"],
    ["d.x.y:5\nd", ".,(`x\n   .,(`y;5;)\n   )"],
    ["d.x:1\n\\d d\nx:2\n\\d .k\nd.x", "2"],
    [".a.b:1\n!`.a", ",`b"],
    ["a:1;b:2\n\\v", "a b"],
    ['a:1\n."\\\\v"', ",`a"],
    ["a:1\n\\9\n.k", ""],
  ])("%j", (script, expected) => expect(printed(script)).toBe(expected))
})

describe("attributes", () => {
  it.each([
    ["a..x:7\na..x", "7"],
    ["d:.((`a;1);(`b;2))\nd.a..x:3\nd[`a.]", ".,(`x;3;)"],
    ["a:1\na..x:7\n.`a.", ".,(`x;7;)"],
  ])("%j", (script, expected) => expect(printed(script)).toBe(expected))
})

/** Dependencies and triggers are recorded from no Kx engine here; these hold our reading of the manual. */
describe("dependencies and triggers", () => {
  it.each([
    ['b:5\na..d:"b+1"\na\nb:7\na', "6\n8"],
    ['a..d:"b+1"\nc..d:"a*2"\nb:1\nc\nb:2\nc', "4\n6"],
    ['b:1\nn:0\na..d:"n+:1;b"\na\na\nn', "1\n1\n1"],
    ['t:0\nc:1\nc..t:"t+:1"\nc:2\nc:3\nt', "2"],
    ['v:!3\nv..t:"seen:(_v;_i)"\nv[2]:7\nseen', "(`.k.v;2)"],
    ['d:.,(`a;1)\nd..t:"seen:(_v;_i)"\n.k.d.a:7\nseen', "`.k.d `a"],
    ['d:.,(`a;1)\nd.a..t:"seen:(_v;d.a)"\nd.a:7\nseen', "(`.k.d.a;7)"],
    ['d:.,(`a;1)\nd.a..t:"seen:(_v;d.a)"\n.k.d.a:7\nseen', "(`.k.d.a;7)"],
    ['d:.,(`a;1)\nd.a..t:"seen:(_v;d.a)"\nd[`a]:7\nseen', "(`.k.d.a;7)"],
    ['d:.,(`a;1)\nd.a..t:"seen:(_v;d.a)"\nd[`a]+:7\nseen', "(`.k.d.a;8)"],
    ['d:.,(`a;!3)\nd.a..t:"seen:(_v;_i)"\nd[`a;1]:7\nseen', "(`.k.d.a;1)"],
    ['d:.,(`a;!3)\nd.a..t:"seen:(_v;_i)"\n.[`d;(`a;1);:;7]\nseen', "`d\n(`.k.d.a;1)"],
    ['d:.,(`a;!3)\nd.a..t:"seen:(_v;_i)"\n{d[`a;1]:x;}7\nseen', "(`.k.d.a;1)"],
    ['d.a.b:1\nd.a.b..t:"seen:_v"\nd.a.b:2\nseen', "`.k.d.a.b"],
    ['d.a.b:1\nd.a..t:"seen:(_v;_i)"\nd.a.b:2\nseen', "`.k.d.a `b"],
    ['d:.((`a;1);(`b;2))\nn:0\nd.a..t:"n+:1"\nd[`a`b]:3 4\nd[]:5\nd.b:6\nd.a..t:""\nd.a:7\nn', "2"],
    ['b:!3\na..d:"+/b"\na\nb[0]:10\na', "3\n13"],
  ])("%j", (script, expected) => expect(printed(script)).toBe(expected))

  it("a trigger that triggers itself ends in an error", () => {
    expect(printed('a:1\na..t:"a+:1"\na:2')).toMatch(/^stack error/)
  })
})

it("tells names below a path", () => {
  const { enter, k } = makeConsole()
  enter('a:1 2 3;f:{x+y};s:"abc"')
  expect(k.names(".k")).toEqual([
    { name: "a", type: -1, count: 3, preview: "1 2 3" },
    { name: "f", type: 7, count: 1, preview: "{x+y}" },
    { name: "s", type: -3, count: 3, preview: '"abc"' },
  ])
  expect(k.names(".nowhere")).toEqual([])
  enter('\\d .e\nfails..d:"nosuch"\nx:5')
  expect(k.names(".e")).toMatchObject([{ name: "fails", type: 6 }, { name: "x" }])
  expect(k.names(".e.x")).toEqual([])
})
