/** Letters of a K3CSharp value, from its image and its printed text. */
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import type { Item } from "../../../src/child/engines/image.ts"
import { lettered, mayHoldWide } from "../../../src/child/engines/k3csharpLetters.ts"

const bytes = new Uint8Array()
const escapes: Readonly<Record<string, string>> = { '"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r", "\b": "\\b" }
/** A string as K3CSharp prints it. */
const print = (text: string): string =>
  `"${text
    .split("")
    .map((c) => {
      const code = c.charCodeAt(0)
      return escapes[c] ?? (code < 32 || code > 126 ? `\\${code.toString(8).padStart(3, "0")}` : c)
    })
    .join("")}"`
/** The lowest bytes of the chars, as in the image. */
const string = (text: string): Item => ({
  type: -3,
  bytes,
  text: text
    .split("")
    .map((c) => String.fromCharCode(c.charCodeAt(0) & 255))
    .join(""),
})
const list = (...items: readonly Item[]): Item => ({ type: 0, bytes, items })
const textsOf = (item: Item | undefined): readonly string[] =>
  item === undefined ? ["none"] : "items" in item ? item.items.flatMap(textsOf) : "text" in item ? [item.text] : []

describe("letters of K3CSharp", () => {
  const letter = fc.oneof(
    fc.constantFrom(...'a47\\"\n\x7f\xff\u0100☃日ϼ'),
    fc.integer({ min: 0, max: 0xffff }).map((n) => String.fromCharCode(n)),
  )
  it("are the printed ones; when two readings fit, one with the same printed text", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.array(letter).map((all) => all.join("")),
          { minLength: 1 },
        ),
        (texts) => {
          const found = textsOf(lettered(list(...texts.map(string)), `(${texts.map(print).join(";")})`))
          assert.deepStrictEqual(found.map(print), texts.map(print))
          assert.isTrue(mayHoldWide(texts.map(print).join("")) || !/[^\0-\xff]/.test(texts.join("")))
        },
      ),
    )
  })

  it("are found when the first reading fails", () => {
    assert.deepStrictEqual(textsOf(lettered(string("ṹ7"), print("ṹ7"))), ["ṹ7"])
  })

  it("are not guessed when the printed text is of another value", () => {
    assert.deepStrictEqual(textsOf(lettered(string("a☃"), '"a\\23003"')), ["a☃"])
    for (const print of ['"b\\23003"', '"a\\23004"', '"a\\23003b"', '"a"', "", '"a\\23003";"x"'])
      assert.isUndefined(lettered(string("a☃"), print))
  })

  it("are not searched in quoted symbols", () => {
    const symbol: Item = { type: 4, bytes, text: "\xe2\x98\x83 a" }
    assert.deepStrictEqual(textsOf(lettered(list(symbol, string("☃")), '(`"☃ a";"\\23003")')), ["☃ a", "☃"])
  })
})
