/** N10: how a console shows what came of an evaluation. */
import { expect, it } from "vitest"
import { entryLines, replyLines } from "../../src/attach/lines.ts"

const none: ReadonlySet<string> = new Set()
const entry = { n: 1, at: "", code: "f:{[x]\nx+1}\n", ok: true, by: "agent" }
const texts = (lines: readonly { readonly text: string }[]): string => lines.map(({ text }) => text).join("")

it("N10 an entry begins with who asked, and its further lines stand below", () => {
  expect(texts(entryLines(entry, none))).toBe("agent> f:{[x]\n       x+1}\n")
  expect(texts(entryLines({ ...entry, code: "1+`a", ok: false, output: "x\n", error: "type: type error", effect: "undone" }, none))).toBe(
    "agent> 1+`a\nx\ntype: type error; undone\n",
  )
  expect(texts(entryLines({ ...entry, code: "", event: "reset", by: "console" }, none))).toBe("console> (reset)\n")
})

it("N10 nothing that another printed moves the cursor", () => {
  expect(texts(entryLines({ ...entry, code: "\u001b[2J", output: "a\rb\u001b]0;t\u0007" }, none))).toBe(
    "agent> \\033[2J\na\\015b\\033]0;t\\007\n",
  )
})

it("N10 a notice is shown once", () => {
  const notice = "Note: a fresh interpreter answered"
  expect(texts(entryLines({ ...entry, notice }, none))).toContain(notice)
  expect(texts(entryLines({ ...entry, notice }, new Set([notice])))).not.toContain(notice)
  expect(texts(replyLines({ ok: true, output: "1\n", notice: `${notice}\nNote: b` }, new Set([notice])))).toBe("1\nNote: b\n")
})
