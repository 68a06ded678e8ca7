/** J1: a reply to code that was asked on the page is shown once, in the history's entry if there is one. */
import { expect, it } from "vitest"
import { Shown } from "../../../src/page/Shown.ts"

it.each([
  ["page", "page", ["entry"]],
  // The status was refused.
  [undefined, "page", ["entry"]],
  ["page", "agent", ["entry", "answer"]],
  ["page", "anna", ["entry", "answer"]],
  // The name of a principal.
  ["anna", "anna", ["entry"]],
  ["agent", "agent", ["entry"]],
  ["console", "console", ["entry"]],
])("J1 the reply to code on the page of %s, where the history has it from %s, is shown as %j", (caller, by, kinds) => {
  const shown = new Shown()
  shown.status.value = { ...(caller !== undefined && { caller }) }
  const asked = shown.ask("1+1")
  const before = shown.transcript.value.cursor
  shown.hear([{ n: 1, at: new Date(0).toISOString(), code: "1+1", ok: true, output: "2", by }])
  shown.answer(asked, before, { ok: true, output: "2\n" })
  expect(shown.transcript.value.rows.map(({ kind }) => kind)).toEqual(kinds)
})
