/** N10: the lines with which a console shows evaluations. */
import { expect, it } from "vitest"
import { entryLines, replyLines } from "../../src/attach/lines.ts"

const entry = { n: 1, at: "", code: "f:{[x]\nx+1}\n", ok: true, by: "agent" }
const texts = (lines: readonly { readonly text: string }[]): string => lines.map(({ text }) => text).join("")

it("N10 an entry begins with its caller, and its further lines are indented", () => {
  expect(texts(entryLines(entry))).toBe("agent> f:{[x]\n       x+1}\n")
  expect(texts(entryLines({ ...entry, code: "1+`a", ok: false, output: "x\n", error: "type error", effect: "undone" }))).toBe(
    "agent> 1+`a\nx\ntype error; undone\n",
  )
  expect(texts(entryLines({ ...entry, code: "", event: "reset", by: "console" }))).toBe("console> (reset)\n")
})

it("N10 no output of another caller moves the cursor", () => {
  expect(texts(entryLines({ ...entry, code: "\u001b[2J", output: "a\rb\u001b]0;t\u0007" }))).toBe(
    "agent> \\033[2J\na\\015b\\033]0;t\\007\n",
  )
})

it("N10 a reply is shown as output, error and notice", () => {
  expect(texts(replyLines({ ok: false, output: "1\n", error: { name: "type", text: "type error" }, notice: "Note: b" }))).toBe(
    "1\ntype error\nNote: b\n",
  )
})

it("N10 a notice is shown without its advice for agents", () => {
  const notice = "A newer build is on disk; k_reload switches to it."
  expect(texts(replyLines({ ok: true, notice }))).toBe("A newer build is on disk.\n")
})

it.each([
  "value error: k_y has no value\n  x:1; k_y+1\n       ^\n",
  "value error: k_y has no value\nx:1; k_y+1\n     ^\n",
  'type error: + takes numbers\n  "Call it; call k_eval"+1\n',
])("N10 an error of K is shown with all its code: %j", (text) => {
  expect(texts(replyLines({ ok: false, error: { name: "value", text } }))).toBe(text)
})

it.each([
  "Call k_eval again: its reply says what came back.",
  "The next k_eval gets a fresh interpreter: define again what you need.",
  "Define again what you need with k_eval. For a longer run, call k_eval with a larger timeout_ms (up to 600000).",
])("N10 a reply is shown without the advice to an agent: %s", (advice) => {
  const text = `The interpreter ended with exit code 134 in statement 1:\n  Call k_eval\n${advice}`
  expect(texts(replyLines({ ok: false, error: { name: "crash", text } }))).toBe(
    "The interpreter ended with exit code 134 in statement 1:\n  Call k_eval\n",
  )
})
