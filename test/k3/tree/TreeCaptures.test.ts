/** Captures within one interpreter: changed variables, restored variables, the mark. */
import { assert, describe, it } from "@effect/vitest"
import { memoryHost } from "../../lib/memoryHost.ts"
import type { VariableToRestore } from "../../../src/k3/tree/TreeCaptures.ts"
import { makeConsole, type Console } from "../../lib/session.ts"

const limits = { value: 1e6, total: 1e6, soon: 1e6 }
const everything = (console: Console) => console.k.capture(-1, limits)
const paths = (all: readonly { readonly path: string }[]): readonly string[] => all.map(({ path }) => path)

/** A new interpreter with the variables of this one, and the variables that were lost. */
const copied = (console: Console) => {
  const { changed, workspace } = everything(console)
  const copy = makeConsole()
  return { copy, lost: copy.k.restore(changed, workspace) }
}

/** A copy that lost nothing. */
const copiedWhole = (console: Console): Console => {
  const { copy, lost } = copied(console)
  assert.deepStrictEqual(lost, [])
  return copy
}

describe("capture", () => {
  it("gives everything at first, then what changed, in place or not, in every directory", () => {
    const c = makeConsole()
    c.enter("a:1 2 3\nb:(1 2;3 4)\nd.x:1\n\\d .k.sub\ny:1\n\\d .other\nz:1\n\\d .k")
    const first = everything(c)
    assert.isTrue(first.anew)
    assert.deepStrictEqual(paths(first.changed), [".k.a", ".k.b", ".k.d", ".k.sub.y", ".other.z"])
    assert.deepInclude(first.changed[1]!, { type: 0, shape: "2 2", text: "(1 2;3 4)" })
    const second = c.k.capture(first.serial, limits)
    assert.deepInclude(second, { anew: false, more: false, changed: [], removed: [] })
    c.enter("a[0]:9\na[1]:8")
    const third = c.k.capture(second.serial, limits)
    assert.deepStrictEqual(paths(third.changed), [".k.a"])
    c.enter("a[2]:7;a,:5\nb[1;0]:6\nd[`new]:2")
    const fourth = c.k.capture(third.serial, limits)
    assert.deepStrictEqual(paths(fourth.changed), [".k.a", ".k.b", ".k.d"])
    assert.strictEqual(fourth.changed[0]!.text, "9 8 7 5")
  })

  it("starts anew when an answer did not come through, and after \\9", () => {
    const c = makeConsole()
    c.enter("a:1")
    const { serial } = everything(c)
    c.enter("b:2")
    c.k.capture(serial, limits)
    assert.deepStrictEqual(paths(c.k.capture(serial, limits).changed), [".k.a", ".k.b"])
    const last = everything(c)
    c.enter("\\9\nc:3")
    assert.deepInclude(c.k.capture(last.serial, limits), { anew: true, removed: [] })
  })

  it("tells a variable that was removed by the caller and is assigned its earlier value", () => {
    const c = makeConsole()
    c.enter("a:1\nn:1\nd.x:`s\n\\d .k.sub\nm:2\n\\d .k")
    const { serial, workspace } = everything(c)
    for (let since = serial, n = 0; n < 2; n++) {
      c.k.restore([], workspace, [".k.n", ".k.sub.m"])
      c.enter("n:1\n\\d .k.sub\nm:2\n\\d .k")
      const told = c.k.capture(since, limits)
      assert.deepStrictEqual(
        [paths(told.changed), told.removed],
        [
          [".k.n", ".k.sub.m"],
          [".k.n", ".k.sub.m"],
        ],
      )
      since = told.serial
    }
  })

  it("tells a name that was removed and assigned again as both, since its place is another; also after a mark", () => {
    const c = makeConsole()
    c.enter("a:1\nb:2")
    const { serial } = everything(c)
    c.k.mark()
    c.enter(".k:.k _di`a\na:1")
    c.k.back()
    const back = c.k.capture(serial, limits)
    assert.deepStrictEqual([back.changed, back.removed], [[], []])
    c.enter(".k:.k _di`a\na:1")
    const again = c.k.capture(back.serial, limits)
    assert.deepStrictEqual([paths(again.changed), again.removed], [[".k.a"], [".k.a"]])
  })

  it("tells a known name, and no new one, behind a new one that waits", () => {
    const c = makeConsole()
    c.enter("n:1\nbig:!9\nm:1")
    const { serial } = everything(c)
    c.enter("n:_n\nbig:!200\nm:2\nnew:!200\no:1\nm:3")
    c.enter(".k:.k _di`n")
    const quick = c.k.capture(serial, { ...limits, soon: 100 })
    assert.deepStrictEqual([paths(quick.changed), quick.removed, quick.more], [[".k.m"], [], true])
    const whole = c.k.capture(quick.serial, limits)
    assert.deepStrictEqual([paths(whole.changed), whole.removed, whole.more], [[".k.big", ".k.new", ".k.o"], [".k.n"], false])
  })

  it("says in how far it is not whole: too large, to come later, or a function that cannot be made again", () => {
    const c = makeConsole()
    c.enter("a:!100\nb:!100\nc:!1000\nf:{[n]{x+n}'}[3]")
    const part = c.k.capture(-1, { value: 2000, total: 500, soon: 1e6 })
    assert.deepStrictEqual(paths(part.changed), [".k.a"])
    assert.isTrue(part.more)
    const rest = c.k.capture(part.serial, { value: 2000, total: 500, soon: 1e6 })
    assert.deepStrictEqual(paths(rest.changed), [".k.b", ".k.c", ".k.f"])
    assert.isFalse(rest.more)
    assert.match(rest.changed[1]!.why ?? "", /more than the 2000/)
    assert.match(rest.changed[2]!.why ?? "", /variables of the function that made it/)
    const later = c.k.capture(-1, { ...limits, soon: 100 })
    assert.deepStrictEqual([paths(later.changed), later.more], [[], true])
  })
})

describe("an interrupt while restoring", () => {
  it("ends it, in the values and in the attributes; what came back stays", () => {
    const source = makeConsole()
    source.enter("a:!200000\nb:5\nc..n:!200000")
    const given = everything(source)
    for (const path of [".k.a", ".k.c"]) {
      const variables = given.changed.toSorted((x) => (x.path === path ? 1 : -1))
      let isInterrupted = false
      const c = makeConsole({}, { ...memoryHost(), interrupted: () => isInterrupted })
      c.enter("b:4;old:1")
      isInterrupted = true
      assert.throws(() => c.k.restore(variables, given.workspace, []), /break/)
      isInterrupted = false
      assert.strictEqual(c.enter("b"), "5")
      assert.deepStrictEqual(c.k.restore(variables, given.workspace, [".k.old"]), [])
      assert.strictEqual(c.enter("(a~!200000;b;c..n~!200000)\n\\d"), "1 5 1\n.k")
    }
  })
})

describe("restore", () => {
  it("puts back values of every kind, attributes, directories and settings", () => {
    const c = makeConsole()
    c.enter(
      'i:1\nf:1%3\nc:"c"\ns:`s\nn:_n\niv:1 2\nfv:1%1 2 3\ncv:"a\\001\\000"\nsv:`a`b\nl:(1;`b;"c")\nd:.((`a;1);(`b;2))\n' +
        'g:{x+i}\np:g[1]\nh:+/\nr:g\'\ndep..d:"i+1"\n\\d .k.sub\ny:1\nm:{x+y}\n\\p 3\n\\r 42',
    )
    const copy = copiedWhole(c)
    const look = "\\d\n\\p\n\\r\n.k.i\n.k.f\n.k.l\n.k.d\n.k.g 5\n.k.h 1 2 3\n.k.dep\nm[1;2]\n.k.sub\n.k.sv\n.k.cv"
    assert.strictEqual(copy.enter(look), c.enter(look))
    copy.enter(".k.i:10")
    assert.strictEqual(copy.enter(".k.dep"), "11")
    const { changed } = everything(copy)
    assert.sameMembers(paths(changed) as string[], paths(everything(c).changed) as string[])
  })

  it("puts back functions made of others with the globals of their directory, and refuses those of several", () => {
    const c = makeConsole()
    c.enter("a:1\n\\d .b\na:10\nf:{x+a}\ng:{x+y+a}[1;]\nh:{x+a}'\ni:(1+{a+x}@)\nl:({x+a}';1)\n\\d .k\nj:{x,y}[.b.f;]\nk:{.b.f x+a}")
    c.enter("n:{y+a+x 0}[.b.f]")
    const copy = copiedWhole(c)
    const look = ".b.g 1\n.b.h 1 2\n.b.i 5\n.b.l[0]1 2\n(*.k.j 1)5"
    assert.strictEqual(c.enter(look), "12\n11 12\n16\n11 12\n15")
    assert.strictEqual(copy.enter(look), c.enter(look))
    const n = everything(c).changed.find(({ path }) => path === ".k.n")
    assert.match(n?.why ?? "", /several directories/)
  })

  it("puts back functions with the locals that they captured, in values and in each other", () => {
    const c = makeConsole()
    c.enter("n:100\nadd:{[n]{[x]x+n}}\nf:add 3\nl:(f;.,(`g;add 2.5))\ntwice:{[f]{[x]f f x}}f")
    c.enter("\\d .b\nm:7\nh:{[s;k]{s,k*m+x}}[`s;1 2]\n\\d .k")
    const copy = copiedWhole(c)
    const look = "f 1\n(*l)1\nl[1;`g]1\ntwice 1\n.b.h 1"
    assert.strictEqual(c.enter(look), "4\n4\n3.5\n7\n(`s;8;16)")
    assert.strictEqual(copy.enter(look), c.enter(look))
    copy.enter("n:0;.b.m:0")
    assert.strictEqual(copy.enter("f 1\n.b.h 1"), "4\n(`s;1;2)")
  })

  it("puts back functions that were made in the root with its globals", () => {
    const c = makeConsole()
    c.enter("a:5\n\\d ^\na:1\nf:{a+x}\n.k.g:{a+x}/\n.k.h:{x,y}[{a+x}]\n\\d .k\nboth:{.k.h 0}\nk:{x y;a}[.f]")
    const copy = copiedWhole(c)
    const look = ".f 1\ng[2;1]\n(*h 0)1\n_bd g\n(_db _bd g)~g\n(_db _bd .f)1"
    assert.match(c.enter(look), /^2\n3\n2\n"/)
    assert.strictEqual(copy.enter(look), c.enter(look))
    const k = everything(c).changed.find(({ path }) => path === ".k.k")
    assert.match(k?.why ?? "", /several directories/)
  })

  it("puts back attributes of variables of the root", () => {
    const c = makeConsole()
    c.enter('\\d ^\na:3\nv..d:"a+1"\n\\d .k')
    const copy = copiedWhole(c)
    assert.strictEqual(copy.enter(".a:5\n.v\n.v..d"), '6\n"a+1"')
  })

  it("puts back a value that was assigned over a dependency, and no computed one", () => {
    const c = makeConsole()
    c.enter('a:1\nw..d:"v+1"\nv..d:"a+sub.x"\n\\d .k.sub\nx:10\n\\d .k\n(v;w)\nw:100\nv:9\nu..d:"v"\nu\nn:3\nn..d:5\nw:7')
    const copy = copiedWhole(c)
    const images = everything(copy).changed.flatMap(({ path, image }) => (image === undefined ? [] : [path]))
    assert.deepStrictEqual(images, [".k.a", ".k.w", ".k.v", ".k.sub.x", ".k.n"])
    const look = "(v;w;u;n;n..d)\nsub.x:20\n(v;w;u)\nv:8\n(v;w;u)\na:2\n(v;w;u)"
    assert.strictEqual(c.enter(look), "9 7 9 3 5\n21 22 21\n8 9 8\n22 23 22")
    assert.strictEqual(copy.enter(look), "9 7 9 3 5\n21 22 21\n8 9 8\n22 23 22")
  })

  it("puts back a directory's names in their order, those of directories among them", () => {
    const c = makeConsole()
    c.enter("s.x:1\n\\d .k.s\n\\d .k\nb:2\n\\d .k.s.u\ny:1\n\\d .k.s\nz:1\n\\d .k")
    assert.strictEqual(c.enter("!`.k\n!`.k.s"), "`s `b\n`x `u `z")
    const { copy } = copied(c)
    assert.strictEqual(copy.enter("(_bd .k;!`.k;!`.k.s)"), c.enter("(_bd .k;!`.k;!`.k.s)"))
  })

  it("puts back a directory's names in their order when a function before them names them in another", () => {
    const c = makeConsole()
    c.enter("f:{x}\na:1\nb:2\n.m.a:3\n.m.b:4\ns.x:5\ns.y:6\n\\d ^\nv:7\nw:8\n\\d .k")
    c.enter("f:{.v,.w,.k.s.x,.k.s.y,.m.a,.m.b,a,b}")
    const look = "(!`.k;!`.k.s;!`.m;.m[];!`)"
    const copy = copiedWhole(c)
    assert.strictEqual(copy.enter(look), c.enter(look))
    assert.strictEqual(copy.enter("f[]"), "7 8 5 6 3 4 1 2")
  })

  it("puts back the names of a directory within a directory in their order when a function before them names them", () => {
    const c = makeConsole()
    c.enter("s.g:1\ns.p:2\ns.t.a:3\ns.t.b:4\ns.q:5\n.m.n.g:1\n.m.n.p:2\n.m.n.q:3")
    c.enter("\\d .k.s\ng:{p,t.a,t.b,q}\n\\d .m.n\ng:{p,q}\n\\d .k")
    const look = "(!`.k;!`.k.s;!`.k.s.t;!`.m.n)"
    const copy = copiedWhole(c)
    assert.strictEqual(copy.enter(look), c.enter(look))
    assert.strictEqual(copy.enter("s.g[],.m.n.g[]"), "2 3 4 5 2 3")
  })

  it("puts back names in the order in which they were assigned, over captures and answers between", () => {
    const c = makeConsole()
    const held = new Map<string, VariableToRestore>()
    let since = -1
    const lines = [
      "f:{big,n,d.p}",
      "big:!200",
      "n:1",
      "\\d .k.d",
      "q:1",
      "\\d .k",
      "d.r:{d.p}",
      "d.p:3",
      ".k:.k _di`n",
      "m:1",
      "n:2",
      "big:!300",
      "e:1",
    ]
    const soon = (soon: number): boolean => {
      const { serial, changed, removed, more } = c.k.capture(since, { value: 1e6, total: 1000, soon })
      since = serial
      for (const path of removed) held.delete(path)
      for (const each of changed) held.set(each.path, each)
      return more
    }
    for (const line of lines) {
      c.enter(line)
      soon(100)
    }
    while (soon(1e6));
    const copy = makeConsole()
    for (const each of held.values()) assert.deepStrictEqual(copy.k.restore([each], undefined), [])
    assert.strictEqual(c.enter("!`.k\n!`.k.d\nd[]"), "`f `big `d `m `n `e\n`q `r `p\n(1;{d.p};3)")
    assert.strictEqual(copy.enter("!`.k\n!`.k.d\nd[]"), "`f `big `d `m `n `e\n`q `r `p\n(1;{d.p};3)")
  })

  it("runs no trigger, and names what does not come back equal", () => {
    const c = makeConsole()
    c.enter('hits:0\nx:1\nx..t:"hits+:1"\nx:2')
    const { copy } = copied(c)
    assert.strictEqual(copy.enter("hits\nx\nx:3\nhits"), "1\n2\n2")
    c.enter('hits:0\nd:.,(`a;1)\nd.a..t:"hits+:1"\nd.a:2')
    assert.strictEqual(copied(c).copy.enter("hits\nd.a\nd[`a]:3\nhits"), "1\n2\n2")
    assert.deepStrictEqual(
      makeConsole()
        .k.restore([{ path: ".k.bad", image: Uint8Array.of(1, 2, 3) }], undefined)
        .map(({ path }) => path),
      [".k.bad"],
    )
  })
})

describe("B2 restore over what there is", () => {
  /** Captures, does something, and restores what was captured, as who compared both would. */
  const restored = (before: string, between: string) => {
    const c = makeConsole()
    c.enter(before)
    const then = everything(c)
    c.enter(between)
    const now = paths(everything(c).changed)
    const removed = now.filter((path) => !paths(then.changed).includes(path))
    return { c, lost: c.k.restore(then.changed, then.workspace, removed) }
  }

  it("removes names, and directories that hold nothing else", () => {
    const { c, lost } = restored("a:1", "b:2\n\\d .k.sub\nx:1\n\\d .other.deep\ny:1")
    assert.deepStrictEqual(lost, [])
    assert.strictEqual(c.enter("\\d\n!`.k\n.k\n!`"), ".k\n,`a\n.,(`a;1;)\n,`k")
  })

  it("functions that were compiled before find a directory again that was removed", () => {
    const { c } = restored("f:{.k.sub.x}", "\\d .k.sub\nx:1\n\\d .k\nf[]")
    assert.strictEqual(c.enter("\\d .k.sub\nx:2\n\\d .k\nf[]"), "2")
  })

  it("makes a directory again that was replaced, and a value that became a directory", () => {
    assert.strictEqual(restored("\\d .k.sub\nx:1\n\\d .k", "sub.:.()\n.k.sub[`y]:2").c.enter(".k.sub.x"), "1")
    assert.strictEqual(restored("d:.,(`a;1)", "\\d .k.d\nb:2\n\\d .k").c.enter("d\n!`.k"), ".,(`a;1;)\n,`d")
  })

  it("leaves a directory whose name has attributes, and makes a variable of an empty one", () => {
    const c = makeConsole()
    c.enter('a:1\nsub..d:"a"\nb..d:"a"\n\\d .k.sub\nx:1\n\\d .k')
    const { changed, workspace } = everything(c)
    c.enter("\\d .k.b\n\\d .k")
    const given = changed.filter(({ image }) => image === undefined)
    assert.deepStrictEqual(paths(given), [".k.sub", ".k.b"])
    assert.deepStrictEqual(c.k.restore(given, workspace), [])
    assert.strictEqual(c.enter("sub.x\nb"), "1\n1")
  })

  it("takes attributes away that were set since, and brings those back that there were", () => {
    const { c } = restored('a:1\na..c:"was"\nb:2', 'a..c:"is"\nb..c:"new"\nb..t:"a:9"')
    assert.strictEqual(c.enter("a..c\nb..c\nb:3\na"), '"was"\n1')
  })

  it("computes dependencies again", () => {
    const { c } = restored('a:1\ndep..d:"a+1"\ndep', "a:5\ndep")
    assert.strictEqual(c.enter("dep"), "2")
  })

  it("leaves what does not come back as it is, and the next capture tells it", () => {
    const c = makeConsole()
    c.enter("a:1")
    const { serial } = everything(c)
    assert.deepStrictEqual(paths(c.k.restore([{ path: ".k.a", image: Uint8Array.of(1, 2) }], undefined)), [".k.a"])
    assert.strictEqual(c.enter("a"), "1")
    assert.deepStrictEqual(paths(c.k.capture(serial, limits).changed), [".k.a"])
  })

  it("what came back is no change, and what was removed is told as that at most", () => {
    const c = makeConsole()
    c.enter("a:1\nb:2")
    const then = everything(c)
    c.enter("a:5")
    const { serial } = everything(c)
    c.k.restore([then.changed[0]!], then.workspace, [".k.b"])
    assert.deepInclude(c.k.capture(serial, limits), { changed: [], removed: [".k.b"] })
  })
})

describe("mark and back", () => {
  /** After `code` and the way back, `look` prints the same as before. */
  const goesBack = (c: Console, code: string, look: string): void => {
    const before = c.enter(look)
    c.k.mark()
    c.enter(code)
    c.k.back()
    assert.strictEqual(c.enter(look), before)
  }

  it("goes back to a value that a directory replaced, and to a directory that a value replaced", () => {
    const c = makeConsole()
    c.enter("sub:_n\nd:.,(`a;1)\n")
    goesBack(c, "\\d .k.d\nb:2\n\\d .k.other\nx:1\n\\d .k\nsub:6", ".k")
    // Compiled before there was a directory, the assignment replaces it.
    c.enter("\\d .k.sub\nx:1\n\\d .k")
    const { serial } = everything(c)
    goesBack(c, "sub:6", ".k.sub.x")
    c.enter("sub:6")
    assert.deepInclude(c.k.capture(serial, limits), { removed: [".k.sub.x"] })
  })

  it("goes back to the order of the directories", () => {
    const c = makeConsole()
    c.enter("f:{.p:x}\n.p.a:1\n.q.a:2")
    c.k.mark()
    c.enter("f 5")
    c.k.back()
    assert.strictEqual(c.enter("\\v ."), "k p q")
  })

  it("goes back to the attributes in a directory that a value replaced", () => {
    const c = makeConsole()
    c.enter('g:{s::_n}\nb:1\n\\d s\nx:1\nx..u:7\ny..d:".k.b+1"\n\\d .k')
    const look = "(s.x..u;s.y..d;s)\nb:5\ns.y\nb:1"
    goesBack(c, "g[]", look)
  })

  it.each([
    ["", 'a:1\nb:2\nv..d:"a+1"\nv:9', 'a:5\nv\nv..d:"b+1"\nv', "v\na:3\nv"],
    ["in another directory ", 'd:.,(`p;1)\nv..d:"d.p+1"\nv:9\n\\d .j', "1", ".k.v\n.k.d[`p]:3\n.k.v"],
  ])("goes back %sto a value that was assigned over a dependency, and to what that follows", (_, before, after, look) => {
    const c = makeConsole()
    c.enter(before)
    c.k.mark()
    c.enter(after)
    c.k.back()
    assert.strictEqual(c.enter(look), "9\n4")
  })

  it("undoes changes, new names, directories, settings and \\9", () => {
    const c = makeConsole()
    c.enter('a:1 2 3\nd:.,(`x;1)\ndep..d:"+/a"')
    const look = "!`.k\na\nd\ndep\n\\p\n\\d"
    goesBack(c, "a[0]:9\nd[`y]:2\nnew:1\n\\p 3\n\\d .k.sub\nz:1", look)
    goesBack(c, "a:5\n\\9\nb:6", look)
    c.enter("a[1]:7")
    assert.strictEqual(c.enter("a"), "1 7 3")
  })
})
