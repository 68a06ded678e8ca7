/** Replies about named sessions. */
import { describe, expect, it } from "vitest"
import { begun, closed, listed } from "../../../src/mcp/render/session.ts"
import { idle } from "../fakeSessions.ts"

describe("B8", () => {
  it("the list has a line for each session: engine, age, last use, evaluations, memory", () => {
    const busy = {
      ...idle,
      name: "b",
      idleMs: 0,
      running: { statement: "f 5", forMs: 5, waiting: 0 },
      memoryBytes: 54 * 2 ** 20,
      held: { variables: 3, missed: 0, lost: [{ path: ".k.f", why: "" }] },
    }
    const { text, structured } = listed([idle, busy], [])
    expect(text).toBe(
      "main: embedded, ready, generation 1, made 1 min 30 s ago, idle 1.5 s, 3 evaluations, 0 variables\nb: embedded, ready, generation 1, made 1 min 30 s ago, in use, 3 evaluations, 4 variables, 54 MiB",
    )
    expect(structured).toMatchObject({ sessions: [{}, { name: "b", idle_ms: 0, variables: 4, memory_bytes: 54 * 2 ** 20 }] })
    expect(listed([], []).text).toContain("k_eval")
    expect(listed([], [{ name: "old", engine: "embedded", variables: 12, ageMs: 60_000 }]).text).toBe(
      "old: embedded, on disk, written 1 min ago, 12 variables; back on first use",
    )
    expect(listed([], [], ["The list of sessions cannot be read."])).toMatchObject({
      text: "No session is open; k_eval makes one.\nThe list of sessions cannot be read.",
      structured: { notice: "The list of sessions cannot be read." },
    })
  })

  it("the list names the hundred stored sessions that were written last, and the number of the others; the page gets all", () => {
    const stored = Array.from({ length: 103 }, (_, i) => ({ name: `s${i}`, engine: "embedded" as const, variables: 1, ageMs: i }))
    const { text, structured } = listed([], stored)
    expect(text.split("\n").slice(99)).toEqual([
      "s99: embedded, on disk, written 99 ms ago, 1 variable; back on first use",
      "Not listed: 3 sessions on disk, written earlier.",
    ])
    expect((structured as { readonly sessions: readonly object[] }).sessions.length).toBe(100)
    expect((listed([], stored, [], Infinity).structured as { readonly sessions: readonly object[] }).sessions.length).toBe(103)
  })

  it("X2 a session for which no machine answers has the state of its way in the list, and no age", () => {
    const doing = "on its way to another machine: its variables are as they were last written to the database"
    expect(listed([{ ...idle, phase: "down", doing, isUnreached: true }], []).text).toBe(`main: ${doing}`)
  })

  it("closing names the number of variables and the stopped statement", () => {
    expect(closed({ ...idle, running: { statement: "while[1;1]", forMs: 5, waiting: 0 } }).text).toContain("while[1;1]")
  })
})

it("B6 a fork names the variables that were not copied", () => {
  const { text, structured } = begun({
    name: "b",
    isEphemeral: false,
    engine: "k3csharp",
    generation: 1,
    variables: { restored: 1, lost: [{ path: ".k.f", why: "too large" }], missed: 0 },
  })
  expect(text).toContain("1 variable was given to it.")
  expect(text).toContain(".k.f (too large)")
  expect(structured).toMatchObject({ restored: 1, lost: [{ name: ".k.f" }] })
})
