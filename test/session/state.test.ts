/** The transitions of a session's state, each from every state. */
import * as Deferred from "effect/Deferred"
import { describe, expect, it } from "vitest"
import * as state from "../../src/session/state.ts"

const attempt = Deferred.makeUnsafe<state.Live, state.LaunchError>()
const next = Deferred.makeUnsafe<state.Live, state.LaunchError>()
/** Transitions compare children and read the pid, and nothing else of them. */
const childOf = (pid: number): state.Live => ({ child: { pid } }) as unknown as state.Live
const live = childOf(1)
const other = childOf(2)
const work = { live, statement: "1+1", nth: [1, 1], since: 0 } as const
const breaker = { crashes: 5, until: 100, last: "exit code 1" }

const all: readonly state.State[] = [
  { _tag: "Down" },
  { _tag: "Launching", attempt },
  { _tag: "Ready", live },
  { _tag: "Evaluating", ...work },
  { _tag: "Interrupting", ...work },
  { _tag: "Killing", pid: 1, attempt },
  { _tag: "Failed", ...breaker },
  { _tag: "Closed" },
]

const transitions = {
  launching: (from: state.State) => state.launching(from, next),
  givenUp: state.givenUp,
  failed: (from: state.State) => state.failed(from, breaker),
  adopted: (from: state.State) => state.adopted(from, other),
  evaluating: (from: state.State) => state.evaluating(from, work),
  interrupting: state.interrupting,
  done: (from: state.State) => state.done(from, live),
  killing: (from: state.State) => state.killing(from, live, next),
}

describe("the state of a session", () => {
  it("becomes what each transition makes of it", () => {
    const table = Object.entries(transitions).map(([name, move]) => [name, ...all.map((from) => move(from)._tag)].join(" "))
    expect(table).toEqual([
      "launching Launching Launching Launching Launching Launching Launching Launching Closed",
      "givenUp Down Down Ready Evaluating Interrupting Down Failed Closed",
      "failed Failed Failed Failed Failed Failed Failed Failed Closed",
      "adopted Ready Ready Ready Ready Ready Ready Ready Closed",
      "evaluating Down Launching Evaluating Evaluating Evaluating Killing Failed Closed",
      "interrupting Down Launching Ready Interrupting Interrupting Killing Failed Closed",
      "done Down Launching Ready Ready Ready Killing Failed Closed",
      "killing Down Launching Killing Killing Killing Killing Failed Closed",
    ])
  })

  it("is not changed by what happens to a child that is not the session's any more", () => {
    for (const from of all) {
      expect(state.done(from, other)).toBe(from)
      expect(state.killing(from, other, next)).toBe(from)
      expect(state.evaluating(from, { ...work, live: other })).toBe(from)
    }
  })

  it("names who waits, and which child dies", () => {
    expect(state.killing({ _tag: "Evaluating", ...work }, live, next)).toEqual({ _tag: "Killing", pid: 1, attempt: next })
    expect(state.launching({ _tag: "Killing", pid: 1, attempt }, next)).toEqual({ _tag: "Launching", attempt: next })
  })
})
