/** N10: each entry of a history is shown once, and the console's own replies in their place, in whatever steps the history is read. */
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  behind,
  type Cursor,
  type HistoryReplyEntry,
  follow as followKnown,
  type Following,
  later,
  nothingYet,
  type ShownItem,
} from "../../src/attach/follow.ts"

const entry = (n: number, code: string, rest: Partial<HistoryReplyEntry> = {}): HistoryReplyEntry => ({
  n,
  at: `2026-01-01T00:00:${String(n).padStart(2, "0")}.000Z`,
  code,
  ok: true,
  by: "agent",
  ...rest,
})
/** Follows entries that were asked for just now. */
const follow = (following: Following, entries: readonly HistoryReplyEntry[], known = following.asked) =>
  followKnown(following, entries, known)
const start: Following = { caller: "console", cursor: nothingYet, asked: undefined, dropped: [] }
const texts = (shown: readonly ShownItem[]): readonly string[] =>
  shown.map((each) => ("entry" in each ? each.entry.code : `reply ${each.reply.output}`))

describe("N10 following a history", () => {
  it("shows a reply in place of its entry", () => {
    const asked = { code: "x", reply: { ok: true, output: "2\n" } }
    const entries = [entry(1, "a"), entry(2, "x", { by: "console", output: "2\n" }), entry(3, "b")]
    const [shown, after] = follow({ ...start, asked }, entries)
    expect(texts(shown)).toEqual(["a", "reply 2\n", "b"])
    expect(after).toEqual({ caller: "console", cursor: { n: 3, at: entries[2]!.at }, asked: undefined, dropped: [] })
  })

  it("stops before the entry of an unanswered statement", () => {
    const [shown, after] = follow({ ...start, asked: { code: "x" } }, [entry(1, "a"), entry(2, "x", { by: "console" }), entry(3, "b")])
    expect(texts(shown)).toEqual(["a"])
    expect(after.cursor.n).toBe(1)
  })

  it("chooses the entry with its own output among those of two consoles", () => {
    const entries = [entry(1, "x", { by: "console", output: "1\n" }), entry(2, "x", { by: "console", output: "2\n" })]
    expect(texts(follow({ ...start, asked: { code: "x", reply: { ok: true, output: "2\n" } } }, entries)[0])).toEqual(["x", "reply 2\n"])
  })

  it("shows an agent's entry with the same code", () => {
    const entries = [entry(1, "x"), entry(2, "x", { by: "console" })]
    expect(texts(follow({ ...start, asked: { code: "x", reply: { ok: true } } }, entries)[0])).toEqual(["x", "reply undefined"])
  })

  it.each(["anna", "agent", "page"])("does the same where the history has a principal's name: %s", (caller) => {
    const mine = entry(2, "x", { by: caller, output: "2\n" })
    const asked = { code: "x", reply: { ok: true, output: "2\n" } }
    const others = [entry(1, "x", { by: "console" })]
    expect(texts(follow({ ...start, caller, asked }, [...others, mine])[0])).toEqual(["x", "reply 2\n"])
    expect(texts(follow({ ...start, caller, dropped: ["x"] }, [...others, mine])[0])).toEqual(["x"])
  })

  it("shows the reply of a session without history, and no entry of an interrupted statement", () => {
    expect(texts(follow({ ...start, asked: { code: "x", reply: { ok: true, output: "1" } } }, [])[0])).toEqual(["reply 1"])
    const [shown, after] = follow({ ...start, dropped: ["x"] }, [entry(1, "x", { by: "console" }), entry(2, "x", { by: "console" })])
    expect(texts(shown)).toEqual(["x"])
    expect(after.dropped).toEqual([])
  })

  it("recognises a long statement by its beginning, which is all that the history gives", () => {
    const code = "x".repeat(9000)
    const entries = [entry(1, `${code.slice(0, 8000)}…`, { by: "console" })]
    expect(texts(follow({ ...start, asked: { code, reply: { ok: true, output: "1" } } }, entries)[0])).toEqual(["reply 1"])
  })

  it("leaves a reply that came after the entries were asked for to the next time", () => {
    const asked = { code: "x", reply: { ok: true, output: "1" } }
    const [shown, after] = follow({ ...start, asked }, [entry(1, "a")], { code: "x" })
    expect(texts(shown)).toEqual(["a"])
    expect(texts(follow(after, [entry(2, "x", { by: "console", output: "1" })])[0])).toEqual(["reply 1"])
    expect(followKnown({ ...start, asked }, [entry(1, "x", { by: "console", output: "1" })], undefined)[0]).toEqual([])
  })

  it("goes on by time in a history that lost its end", () => {
    const cursor: Cursor = { n: 5, at: entry(5, "").at }
    expect(behind(cursor, [entry(5, "e"), entry(6, "f")])).toEqual([entry(6, "f")])
    expect(behind(cursor, [])).toBeUndefined()
    const restarted = [entry(4, "d"), entry(5, "new", { at: "2026-01-01T00:00:09.000Z" })]
    expect(behind(cursor, restarted.slice(1))).toBeUndefined()
    expect(later(cursor, restarted)).toEqual([restarted[1]])
  })

  it("shows each entry once, whenever it reads the history", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom("agent", "console"), { maxLength: 30 }), fc.array(fc.nat(5), { maxLength: 30 }), (by, looks) => {
        const all = by.map((who, i) => entry(i + 1, `c${i}`, { by: who }))
        let following = start
        let there = 0
        const seen: string[] = []
        for (const more of [...looks, all.length]) {
          there = Math.min(all.length, there + more)
          const { cursor } = following
          const read = all.slice(0, there).filter(({ n }) => n >= cursor.n)
          const [shown, after] = follow(following, behind(cursor, read)!)
          seen.push(...texts(shown))
          following = after
        }
        expect(seen).toEqual(all.map(({ code }) => code))
      }),
    )
  })
})
