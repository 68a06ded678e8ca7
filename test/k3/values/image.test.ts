import { readFileSync } from "node:fs"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { KError } from "../../../src/k3/run/KError.ts"
import type { Kernel } from "../../../src/k3/run/kernel.ts"
import { TreeEvaluator } from "../../../src/k3/interpreter/TreeEvaluator.ts"
import { makeInterpreter } from "../../../src/k3/k3.ts"
import { imageSize, isImageOf, rows } from "../../../src/k3/values/image.ts"
import type { MonadRow } from "../../../src/k3/primitives/Row.ts"
import { match } from "../../../src/k3/values/match.ts"
import { Chars, Symbols, type Value } from "../../../src/k3/values/value.ts"
import { memoryHost } from "../../lib/memoryHost.ts"
import { printed } from "../../lib/printed.ts"
import { atom, data, vector } from "../../lib/values.ts"

const [toImage, fromImage] = rows.map((row) => (row as MonadRow).run) as [MonadRow["run"], MonadRow["run"]]
/** Data asks nothing of the kernel. */
const none = {} as Kernel

interface Case {
  readonly id: string
  readonly code: string
  readonly expected: string
  readonly compare?: "padding"
}

/** Cases are UTF-8; the console's bytes are one char each. */
const byteString = (s: string): string => Buffer.from(s, "utf8").toString("latin1")
const cases = readFileSync(new URL("../../cases/kx-bd.jsonl", import.meta.url), "utf8")
  .split("\n")
  .filter((line) => line !== "")
  .map((line) => JSON.parse(line) as Case)

/** The record of these lost a carriage return that stood between the quotes of a symbol, and that their image still shows. */
const lost = new Set(["bd-824", "bd-888"])

const print = (code: string): string => {
  const host = memoryHost()
  const failure = makeInterpreter(host).evaluate(byteString(code))
  return failure?.rendered ?? host.take().replace(/\n$/, "")
}

/** The bytes of a printed string. */
const unquoted = (text: string): number[] =>
  [...text.slice(1, -1).matchAll(/\\([0-7]{3})|\\(.)|([^\\])/gs)].map(([, octal, escape, plain]) =>
    octal !== undefined
      ? Number.parseInt(octal, 8)
      : escape !== undefined
        ? ({ n: 10, t: 9, r: 13, b: 8 }[escape] ?? escape.charCodeAt(0))
        : plain!.charCodeAt(0),
  )

describe("_bd is Kx's, byte for byte", () => {
  it.each(cases.filter(({ id, compare }) => compare === undefined && !lost.has(id)))("$id $code", ({ code, expected }) =>
    expect(print(code)).toBe(expected),
  )
})

describe("_bd of lists is Kx's but for the bytes that pad, which are zeros", () => {
  it.each(cases.filter(({ compare }) => compare === "padding"))("$id $code", ({ code, expected }) => {
    const [ours, theirs] = [unquoted(print(code)), unquoted(expected)]
    expect(ours.length).toBe(theirs.length)
    const differing = ours.filter((byte, i) => byte !== theirs[i])
    expect(differing.every((byte) => byte === 0)).toBe(true)
  })
})

it("a symbol ends before a NUL, as in an image", () => {
  expect(print('s:`$"a\\000b"\n(s;`"a\\000b";#$s;s~_db _bd s;(`$("x\\000";"\\000y"))~`x`)')).toBe("(`a;`a;1;1;1)")
})

describe("a carriage return in a symbol", () => {
  it("is a byte like any, as the damaged records show", () => {
    expect(print('_bd `"\\r"')).toBe('"\\001\\000\\000\\000\\006\\000\\000\\000\\004\\000\\000\\000\\r\\000"')
  })
})

describe("images", () => {
  it.each([997, 998, 999, 1000])("of many strings within %i lists are made as those of their items, or refused as they are", (depth) => {
    const nested = (strings: string) => print(`l:${strings};do[${depth};l:,l];x:_bd l;(#x;l~_db x)`)
    expect(nested("$!1024").split("\n")[0]).toBe(nested("{x[0]:x 0;x}@$!1024").split("\n")[0])
    expect(nested("{(x;x)}'$!1024").split("\n")[0]).toBe(nested("{x[0]:x 0;x}@{(x;x)}'$!1024").split("\n")[0])
  })
  it("read back as the value: x ~ _db _bd x", () => {
    fc.assert(fc.property(data, (x) => match(x, fromImage(toImage(x, none), none))))
  })
  it("are told from others without making another one", () => {
    const bytesOf = (x: Value): Uint8Array => (toImage(x, none) as Chars).v
    const agrees = (image: Uint8Array, x: Value): void =>
      expect(isImageOf(image, x)).toBe(Buffer.compare(Buffer.from(image), Buffer.from(bytesOf(x))) === 0)
    fc.assert(
      fc.property(data, data, (x, y) => {
        agrees(bytesOf(x), x)
        agrees(bytesOf(x), y)
      }),
    )
    const changed = fc.tuple(fc.oneof(vector, atom), fc.nat(), fc.integer({ min: 1, max: 255 }))
    fc.assert(
      fc.property(changed, ([x, at, by]) => {
        const image = bytesOf(x).slice()
        const place = 8 + (at % (image.length - 8))
        image[place] = image[place]! ^ by
        // The byte of a char is padded.
        if (typeof x === "number" || x.t !== 3 || place < 13) expect(isImageOf(image, x)).toBe(false)
      }),
    )
  })
  it("are made of a damaged copy as a value or an error of K, never anything else", () => {
    const damaged = fc.tuple(data, fc.nat(), fc.nat({ max: 255 }), fc.nat())
    // Damage can make anything of it, a function too.
    const kernel = new TreeEvaluator(memoryHost())
    fc.assert(
      fc.property(damaged, ([x, at, byte, cut]) => {
        const v = (toImage(x, none) as Chars).v.slice()
        v[8 + (at % (v.length - 8))] = byte
        const image: Value = new Chars(cut % 2 === 0 ? v : v.slice(0, cut % v.length))
        try {
          fromImage(image, kernel)
        } catch (error) {
          expect(error).toBeInstanceOf(KError)
        }
      }),
    )
  })
  it("of functions hold their text, and read back as functions", () => {
    expect(print("(_db _bd {[a] a+1}) 5")).toBe("6")
    expect(print("_db _bd (+/)")).toBe("+/")
  })
})

describe("a function in an image", () => {
  it.each([
    "{x+y}",
    "+",
    "+/",
    "{x+y}[1;]",
    "{[a;b]a*b}[;2]",
    "(1+)",
    "+/'",
    "{[a] {a+x}}",
    "(+/;-:)",
    '_ssr["a";"b";]',
    '_ssr["a";"b"]',
    '_ssr["a"]',
    '_ssr[;"b";"c"]',
    "{x+y+z}'[1;2;]",
    "{x+y+z}\\[;2;3]",
    "+/:[1]",
    "@[;0;:]",
    "@[1 2 3;0;;5]",
    ".[;();:;]",
    "?[{x};1;]",
    "{x+y+z}[1][;2]",
    "{x+y}[;][;]",
    "{x+y+z}[1][2]",
    "(-_ssr)[`a]",
    "(1 2')",
    "((1 2;3 4)/)",
    "(+;-)'",
    "((1 2')[;1])",
    "{x,y}[1 2']",
    "{x,y}[.,(`a;{x})]",
    "{x,y}[.((`a;+);(`b;1;.,`c`d))]",
  ])("%s comes back", (code) => {
    expect(printed(`f:${code}\nf~_db _bd f`)).toBe("1")
  })

  it("comes back with the locals that it captured, and not with names that are none", () => {
    expect(printed("f:{[n;s]{s,n+x}}[2;`a]\nn:9\n(_db _bd f)1\n(_bd _db _bd f)~_bd f")).toBe("(`a;3)\n1")
    const s = "s:_bd{[abc]{x+abc}}1"
    expect(printed(`${s}\ns[s _ss"abc\\000"]:"!"\n@[_db;s;:]`)).toBe('(1;"domain")')
  })

  it("is made in the directory of its globals, which is left again for the one before, the root too", () => {
    expect(printed("\\d .k.a\n.k.s:_bd {q}\n\\d ^\n\\d ^\n.k.f:_db .k.s\n_d\n.k.a.q:5\n.k.f 0")).toBe("`\n5")
  })
  it("reading a function makes no directory of what has its directory's name", () => {
    const made = '\\d .k.p\n.k.s:_bd {b+x}\n\\d .k\n.k.s:_ssr[s;".k.p";".k.q"]'
    expect(printed(`${made}\nq:.,(\`b;7)\ng:_db s\nq\nq:5\nq`)).toBe(".,(`b;7;)\n5")
  })

  it.each([
    "{x};evil:1",
    "evil:1",
    "{evil::1}[]",
    "{evil::1}@0",
    '`0:"hello"',
    "1+1",
    "f:{x}",
    '.:["evil::1"]',
    '(.:)["evil::1"]',
    '+[.:["evil::1"];]',
    "{evil::1}'[1]",
    '.:\'[,"evil::1"]',
    "{evil::1}/[1]",
    '0:["f"]',
    "{x,y}[.,(`a;{evil::1}'[1])]",
    "{x,y}[.((+;{evil::1});(1;2))]",
    "{x,y}[.(`evil;();1 2)]",
    "(+/{evil::1}'[1])",
    "({evil::1}')[1]",
  ])("is not run when it does more than make one: %s", (text) => {
    const blank = `{${" ".repeat(text.length - 2)}}`
    const lines = [`s:_bd ${blank}`, `s[13+!${text.length}]:${JSON.stringify(text)}`, "@[_db;s;:]", '@[.:;"evil";:]']
    expect(printed(lines.join("\n"))).toBe('(1;"domain")\n(1;"value")')
  })
})

it("bytes of symbols are counted no further than asked", () => {
  const symbols = new Symbols(new Int32Array(100_000))
  expect(imageSize(symbols)).toBe(8 + 4 + 4 + 100_000)
  expect(imageSize(symbols, 1000)).toBeLessThan(1100)
})
