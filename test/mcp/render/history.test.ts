/** Replies about the history and crash records, as a committed snapshot. */
import { expect, it } from "vitest"
import { crashLine } from "../../../src/mcp/render/crash.ts"
import * as render from "../../../src/mcp/render/history.ts"
import type { HistoryEntry } from "../../../src/session/history/HistoryLog.ts"
import { SessionClosed } from "../../../src/session/SessionError.ts"
import { crash, evaluated, settings } from "../fakeSessions.ts"

const at = Date.UTC(2026, 10, 21, 12)
const entry: HistoryEntry = {
  n: 1,
  at,
  code: "a:1 2 3\n+/a",
  output: "6\n",
  ok: true,
  ms: 0.5,
  generation: 1,
  engine: "embedded",
  build: "0123456789",
}
const entries: readonly HistoryEntry[] = [
  entry,
  { ...entry, n: 2, code: "a+`b", output: "", ok: false, error: { name: "type", text: "type error\na+`b\n ^" }, failed: 1 },
  { ...entry, n: 3, code: "while[1;]", output: "", ok: false, error: { name: "deadline", text: "200 ms" }, failed: 1, effect: "undone" },
  { ...entry, n: 4, code: "", output: "", event: "reset" },
  { ...entry, n: 5, by: "console", code: "", output: "", event: "restore" },
  { ...entry, n: 6, by: "anna", code: '`0:"```\\n"', output: "```\n", bytes: 90_000 },
]

const { statement: _, ...launched } = crash
const said = (text: string) => ({ text, structured: {} })
const others = [
  render.page("main", { entries: [], damaged: 0 }, undefined),
  render.page("main", { entries: entries.slice(0, 1), cursor: 1, damaged: 2 }, "a"),
  render.entry({ ...entry, code: "x", codeCut: 200_000, output: "", bytes: 90_000 }, settings),
  render.entry({ ...entries[2]!, by: "agent" }, settings),
  render.entry({ ...entries[2]!, error: { name: "cancel", text: "" } }, settings),
  render.entry(entries[3]!, settings),
  render.entry({ ...entry, code: "a:1", output: "main", event: "fork" }, settings),
  render.replayed("two", { ran: [], skipped: [], cut: [], notices: [] }, render.olderLeft(3), settings),
  render.replayed(
    "two",
    { ran: [1], skipped: [], cut: [], notices: [], stopped: { n: 2, evaluation: evaluated("5") } },
    undefined,
    settings,
  ),
  render.replayed(
    "two",
    { ran: [], skipped: [], cut: [], notices: [], stopped: { n: 2, error: new SessionClosed({ session: "two" }) } },
    undefined,
    settings,
  ),
  render.exported("script", "a:1\n", undefined, render.scriptNotice({ missed: 2, left: [1] })),
  render.exported("transcript", "", undefined, undefined),
  render.exported("test", "> 1+1\n2\n", "/home/k/main.k", render.olderLeft(3)),
  render.crash(crash, "/home/k/crash.k", settings),
  render.crash({ ...launched, reason: "launch", stderr: "", inputs: [], script: "", exitCode: null, signal: null }, undefined, settings),
  ...(["memory", "out-of-step", "unread", "launch", "killed"] as const).map((reason) =>
    render.crash({ ...launched, reason, stderr: "", inputs: [], script: "", exitCode: null, signal: "SIGKILL" }, undefined, settings),
  ),
  ...[
    render.noCrash(undefined, []),
    render.tooLong("script", 9000, settings),
    render.noEntry("main", 9, { first: 0, last: 0 }),
    render.noEntry("main", 9, { first: 2, last: 7 }),
    render.replayWhere,
    render.nothingToTest,
    render.searchWhat,
  ].map(said),
]

it("args are cut before the code, and count as statements", () => {
  const long: HistoryEntry = {
    ...entry,
    code: `x:"${"q".repeat(9000)}"\ny:1\n#x\ny+\`a`,
    args: 2,
    ok: false,
    error: { name: "type", text: "type error" },
    failed: 2,
  }
  expect(render.entry(long, settings).text).toContain("q…\n  y:1\n  #x\n  y+`a\n")
  expect(render.page("main", { entries: [long], damaged: 0 }, undefined).text).toMatch(
    /x:"q{16}… ⏎ y:1 ⏎ #x ⏎ y\+`a → type in statement 4$/,
  )
  const short: HistoryEntry = { ...long, code: "x:1\ny:1\n#x\ny+`a" }
  expect(render.entry(short, settings).text).toContain("  x:1\n  y:1\n  #x\n")
})

it("H4 a replay names the entries as ranges, a few of them", () => {
  const ran = Array.from({ length: 9000 }, (_, i) => i + 1)
  const skipped = ran.map((n) => 9000 + 2 * n)
  const { text, structured } = render.replayed("two", { ran, skipped, cut: [9001], notices: [] }, undefined, settings)
  expect(text).toMatch(/^Ran in session two: 1 to 9000\.\n/)
  expect(structured).toMatchObject({ ran: "1 to 9000", skipped: expect.stringMatching(/^9001 to 9002, 9004, .* and 8980 more$/) })
})

it.each([undefined, "needle"])("the problems of the store are a notice beside an empty list, searched text: %s", (searched) => {
  const trouble = ["The history of session main cannot be read."]
  const { text, structured } = render.page("main", { entries: [], damaged: 0 }, searched, { first: 0, last: 0, trouble })
  expect(text).toContain(trouble[0])
  expect(structured).toMatchObject({ entries: [], notice: trouble[0] })
})

it("as committed", async () => {
  const replies = [
    render.page("main", { entries, cursor: 1, damaged: 1 }, undefined),
    render.page("main", { entries: [], damaged: 0 }, "needle"),
    render.entry(entries[1]!, settings),
    render.replayed("two", { ran: [1, 2], skipped: [3], cut: [4], notices: [] }, undefined, settings),
    render.crash(crash, undefined, settings),
    render.crash({ ...crash, times: 3, memory: null, script: "x".repeat(9000) }, undefined, settings),
    { text: crashLine(crash, at + 90_000), structured: {} },
    { text: render.noCrash(9, [crash]), structured: {} },
    { text: render.transcript("main", entries), structured: {} },
    ...others,
  ]
  const shown = replies.map(({ text, structured }) => `${text}\n${JSON.stringify(structured)}\n`).join("\n")
  await expect(shown).toMatchFileSnapshot("history.snapshot.txt")
})

it("O5 an empty history names the problems of the store, which may have more", () => {
  const held = { first: 0, last: 0, trouble: ["The history of session main cannot be read."] }
  const said = /has no history yet.*\nThe history of session main cannot be read\.$/
  expect(render.page("main", { entries: [], damaged: 0 }, undefined, held).text).toMatch(said)
  expect(render.noEntry("main", 1, held)).toMatch(said)
  expect(render.noEntries("main", held)).toMatch(said)
})
