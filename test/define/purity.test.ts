/** C3 the side effects of a tool are found in texts; an unknown name counts as every effect. */
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { annotationsOf, purityOf } from "../../src/define/purity.ts"
import { reachOf } from "../../src/define/reach.ts"
import type { Inspection } from "../../src/session/Session.ts"
import { factsOf } from "../../src/child/engines/functionText.ts"

const readOnly = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false }
const changing = { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false }
const anything = { ...changing, openWorldHint: true }

/** A session with these variables; values in braces are functions. */
const holding = (held: Readonly<Record<string, string>>) => ({
  inspect: (path: string): Effect.Effect<Inspection> => {
    const text = held[path]
    const entry = { name: path, type: 7, kind: text === undefined ? "no value" : "function", shape: "", preview: "" }
    const facts = text?.startsWith("{") === true ? { function: { ...factsOf(text), text, usedBy: [] } } : {}
    return Effect.succeed({ path, entries: [], value: { ...entry, ...facts }, generation: 1, ageMs: 0, omitted: 0 })
  },
})
const reached = (code: string, held: Readonly<Record<string, string>> = {}) => Effect.runSync(reachOf(code, holding(held)))

describe("C3 annotations", () => {
  it.each([
    ["{x+1}", readOnly],
    ["{a:x;a+1}", readOnly],
    ["{_draw x}", readOnly],
    ["{_t}", readOnly],
    ['{`0:"hello"}', readOnly],
    ["{total::x}", changing],
    ["{.k.total:x}", changing],
    ["{@[`total;x;+;1]}", changing],
    ["{.[`total;();:;x]}", changing],
    ["{total,:x;#total}", changing],
    ["{total[x;*y]+:1}", changing],
    ["{[v]{x*2}'v}", readOnly],
    ['{"f" 0:x}', anything],
    ["{0:x}", anything],
    ["{`3:x}", anything],
    ["{. x}", anything],
    ["{foo x}", anything],
  ])("%s", (code, expected) => {
    expect(annotationsOf(reached(code))).toEqual(expected)
  })

  it("the effects of used functions count, at any distance", () => {
    expect(annotationsOf(reached("{f x}", { f: "{g x}", g: "{x+1}" }))).toEqual(readOnly)
    expect(annotationsOf(reached("{f x}", { f: "{g x}", g: "{total::x}" }))).toEqual(changing)
    expect(reached("{f x}", { f: "{g x}" }).unknown).toEqual(["g"])
    expect(annotationsOf(reached("{f x}", { f: "{f x-1}" }))).toEqual(readOnly)
    expect(annotationsOf(reached("{v+x}", { v: "1 2 3" }))).toEqual(readOnly)
    expect(reached("{total::x+total}", {}).unknown).toEqual([])
  })

  it("names and effects have the way there", () => {
    const held = { imp: "{w x}", ".k.w": '{"f" 0:x;v}', ".k.v": "{_draw x}", w: '{"f" 0:x;v}' }
    expect(reached("{imp x}", held)).toMatchObject({
      uses: ["imp", "imp → w", "imp → w → v"],
      ways: ["imp → w → file write"],
      unknown: ["v"],
    })
    expect(reached("{f x}", { f: "{g f x}", g: "{_t;f x}" })).toMatchObject({ uses: ["f", "f → g"], ways: ["f → g → time"] })
    const elsewhere = reached("{.a.f x}", { ".a.f": "{g x}", ".a.g": "{_t}", g: "{x:1}" })
    expect(elsewhere).toMatchObject({ uses: [".a.f", ".a.f → g"], ways: [".a.f → g → time"], unknown: [] })
  })

  it("a limited number of names is inspected; the others are unknown", () => {
    const held = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`f${i}a`, `{f${i + 1}a x}`]))
    expect(reached("{f0a x}", held).unknown.length).toBeGreaterThan(0)
  })

  it("assignments by name are found in the text", () => {
    expect(purityOf("{@[ `a.b;0;:;x]}").assigns).toEqual(["a.b"])
  })
})
