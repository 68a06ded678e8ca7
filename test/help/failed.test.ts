/** D4 an error tells of the verb that failed, in two or three lines. */
import { describe, expect, it } from "vitest"
import { failedEntry } from "../../src/help/failed.ts"
import { rows } from "../../src/k3/documents.ts"

describe("D4", () => {
  it.each([
    [{ name: "type", at: "+", valence: 2 }, "x+y  plus"],
    [{ name: "length", at: "+", valence: 1 }, "+x  flip"],
    [{ name: "type", at: "+/", valence: 2 }, "x+y  plus"],
    [{ name: "type", at: "a[1]+:", valence: 2 }, "x+y  plus"],
    [{ name: "type", at: "%:'", valence: 1 }, "%x  reciprocal"],
    [{ name: "type", at: "_ssr[", valence: 3 }, "_ssr[x;y;z]"],
    [{ name: "type", at: "_sqrt" }, "_sqrt x"],
    [{ name: "type", at: "0:", valence: 1 }, "0:x"],
    [{ name: "length", at: "{x+y}'", valence: 2 }, "f/:y"],
    [{ name: "index", at: "1 2 3[", valence: 1 }, "Places count from 0"],
    [{ name: "open", at: "(" }, "caret"],
    [{ name: "type" }, "4:x"],
    [{ name: "character", at: "×" }, "× is not K: write *."],
    [{ name: "value", at: "print" }, "`0:text"],
    [{ name: "value", at: "raze" }, "raze is no name of K: ,/x"],
    [{ name: "value", at: "sqrt" }, "sqrt is no name of K: _sqrt"],
    [{ name: "value", at: "vs" }, "k_help split for text"],
    [{ name: "type", at: "_vs", valence: 2 }, "For text: k_help split."],
    [{ name: "type", at: "_sv", valence: 2 }, "For text: k_help join."],
    [{ name: "wsfull" }, "the limit is memory_mb of the call or tool, else K3_CHILD_MEMORY"],
    [{ name: "limit" }, "the limit is steps of the call"],
    [{ name: "limit", at: "!", valence: 1 }, "the limit is steps of the call"],
    [{ name: "wsfull", at: "!", valence: 1 }, "the limit is memory_mb"],
    [{ name: "access", at: "0:", valence: 1 }, "Use files below K3_ROOTS only, and K in place of the shell (k_help commands)."],
    [{ name: "parse", at: "b" }, "k_validate"],
    [{ name: "parse", at: ":" }, "k_validate"],
    [{ name: "rank", at: "@[" }, "@[f;x;:]"],
    [{ name: "rank", at: ".[" }, "@[f;x;:]"],
    [{ name: "index", at: "@[" }, "Places count from 0"],
    [{ name: "rank", at: "7/", valence: 1 }, "% divides"],
    [{ name: "index", at: "(+/x)/", valence: 1 }, "% divides"],
    [{ name: "rank", at: "+/", valence: 2 }, "x+y  plus"],
    [{ name: "rank", at: "if" }, "if[c;…]"],
    [{ name: "rank", at: "-1" }, '`0:"text\\n" prints text'],
    [{ name: "rank", at: "(b>1)" }, "a -1 is a[-1]"],
    [{ name: "domain", at: "?", valence: 2 }, "5 _draw 10"],
    [{ name: "domain", at: "!", valence: 1 }, "!x  enumerate"],
    [{ name: "rank", at: '","/', valence: 2 }, "k_help join"],
    [{ name: "type", at: '", "\\', valence: 2 }, "k_help split"],
    [{ name: "reserved", at: "_ceil" }, "_ceil is no name of K: -_-x"],
    [{ name: "reserved", at: "_and" }, "no verbs for bits"],
    [{ name: "reserved", at: "_nosuch" }, "write a blank after it"],
  ])("%j: %s", (error, part) => expect(failedEntry(error)).toContain(part))

  it.each([
    { name: "value", at: "nosuch" },
    { name: "value", at: "constructor" },
    { name: "value", at: "bd" },
    { name: "my own" },
    { name: "my own", at: "'" },
    { name: "toString" },
  ])("says nothing where there is nothing to say: %j", (error) => expect(failedEntry(error)).toBeUndefined())

  it("is two or three lines for every verb", () => {
    for (const { glyph, valence } of rows) {
      const lines = failedEntry({ name: "type", at: glyph, valence })?.split("\n") ?? []
      expect(lines.length, glyph).toBeLessThan(4)
      expect(lines.join("").length, glyph).toBeLessThan(400)
    }
  })
})
