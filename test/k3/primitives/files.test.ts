import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { makeInterpreter } from "../../../src/k3/k3.ts"
import { match } from "../../../src/k3/values/match.ts"
import { imageAfter8 } from "../../../src/k3/values/image.ts"
import { valueAfter8 } from "../../../src/k3/values/imageReader.ts"
import type { Kernel } from "../../../src/k3/run/kernel.ts"
import { KError, type ErrorKind } from "../../../src/k3/run/KError.ts"
import { memoryHost } from "../../lib/memoryHost.ts"
import { printed } from "../../lib/printed.ts"
import { data } from "../../lib/values.ts"

describe("lines", () => {
  it.each([
    ['`f 0:("ab";"";"cd")\n0:`f', '("ab"\n ""\n "cd")'],
    ['"f" 0:"one"\n6:"f"', '"one\\n"'],
    ["`f 0:()\n(0:`f;6:`f)", '(();"")'],
    ['`f 6:"a\\r\\nb"\n0:`f', '(,"a"\n ,"b")'],
    ['`f 6:"\\n\\n"\n0:`f', '(""\n "")'],
    ['`0:("ab";"cd")', "ab\ncd"],
    ["@[`f 0:;1 2;:]", '(1;"type")'],
    ["@[0:;`nowhere;:]", '(1;"no such file or directory")'],
  ])("%s", (code, prints) => expect(printed(code)).toBe(prints))
})

describe("fields", () => {
  it.each([
    ['`f 0:("1,x,2.5";"y";"3,,z")\n("ISF";",") 0:`f', "(1 0N 3\n `x ` `\n 2.5 0n 0n)"],
    ['`f 0:("a b";"c d")\n(" S";" ") 0:`f', ",`b `d"],
    ['`f 0:("n,s";"1,x")\n("IC";,",") 0:`f', '(`n `s\n (,1\n  ,,"x"))'],
    ['`f 0:("12ab";"3 c")\n("IS";2 2) 0:`f', "(12 3\n `ab `c)"],
    ['`f 0:,"1"\n@[(,"Q";",") 0:;`f;:]', '(1;"domain")'],
    ['`f 0:,"1"\n@[("II";,2) 0:;`f;:]', '(1;"length")'],
  ])("%s", (code, prints) => expect(printed(code)).toBe(prints))
})

describe("records", () => {
  const bytes = '`f 6:"\\001\\000\\000\\000\\376\\377x\\377abc \\000d\\000\\000\\200?\\000\\000\\000\\000\\000\\000\\370?"\n'
  it.each([
    ['("iscbCSfd";4 2 1 1 2 4 4 8) 1:`f', '(,1\n ,-2\n ,"x"\n ,-1\n ,"ab"\n ,`c\n ,1.0\n ,1.5)'],
    ['("s ";2 2) 1:(`f;0;8)', ",1 -2"],
    ['("c";1) 1:(`f;8.0;3)', ',"abc"'],
    ['(,"i";,4) 1:(`f;100;4)', ",!0"],
    ['@[("i";3) 1:;`f;:]', '(1;"length")'],
    ['@[("is";4) 1:;`f;:]', '(1;"length")'],
    ['@[("is";4 2) 1:;`f;:]', '(1;"length")'],
    ['@[("i";0) 1:;`f;:]', '(1;"length")'],
    ['@[("X";5) 1:;`f;:]', '(1;"length")'],
    ['@[("X";2) 1:;`f;:]', '(1;"domain")'],
    ['@[("i";4) 1:;(`f;`a;4);:]', '(1;"type")'],
    ['@[("i";4.0) 1:;`f;:]', '(1;"type")'],
    ['@[("i";4) 1:;`nowhere;:]', '(1;"no such file or directory")'],
  ])("%s", (code, prints) => expect(printed(bytes + code)).toBe(prints))

  it.each([
    ['("IS";",") 0:(`f;4;8)', "(2 3\n `b `c)"],
    ["0:(`f;4;4)", ',"2,b"'],
    // 0n is 0: a memory limit cannot count 0n bytes.
    ["0:(`f;0n;4)", ',"1,a"'],
    ["0:(`f;0;0n)", "()"],
  ])("a part of a file of lines: %s", (code, prints) => expect(printed('`f 0:("1,a";"2,b";"3,c")\n' + code)).toBe(prints))
})

describe("data files", () => {
  it("are Kx's header and the image of _bd", () => {
    const host = memoryHost()
    expect(printed('"d" 1:1 2\n_ic 6:"d.l"', host)).toBe("253 255 255 255 1 0 0 0 255 255 255 255 2 0 0 0 1 0 0 0 2 0 0 0")
    expect([...host.stored.keys()]).toEqual(["d.l"])
  })
  it("read back exactly", () => {
    fc.assert(fc.property(data, (x) => match(x, valueAfter8(imageAfter8(x), {} as Kernel))))
  })
  it.each([
    ['`d 1:(1;"ab";{x+y})\n1:`d.l', '(1;"ab";{x+y})'],
    ['"d" 5:1 2\n"d" 5:3\n2:"d"', "2\n3\n1 2 3"],
    ["`d 1:`a`b\n`d 5:5\n1:`d", "3\n(`a;`b;5)"],
    ['`d.l 6:"no data file"\n@[1:;`d;:]', '(1;"domain")'],
  ])("%s", (code, prints) => expect(printed(code)).toBe(prints))
})

describe("appending to a data file", () => {
  /** A host that counts the bytes it is asked for and given, and can fail between two pieces. */
  const counting = () => {
    const host = memoryHost()
    const moved = { bytes: 0, pieces: Infinity }
    const files = {
      ...host.files,
      read: (path: string, first?: number, most?: number) => {
        const bytes = host.files.read(path, first, most)
        moved.bytes += bytes.length
        return bytes
      },
      write: (path: string, data: Uint8Array) => {
        moved.bytes += data.length
        host.files.write(path, data)
      },
      patch: (path: string, pieces: readonly { at: number; bytes: Uint8Array }[]) => {
        for (const piece of pieces) {
          if (moved.pieces-- === 0) throw new Error("the end")
          moved.bytes += piece.bytes.length
          host.files.patch(path, [piece])
        }
      },
    }
    return { moved, host: { ...host, files } }
  }

  it("gives what joining gives, and the bytes of writing that, whatever comes together", () => {
    const x = fc.constantFrom(
      "1 2",
      "3",
      "!0",
      "2.5",
      "1.0 2",
      "0#0.0",
      '"a"',
      '"abc"',
      '""',
      "`a",
      "`a`b",
      "(1;`a)",
      "()",
      "{x}",
      "(1 2;3)",
    )
    fc.assert(
      fc.property(fc.array(x, { minLength: 1, maxLength: 6 }), (all) => {
        const [first, ...others] = all
        const appended = others.map((y) => `n:"f" 5:${y}\nv:v,${y}\n`).join("")
        const code = `"f" 1:${first}\nv:${first}\nn:#v\n${appended}"g" 1:v\n(n=#v;(1:"f")~v;(6:"f.l")~6:"g.l")`
        expect(printed(code)).toBe("1 1 1")
      }),
    )
  })

  const kinds = [
    ["ints", "1 2 3", "4 5"],
    ["floats", "1 2 3.5", "4.5"],
    ["chars", '"abc"', '"de"'],
    ["symbols", "`a`bc", "`d"],
    ["a list", '(1;`a;"bc")', "(2 3;`b)"],
  ] as const

  it.each(kinds)("%s: costs what is appended", (_, before, x) => {
    const { host, moved } = counting()
    printed(`"f" 1:50000#${before}`, host)
    moved.bytes = 0
    printed(`"f" 5:${x}`, host)
    expect(moved.bytes).toBeLessThan(80)
    expect(printed(`v:1:"f"\n(v~(50000#${before}),${x};(#v)=50000+#${x})`, host)).toBe("1 1")
  })

  it.each(kinds)(
    "%s: an end between the items and their count leaves what was there, and the next one goes on from there",
    (_, before, x) => {
      const { host, moved } = counting()
      printed(`"f" 1:${before}`, host)
      moved.pieces = 1
      expect(() => printed(`"f" 5:${x}`, host)).toThrow()
      moved.pieces = Infinity
      expect(printed(`(1:"f")~${before}`, host)).toBe("1")
      expect(printed(`n:"f" 5:${x}\nv:1:"f"\n(v~${before},${x};n=#v)`, host)).toBe("1 1")
    },
  )

  it("of symbols that another program wrote, what lies behind them is no part", () => {
    const other = '"f" 1:`a`b\n"f.l" 6:(6:"f.l"),"junk\\000"\n'
    expect(printed(`${other}n:"f" 5:\`c\n(n;1:"f")`)).toBe("(3\n `a `b `c)")
  })

  it("a damaged file is told of, and stays as it is", () => {
    const damaged = '"f.l" 6:-1 _ 6:"f.l"\nb:6:"f.l"\n'
    for (const x of ["1 2 3", '"abc"', "1 2.5"])
      expect(printed(`"f" 1:${x}\n${damaged}(@["f" 5:;*${x};:];b~6:"f.l")`)).toBe('((1;"domain")\n 1)')
  })
})

describe("a data file that the host does not read", () => {
  /** The file is there; looking at it fails so. */
  const failing = (member: "size" | "read" | "patch", kind: ErrorKind) => {
    const host = memoryHost()
    printed('"f" 1:1 2 3', host)
    const files = {
      ...host.files,
      [member]: () => {
        throw new KError(kind, "f.l")
      },
    }
    return { host, interpreter: makeInterpreter({ ...host, files }) }
  }
  it.each<[member: "size" | "read" | "patch", kind: ErrorKind]>([
    ["size", "unreadable"],
    ["size", "access"],
    ["size", "folder"],
    ["size", "system"],
    ["read", "unreadable"],
    ["read", "absent"],
    ["patch", "full"],
    ["patch", "read-only"],
  ])("is not written over by appending: %s is %s", (member, kind) => {
    const { host, interpreter } = failing(member, kind)
    expect(interpreter.evaluate('"f" 5:4')?.name).toBe(new KError(kind, "f.l").kname)
    expect(printed('1:"f"', host)).toBe("1 2 3")
  })
  it("is made when there is none", () => expect(printed('n:"f" 5:4\n(n;1:"f")')).toBe("(1\n ,4)"))
})

describe("what the host refuses", () => {
  it("comes out as its access error", () => {
    const host = memoryHost()
    const fenced = {
      ...host,
      files: { ...host.files, size: host.shell as never, write: host.shell as never },
    }
    const interpreter = makeInterpreter(fenced)
    for (const code of ["0:`f", "1:`f", "6:`f", '`f 0:"a"', "`f 1:5", '`f 6:"a"']) expect(interpreter.evaluate(code)?.name).toBe("access")
  })
})
