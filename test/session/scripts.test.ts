/** A1 the facts found in the text of a script. */
import { describe, expect, it } from "vitest"
import { factsOf } from "../../src/session/scripts.ts"

describe("A1", () => {
  it.each([
    ["/ one\n/ two\na:1", { comment: "one two", defines: ["a"], loads: [] }],
    ["#!/usr/bin/env k3\n/ after the shell's line\nf:{a:1;b::2}", { comment: "after the shell's line", defines: ["f"], loads: [] }],
    ["a:1\n/ too late", { comment: "", defines: ["a"], loads: [] }],
    ["\ufeff/ marked\n\\l lib/x\n\\l lib/x\n \\l y.k ", { comment: "marked", defines: [], loads: ["lib/x", "y.k"] }],
    ["a:1;b:2\na+:1\n.x.y:3\n\\d .q\nz:4\n\\d .k\nc:5", { comment: "", defines: ["a", "b", ".x.y", ".q.z", "c"], loads: [] }],
    ["f:{[x]\n  / inner: no\n  y:x\n  y}\ng:f'", { comment: "", defines: ["f", "g"], loads: [] }],
    ["", { comment: "", defines: [], loads: [] }],
    ['x:"(unclosed', { comment: "", defines: ["x"], loads: [] }],
  ])("%j", (text, expected) => expect(factsOf(text)).toEqual(expected))

  it("a comment is cut, and endlessly nested code is read in time", () => {
    expect(factsOf(`/ ${"long ".repeat(1000)}`).comment).toHaveLength(200)
    expect(factsOf("{(".repeat(30_000)).defines).toEqual([])
    expect(factsOf(`x:1;${"{".repeat(30_000)}a:1${"}".repeat(30_000)};y:2`).defines).toEqual(["x", "y"])
    // Read to the end of the text at each of the brackets, or of the blanks, these would take minutes.
    expect(factsOf(`x:1;${"a[".repeat(200_000)}`).defines).toEqual(["x"])
    expect(factsOf(`\\l a${" ".repeat(300_000)}b`).loads).toHaveLength(1)
  })
})
