/** The transcript of the page: entries of a history, in whatever order and pieces they arrive. */
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { behind } from "../../../src/attach/follow.ts"
import {
  announced,
  answered,
  completed,
  drew,
  emptyTranscript,
  type HistoryReplyEntry,
  heard,
  mostRows,
  recalled,
  said,
  type Transcript,
} from "../../../src/page/transcript.ts"

const at = (n: number): string => new Date(Date.UTC(2030, 0, 1) + 1000 * n).toISOString()
const entry = (n: number, more: Partial<HistoryReplyEntry> = {}): HistoryReplyEntry => ({ n, at: at(n), code: `x${n}`, ok: true, ...more })
const entries = (from: number, to: number): readonly HistoryReplyEntry[] => Array.from({ length: to - from + 1 }, (_, i) => entry(from + i))
const numbers = ({ rows }: Transcript): readonly number[] => rows.flatMap((row) => (row.kind === "entry" ? [row.entry.n] : []))
const kinds = ({ rows }: Transcript): readonly string[] => rows.map(({ kind }) => kind)

describe("J1 the transcript follows the history", () => {
  it("shows each entry once and in order, in whatever pieces it is heard of", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(7), { maxLength: 30 }), fc.boolean(), (pieces, isFollowed) => {
        let shown = emptyTranscript
        let last = 0
        for (const piece of pieces) {
          // The server gives all from the cursor on, that entry too.
          const { cursor } = shown
          shown = heard(shown, behind(cursor, entries(Math.max(1, cursor.n), (last += piece)))!, isFollowed)
        }
        expect(numbers(shown)).toEqual(entries(1, last).map(({ n }) => n))
        expect(shown.cursor.n).toBe(last)
      }),
    )
  })

  it("keeps the newest rows while they are followed, more while somebody reads, and no gap", () => {
    const many = heard(emptyTranscript, entries(1, mostRows - 1), true)
    const followed = heard(many, entries(mostRows, mostRows + 9), true)
    expect(numbers(followed)).toEqual(entries(10, mostRows + 9).map(({ n }) => n))
    expect(followed.older).toBe(10)
    const read = heard(many, entries(mostRows, mostRows + 9), false)
    expect([numbers(read).length, read.older]).toEqual([mostRows + 9, undefined])
    let long = read
    for (let n = mostRows + 10; n < 8 * mostRows; n += 1000) long = heard(long, entries(n, n + 999), false)
    expect(long.rows.length).toBe(5 * mostRows)
    expect(long.older).toBe(numbers(long)[0])
    const jump = heard(many, entries(9 * mostRows, 10 * mostRows), false)
    expect(numbers(jump)[0]).toBe(9 * mostRows + 1)
  })

  it("older entries come before, once", () => {
    const shown = recalled({ ...heard(emptyTranscript, entries(50, 60), true), older: 50 }, entries(30, 51), 30)
    expect(numbers(shown)).toEqual(entries(30, 60).map(({ n }) => n))
    expect(shown.older).toBe(30)
    expect(shown.cursor.n).toBe(60)
  })

  it("knows which entries the list tells in part, and takes the whole one in their place", () => {
    const cut = heard(
      emptyTranscript,
      [entry(1), entry(2, { code: "a ⏎ b" }), entry(3, { output: "0 1 2…" }), entry(4, { ok: false, error: "type" })],
      true,
    )
    expect(cut.rows.map((row) => row.kind === "entry" && row.isWhole)).toEqual([true, false, false, false])
    const whole = completed(cut, entry(4, { ok: false, error: "type error\n1+`a\n ^" }))
    expect(whole.rows[3]).toMatchObject({ isWhole: true, key: cut.rows[3]!.key, entry: { error: expect.stringContaining("^") } })
    // Of another history, which began again.
    expect(completed(cut, { ...entry(4), at: at(99) })).toBe(cut)
  })

  it("puts pictures at their time, each once, and those of before with what was before", () => {
    const plot = (n: number, when: string) => ({ uri: `k3://sessions/main/plots/${n}`, title: `plot ${n}`, summary: "", at: when })
    const shown = drew(heard(emptyTranscript, entries(1, 3), true), [plot(1, at(2.5)), plot(2, at(9))])
    expect(kinds(shown)).toEqual(["entry", "entry", "plot", "entry", "plot"])
    expect(drew(shown, [plot(1, at(2.5))])).toBe(shown)
    const late = { ...heard(emptyTranscript, entries(5, 6), true), older: 5 }
    expect(drew(late, [plot(1, at(2.5))])).toBe(late)
    // A number begins again in another server.
    expect(kinds(drew(shown, [plot(1, at(12))]))).toEqual([...kinds(shown), "plot"])
  })

  it("says at the end what the page has to say", () => {
    const shown = answered(said(heard(emptyTranscript, entries(1, 1), true), "lost: a", at(2)), { code: "1+1", output: "2\n" }, at(3))
    expect(kinds(shown)).toEqual(["entry", "notice", "answer"])
    expect(shown.cursor.n).toBe(1)
    expect(new Set(shown.rows.map(({ key }) => key)).size).toBe(3)
  })

  it("tells in one sentence what is new", () => {
    expect(announced([])).toBe("")
    expect(announced([entry(1, { code: "1+1", output: "2" })])).toBe("agent: 1+1 gives 2")
    expect(announced([entry(1), entry(2, { by: "page", ok: false, error: "type" })])).toBe("2 evaluations; the last: page: x2 gives type")
  })
})
