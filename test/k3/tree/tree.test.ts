import { describe, expect, it } from "vitest"
import { memoryHost } from "../../lib/memoryHost.ts"
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
    // A function has its globals in its own directory, wherever it is called.
    ["d.p:1\nf:{d.p}\ng:{d.p::x;d.p+:1;d..c:x}\n\\d .o\nd.p:2\n.k.f[]\n.k.g 5;\n(.k.d.p;.k.d..c;d.p)", "1\n6 5 2"],
    ["\\d .k.s\ns:1 2 3\n\\d .k\nf:{s}\n\\d .k.s\n.k.f[]", ".,(`s\n   1 2 3\n   )"],
  ])("%j", (script, expected) => expect(printed(script)).toBe(expected))
})

it("an assignment below a variable of the root keeps its entries, or is refused", () => {
  expect(printed(".v:.((`a;1);(`b;2))\n.v.b:7\n.v.c:8\n.v")).toBe(".((`a;1;)\n  (`b;7;)\n  (`c;8;))")
  expect(printed(".v:5\nif[0;.v.b:1]")).toContain("type error: only a dictionary has entries; this is an int")
  expect(printed(".v:5\nv:6\n.v.b:1\n(.v;.k.v)")).toMatch(/\n5 6$/)
})

it.each([
  [".w.b\n(`.w.b;.`.w.b)", "7\n(`.w.b;7)"],
  ["f[]\n!`.w", "7\n,`b"],
  ["g[];\n.w.b", "7 9"],
  ["v\n.w:.,(`b;8)\nv", "8\n9"],
  ["v\n.w.b:5\nv", "8\n6"],
  [".`.w.b\n.w:5\n.w", "7\n5"],
])("entries of a dictionary in the root have names: %j", (script, expected) => {
  const before = 'f:{.w.b}\ng:{.w.b,:9}\nv..d:".w.b+1"\n@[{v};0;:];\n'
  expect(printed(`${before}.w:.,(\`b;7)\n${script}`)).toBe(expected)
})

it.each([
  ["a.b.q", "a.b.q", "1\n5"],
  ["f:{a.b.q}\nf[]", "f[]", "1\n5"],
  ["f:{a.b.q,:9}\nf[];", "f[];\na.b.q", "\n5 9"],
  ['v..d:"a.b.q+1"\nv', "v\na.b:.,(`q;6)\nv", "2\n6\n7"],
])("code of a directory reads the dictionary in its place: %j, %j", (before, after, expected) => {
  const script = `\\d .k.a.b\nq:1\n\\d .k\n${before}\n.k:.k _di \`a\na.b:.,(\`q;5)\n${after}`
  expect(printed(script)).toBe(expected.trimStart())
})

it("no directory takes the place of a value", () => {
  const refused = "type error: only a dictionary has entries; this is an int"
  const { enter, k } = makeConsole()
  expect(enter("a:5\n\\d a")).toContain(refused)
  expect(enter("\\d .k.a.b")).toContain(refused)
  expect(enter("\\d\na\nd.x:1\n\\d d.x")).toContain(`.k\n5\n${refused}`)
  expect(enter("d.x\nn:_n\n\\d n\n\\d\n\\d .k")).toBe("1\n.k.n")
  // The name of the current directory may be given a value by code that was compiled before it was a directory.
  enter("f:{s::6}\n\\d s\n.k.f[]")
  k.mark()
  enter("\\d .k\nb:1")
  k.back()
  expect(enter("\\d\n.k.s\n!`.k")).toBe(".k.s\n6\n`a `d `n `f `s")
})

describe("what is only named is not made", () => {
  it.each([
    [".`.zz.y\n\\v .", "k"],
    [".zz.y\n\\v .", "value error: .zz.y has no value\n.zz.y\n^\nk"],
    ["f:{.zz.y}\nf[]\n\\v .", "k"],
    ["`.zz.y[]\n.`zz\n\\v", ""],
    ["@[{!x};`.zz.y;:];1\n\\v .", "1\nk"],
    ["f:{.zz.y}\n.zz.y:5\nf[]\n\\v .", "5\nk zz"],
    ["f:{.zz.y:5}\n\\v .\nf[];\n.zz\n\\v .", "k\n.,(`y;5;)\nk zz"],
    ["f:{.zz.y[`a]:5;.zz}\nf[]", ".,(`y\n   .,(`a;5;)\n   )"],
    ["f:{.zz.y:5}\n.zz:.,(`x;1)\nf[];\n.zz", ".((`x;1;)\n  (`y;5;))"],
    ["f:{.k.s.y:5}\ng:{s::6}\n\\d s\ny:1\n\\d .k\ng[];\n@[f;0;:]\ns", '(1;"type")\n6'],
    ["f:{.k.s.y:5}\ng:{s::_n}\n\\d s\ny:1\n.k.g[]\ny:2\n\\d .k\ns\ng[]\nf[];\ns", ".,(`y;2;)\n.,(`y;5;)"],
    ['a..d:"@[{.zz.y+1};0;:]"\na\n.zz.y:5\na', '(1;"type")\n0 6'],
    ['a..d:".zz"\na:1\n.zz.y:5\na', ".,(`y;5;)"],
    ['\\d c\n.k:.()\na..d:"b"\nb:2\n.k.c', '.((`a\n   2\n   .,(`d;"b";))\n  (`b;2;))'],
    ["c:(a:1)+b:2\n.k:.,(`z;1)\nc:(a:1)+b:2\n!`.k", "`z `c `a `b"],
    ["a:!`.k\n.k:.,(`z;1)\na:!`.k\na", "`z `a"],
  ])("%j", (script, expected) => expect(printed(script)).toBe(expected))

  it("a function's image made in a directory leaves a dictionary of that name one", () => {
    const host = memoryHost()
    makeConsole({}, host).enter("\\d .k.q\na:1\n`image 6:_bd{a+x}")
    const { enter } = makeConsole({}, host)
    expect(enter("q:.,(`a;7)\ng:_db 6:`image\n4:q\nq:5\nq\n\\v")).toBe("5\n5\nq g")
    expect(enter("q:_n\n\\d .k.q\na:3\n\\d .k\ng 1")).toBe("4")
  })
})

describe("attributes", () => {
  it.each([
    ["a..x:7\na..x", "7"],
    ["d:.((`a;1);(`b;2))\nd.a..x:3\nd[`a.]", ".,(`x;3;)"],
    ["a:1\na..x:7\n.`a.", ".,(`x;7;)"],
    ["a:1\n(a.;a..x;.`e.)", "(;;)"],
    ["e.", "value error: e. has no value\ne.\n^"],
    ["e:e..x", "value error: e..x has no value\ne:e..x\n  ^"],
  ])("%j", (script, expected) => expect(printed(script)).toBe(expected))
})

/** Dependencies and triggers are recorded from no Kx engine here; these hold our reading of the manual. */
describe("attributes of variables of the root", () => {
  it.each([
    ['\\d ^\na:3\nv..d:"a+1"\nv\na:4\nv\n.v..d\n\\v', '4\n5\n"a+1"\na v k'],
    ['\\d ^\nz:0;w..t:"z::w"\nw:7;\nz\n\\d .k\n.w:8;\n.z', "7\n8"],
    [".v..u:5\n.v:1\n.v..u\n.v..u+:2\n(.v;.v..u)\n!`", "5\n1 7\n`v `k"],
  ])("%j", (script, expected) => expect(printed(script)).toBe(expected))
})

describe("attributes of a directory", () => {
  it.each([
    ['\\d d\nx:1\n\\d .k\n@[.:;"d..t:5";:]\nd\n!`d', '(1;"nonce")\n.,(`x;1;)\n,`x'],
    ['x:1\n@[.:;".k..t:5";:]\n!`.k', '(1;"nonce")\n,`x'],
    ['d.x:1\nd..t:"5"\nd.\n!`d', '.,(`t;"5";)\n,`x'],
  ])("are refused, rather than kept as a variable without a name: %j", (script, expected) => expect(printed(script)).toBe(expected))
})

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
    // A dependency follows the entries of its own directory, wherever it is read.
    ['d.p:3\nv..d:"d.p+1"\n\\d .j\n.k.v\n.k.d.p:20\n.k.v\n.k.d:.,(`p;30)\n.k.v', "4\n21\n31"],
    ['d:.,(`p;3)\nv..d:"d.p+1"\n\\d .j\n.k.d[`p]:20\n.k.v\n.k.d[`p]:30\n.k.v', "21\n31"],
  ])("%j", (script, expected) => expect(printed(script)).toBe(expected))

  it("a dependency on itself is a stack error, however deep the host's stack is", () => {
    expect(makeConsole({ depth: 30 }).enter('a..d:"(a;a)"\na')).toMatch(/^stack error: more than 30 dependencies and calls deep/)
  })

  it("a trigger that triggers itself ends in an error", () => {
    expect(printed('a:1\na..t:"a+:1"\na:2')).toMatch(/^stack error/)
  })
})

it("directories are at most 200 deep, so that walks over the tree have stack enough", () => {
  const { enter, k } = makeConsole()
  const refused = "limit error: more than 200 directories deep"
  expect(enter(`\\d .${"a.".repeat(300)}b`)).toContain(refused)
  expect(enter('do[150;."\\\\d a"]\ndo[150;."\\\\d a"]')).toContain(refused)
  expect(enter("x:5\n\\d .k\n#!`.a")).toBe("1")
  expect(k.capture(0, { value: 1e6, total: 1e6, soon: 1e6 }).changed.map(({ path }) => path.length)).toEqual([402])
  expect(k.functions(1)).toEqual([])
})

it("a dependency follows a directory of more variables than the host allows arguments", () => {
  const { enter } = makeConsole()
  enter('w:.+(`$"a",/:$!140000;!140000)\n\\d w\n\\d ^\na..d:"w.a7"\nb..d:"0*#w"')
  expect(enter("b\nw.a7:5\n(a;b)")).toBe("0\n5 0")
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
  expect(enter("\\v .")).toBe("k")
  enter('\\d .e\nfails..d:"nosuch"\nx:5')
  expect(k.names(".e")).toMatchObject([{ name: "fails", type: 6 }, { name: "x" }])
  expect(k.names(".e.x")).toEqual([])
})

it("tells names after a stack error, with the whole depth", () => {
  const { enter, k } = makeConsole({ depth: 20 })
  expect(enter("f:{_f x+1};f 0")).toMatch(/^stack error/)
  enter('d..d:".,(`n;{:[x;_f x-1;x]} 15)"')
  expect(k.names("d")).toMatchObject([{ name: "n", preview: "0" }])
})
