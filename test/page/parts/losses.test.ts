/** The page's sentences about losses, the addresses of its views, and the colours of K. */
import { describe, expect, it } from "vitest"
import { isFresh, lossOf, returned, seen, type SessionReading } from "../../../src/page/losses.ts"
import { pieces } from "../../../src/page/pieces.ts"
import { isPassing } from "../../../src/page/replies.ts"
import { hashOf, routeOf, views } from "../../../src/page/route.ts"

const reading = (more: Partial<SessionReading>): SessionReading => ({
  session: "main",
  server: 1,
  pid: 1,
  generation: 1,
  names: ["a", "b"],
  ...more,
})

describe("J2 what was lost", () => {
  it("is told of a fresh interpreter, and of no other change", () => {
    expect(isFresh(undefined, reading({}))).toBe(false)
    expect(isFresh(reading({}), reading({ names: [] }))).toBe(false)
    expect(isFresh(reading({}), reading({ pid: undefined }))).toBe(false)
    expect(isFresh(reading({}), reading({ generation: 0, pid: undefined }))).toBe(false)
    expect(isFresh(reading({}), reading({ generation: 2, session: "other" }))).toBe(false)
    expect(isFresh(reading({ generation: 0, pid: undefined }), reading({}))).toBe(false)
    expect(isFresh(reading({}), reading({ generation: 2 }))).toBe(true)
    // The status was read before the process began, the names after it.
    expect(isFresh(reading({ pid: undefined }), reading({ generation: 2, pid: 2 }))).toBe(true)
  })

  it("is told once, by the process where the server is another one", () => {
    const early = reading({ generation: 2, pid: 1 })
    expect(isFresh(early, reading({ generation: 2, pid: 2 }))).toBe(false)
    expect(isFresh(reading({}), reading({ server: 2, pid: 2 }))).toBe(true)
    expect(isFresh(reading({}), reading({ server: 2 }))).toBe(false)
  })

  it("is compared with the latest interpreter that was seen", () => {
    const before = reading({})
    expect(seen(undefined, before)).toBe(before)
    expect(seen(before, reading({ generation: 0 }))).toBe(before)
    expect(seen(before, reading({ server: 2, pid: undefined }))).toBe(before)
    const next = reading({ generation: 2, pid: undefined })
    expect(seen(before, next)).toBe(next)
  })

  it("is not told by what was seen while an evaluation ran", () => {
    const running = "An evaluation is running, and this was not looked at before it; call k_inspect again when k_status says ready."
    expect(isPassing({ entries: [], notice: running })).toBe(true)
    expect(isPassing({ entries: [], notice: "As it was 2 s ago: an evaluation is running." })).toBe(true)
    expect(isPassing({ entries: [], notice: "Other directories: .a; k_inspect with path . lists all." })).toBe(false)
  })

  it("names what is gone, and says what was kept", () => {
    const text = (names: readonly string[]) => lossOf(reading({}), reading({ pid: 2, generation: 2, names }))
    expect(text(["a", "b", "c"])).toBe("A fresh interpreter answers in session main (generation 2). All 2 variables are there.")
    expect(text(["b"])).toContain("1 variable is there; lost: a.")
    expect(lossOf(reading({ names: ["a"] }), reading({ generation: 2, names: ["a"] }))).toMatch(/ Its variable is there\.$/)
    // Not all names are known.
    expect(lossOf(reading({}), reading({ generation: 2, names: undefined }))).toMatch(/\(generation 2\)\.$/)
    expect(text([])).toContain("No variable was kept; lost: a, b.")
    expect(lossOf(reading({ names: undefined }), reading({ pid: 2, generation: 2 }))).toBe(
      "A fresh interpreter answers in session main (generation 2).",
    )
    const many = Array.from({ length: 20 }, (_, n) => `v${n}`)
    expect(lossOf(reading({ names: many }), reading({ names: [] }))).toContain("v11 and 8 more")
  })

  it("says how long the server was away, and what was not answered", () => {
    expect(returned(300, [])).toBe("The server answers again, after a moment.")
    expect(returned(4200, ["x:1"])).toMatch(/after 4 s\. No answer came to: x:1\. .*not run again/)
  })
})

describe("J3 the address of a view", () => {
  it("is read as it is written, for every name there can be", () => {
    for (const view of views)
      for (const path of ["", ".k.a", ".k.sub.x1"]) expect(routeOf(hashOf("s/1", view, path))).toEqual({ session: "s/1", view, path })
  })

  it("has no K in it: a link from elsewhere cannot make the page evaluate", () => {
    for (const path of [".k.a;x:1", "a[0]", "`a", "a b", "{x}"]) expect(routeOf(hashOf("main", "variables", path)).path).toBe("")
  })

  it("of nothing, and of nonsense, is the transcript", () => {
    for (const hash of ["", "#", "#/", "#//nonsense"]) expect(routeOf(hash)).toEqual({ session: undefined, view: "transcript", path: "" })
    expect(routeOf("#/%E0%A4%A/history").session).toBe("%E0%A4%A")
  })
})

describe("J4 K in colours", () => {
  it("loses no character", () => {
    for (const code of ["", "a:1", 'x:"a/b" / c', "f:{[x;y] x+-1.5e3}\n`a`b.c _ss 0N", '"open'])
      expect(
        pieces(code)
          .map(({ start, end }) => code.slice(start, end))
          .join(""),
      ).toBe(code)
  })

  it("tells symbols, numbers, strings, comments and system names apart, and no verb for a name", () => {
    const code = '`ab 12 -1.5 "s" _sin a_b x1 / c'
    const of = (colour: string) => pieces(code).flatMap((each) => (each.colour === colour ? [code.slice(each.start, each.end)] : []))
    expect([of("symbol"), of("number"), of("string"), of("system"), of("comment")]).toEqual([
      ["`ab"],
      ["12", "-1.5"],
      ['"s"'],
      ["_sin"],
      ["/ c"],
    ])
  })
})
