/** Text as the bytes of UTF-8, and back, against Node's own encoding. */
import * as fc from "fast-check"
import { expect, it } from "vitest"
import { fromBytes, toBytes } from "../../../src/k3/text/utf8.ts"

it.each(["", "a", "æøå", "日本語", "\u{1f600}\u{10ffff}", "a\u0000\u007f\u0080\u07ff\u0800\uffff"])(
  "%j as bytes is what UTF-8 says, and comes back",
  (text) => {
    expect(toBytes(text)).toBe(Buffer.from(text, "utf8").toString("latin1"))
    expect(fromBytes(toBytes(text))).toBe(text)
  },
)

it("a lone surrogate, and bytes that are no UTF-8, are replaced", () => {
  expect(fromBytes(toBytes("a\ud800b"))).toBe("a\ufffdb")
  expect(fromBytes("\xff\xc0\x80\xed\xa0\x80a")).toBe("\ufffd\ufffd\ufffd\ufffd\ufffd\ufffda")
})

it("K any bytes are read as Node reads them, whole characters, parts of one and others", () => {
  const byte = fc.constantFrom(0x41, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc1, 0xc2, 0xe0, 0xe6, 0xed, 0xf0, 0xf1, 0xf4, 0xf5, 0xff)
  fc.assert(
    fc.property(fc.array(byte, { maxLength: 8 }), (all) => {
      expect(fromBytes(String.fromCharCode(...all))).toBe(Buffer.from(all).toString())
    }),
    { numRuns: 5000 },
  )
})
