/** I5 a search finds names, functions, strings and symbols at every depth. */
import * as Base64 from "effect/encoding/Base64"
import { describe, expect, it } from "vitest"
import type { Variable } from "../../../src/child/Contents.ts"
import { findIn } from "../../../src/session/variables/find.ts"
import { makeConsole } from "../../lib/session.ts"

/** These variables as a capture of the embedded engine has them. */
const held = (script: string): ReadonlyMap<string, Variable> => {
  const { k, enter } = makeConsole()
  enter(script)
  const names = k.look({ path: ".k", depth: 1, skip: 0, most: 100 }).entries
  return new Map(
    names.map(({ name, type, preview }) => {
      const image = Uint8Array.from(enter(`5:_ic _bd ${name}`).match(/\d+/g) ?? [], Number)
      const path = `.k.${name}`
      return [path, { path, type, shape: "", bytes: image.length, text: preview, image: Base64.encode(image) }]
    }),
  )
}
const script = 'total:5\nf:{x+total}\ng:{y}\ns:"the Total of it"\nd:.((`total;1);(`in;.,(`deep;`subtotal)));l:(1;("a";"totals"))\nn:1 2 3'
const found = (wanted: string, variables = held(script)) => findIn(variables, wanted).entries.map(({ name, preview }) => [name, preview])

describe("I5", () => {
  it("in names, functions, strings, symbols, lists and dictionaries", () => {
    expect(found("total")).toEqual([
      [".k.d.total", ""],
      [".k.d.in.deep", "subtotal"],
      [".k.f", "{x+total}"],
      [".k.l", "totals"],
      [".k.s", "the Total of it"],
      [".k.total", "5"],
    ])
    expect(found("2 3")).toEqual([[".k.n", "1 2 3"]])
    expect(found("nowhere")).toEqual([])
  })

  it("shows a long text around the place", () => {
    const [[, preview] = []] = found("needle", held(`h:{"${"x".repeat(500)}needle${"y".repeat(500)}"}`))
    expect(preview).toMatch(/^…x+needley+…$/)
    expect(preview!.length).toBeLessThan(90)
  })

  it("searches a large value by its name only, and counts it; searches a value without an image by its printed text", () => {
    const large: Variable = { path: ".k.big", type: -3, shape: "", bytes: 1, text: '"abc"', image: "A".repeat(300_000) }
    const broken = { ...large, path: ".k.bad", image: "????" }
    const written = { ...large, path: ".k.fn", type: 7, text: "{…", image: "{x+needle}" }
    const variables = new Map([large, broken, written].map((each) => [each.path, each]))
    expect(findIn(variables, "big")).toMatchObject({ entries: [{ name: ".k.big" }], unread: 1 })
    expect(found("abc", variables)).toEqual([
      [".k.bad", '"abc"'],
      [".k.big", '"abc"'],
    ])
    expect(found("needle", variables)).toEqual([[".k.fn", "{x+needle}"]])
  })
})
