import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { matcher, searcher } from "../../../src/k3/primitives/pattern.ts"
import { IntsWriter } from "../../../src/k3/values/Parts.ts"
import { bytes } from "../../../src/k3/values/value.ts"
import { printed } from "../../lib/printed.ts"

const letters = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 40 })

describe("_ss", () => {
  it.each([
    ['"aaaa" _ss "aa"', "0 2"],
    ['"abc" _ss "z"', "!0"],
    ['"abc" _ss "c"', ",2"],
    ['"" _ss "c"', "!0"],
    ['("abc";"cbc") _ss "c"', "(,2\n 0 2)"],
    ['"a*c" _ss "*"', ",1"],
    ['"a?c" _ss "[?]"', ",1"],
    ['"ab]c" _ss "[]]"', ",2"],
    ['"a-c" _ss "[^ac]"', ",1"],
    ['@[_ss["abc"];"";:]', '(1;"length")'],
    ['@[_ss["abc"];"[a";:]', '(1;"domain")'],
    ['@[_ss["abc"];5;:]', '(1;"type")'],
    ['`abc _ss "b"', ",1"],
    ["`ab`bc _ss `b", "(,1\n ,0)"],
  ])("%s", (code, prints) => expect(printed(code)).toBe(prints))

  it("finds what a plain search finds, without overlap", () => {
    fc.assert(
      fc.property(letters, fc.string({ unit: fc.constantFrom("a", "b", "c"), minLength: 1, maxLength: 4 }), (s, p) => {
        const expected: number[] = []
        for (let i = s.indexOf(p); i >= 0; i = s.indexOf(p, i + p.length)) expected.push(i)
        const found = new IntsWriter()
        searcher(bytes(p)).search(bytes(`ab${s}`), 2, 2 + s.length, found)
        expect([...found.v.subarray(0, found.n)]).toEqual(expected)
      }),
    )
  })
})

describe("_ssr", () => {
  it.each([
    ['_ssr["abcda";"a";"e"]', '"ebcde"'],
    ['_ssr["abcda";"a";""]', '"bcd"'],
    ['_ssr["abab";"b";{x,x}]', '"abbabb"'],
    ['_ssr[("abab";"bb");"b";"c"]', '("acac"\n "cc")'],
    ['_ssr["abc";"z";"y"]', '"abc"'],
    ['_ssr["abc";"a";5]', '"5bc"'],
    ['_ssr["abc";"b";`x]', '"axc"'],
    ['_ssr["a1b";1;-2]', '"a-2b"'],
    ['_ssr[_n;"a";"b"]', ""],
    ['@[_ssr["abc";"a"];"b","c";:]', '(0;"bcbc")'],
    ['@[_ssr["abc";"a"];1 2;:]', '(1;"type")'],
  ])("%s", (code, prints) => expect(printed(code)).toBe(prints))
})

describe("_sm", () => {
  it.each([
    ['("a.c";"bc") _sm "*.[ch]"', "1 0"],
    ["`one `two _sm `two", "0 1"],
    ['"abc" _sm ("a*";"*b")', "1 0"],
    ['("ab";"cd") _sm ("a*";"a*")', "1 0"],
    ['"" _sm "*"', "1"],
    ['"abc" _sm "a?"', "0"],
  ])("%s", (code, prints) => expect(printed(code)).toBe(prints))

  it("is what a regular expression says", () => {
    const pattern = fc.string({ unit: fc.constantFrom("a", "b", "*", "?", "[ab]", "[^a]"), maxLength: 6 })
    fc.assert(
      fc.property(letters, pattern, (s, p) => {
        const same = new RegExp(`^${p.replaceAll("*", ".*").replaceAll("?", ".")}$`)
        expect(matcher(bytes(p))(bytes(s))).toBe(same.test(s))
      }),
    )
  })
  it("takes no more than the product of both lengths", () => {
    expect(matcher(bytes("*a".repeat(40) + "b"))(bytes("a".repeat(4000)))).toBe(false)
  })
})

describe("_ic and _ci", () => {
  it.each([
    ['_ci _ic "any \\377 text"', '"any \\377 text"'],
    ["_ci (65 66;67)", '("AB"\n "C")'],
    ["_ci 321", '"A"'],
    ["@[_ic;`a;:]", '(1;"type")'],
  ])("%s", (code, prints) => expect(printed(code)).toBe(prints))
})
