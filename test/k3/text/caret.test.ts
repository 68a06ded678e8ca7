/** Where the caret stands, for texts as K holds them (bytes) and as they are written. */
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { pointed, utf8 } from "../../../src/k3/text/caret.ts"
import { fromBytes } from "../../../src/k3/text/utf8.ts"

const bytes = (text: string): string => Buffer.from(text).toString("latin1")

describe("the caret stands under the column of a terminal", () => {
  it.each([
    ["plain", '"abc";', "      ^"],
    ["letters of other alphabets", '"éж☃";', "      ^"],
    ["wide: Han, kana, Hangul, their brackets and full width", '"日本ごカ한「Ａ";', "                 ^"],
    ["half-width kana and Hangul", '"ｶﾡ";', "     ^"],
    ["emoji in colour, and signs that are none", '"🙂☃";', "      ^"],
    ["marks on a letter, and what is not seen", '"e\u0301\u200b";', "    ^"],
    ["emoji of several, a flag, and a sign that is asked for in colour", '"👩‍👩‍👧🇨🇭👍🏽☃\ufe0f";', "           ^"],
    ["a syllable of Hangul in parts, and one letter with many marks", '"\u1112\u1161\u11abe\u0301\u0323";', "      ^"],
    ["tabs", '"\t日";', " \t    ^"],
  ])("%s", (_, before, caret) => {
    expect(pointed(`${before}x`, before.length + 1).caret).toBe(caret)
    const line = bytes(`${before}x`)
    expect(pointed(line, line.length, utf8)).toEqual({ source: line, caret })
  })

  it("bytes that are no characters take the columns of what is shown for them", () => {
    const before = '"\xff\x80\xe6\x97";'
    expect(pointed(`${before}x`, 1 + before.length, utf8).caret).toBe(`${" ".repeat(fromBytes(before).length)}^`)
  })

  it("a long line is cut around it, and no character in two", () => {
    const part = fc.constantFrom("a", "é", "日", "🙂")
    const places = (text: string): number => Array.from(text, (c) => ("日🙂".includes(c) ? 2 : 1)).reduce((a, b) => a + b, 0)
    const holds = (shown: string, caret: string): void => {
      expect(shown).not.toContain("\ufffd")
      expect(shown.length).toBeLessThan(130)
      expect(caret.length - 1).toBe(places(shown.slice(0, shown.indexOf("x"))))
    }
    fc.assert(
      fc.property(fc.array(part, { maxLength: 200 }), fc.array(part, { maxLength: 200 }), (front, behind) => {
        const before = front.join("")
        const text = `${before}x${behind.join("")}`
        const { source, caret } = pointed(text, before.length + 1)
        holds(Buffer.from(source).toString(), caret)
        const inBytes = pointed(bytes(text), bytes(before).length + 1, utf8)
        holds(Buffer.from(inBytes.source.replaceAll("…", bytes("…")), "latin1").toString(), inBytes.caret)
      }),
    )
  })
})
