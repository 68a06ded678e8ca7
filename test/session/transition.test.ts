/** Single transitions of a session's state. `sequences.test.ts` tests them in any order. */
import { describe, expect, it } from "vitest"
import type { Variable } from "../../src/child/Contents.ts"
import type { Launched } from "../../src/child/Launcher.ts"
import { type Event, liveOf, newState, type SessionState } from "../../src/session/state.ts"
import { transition } from "../../src/session/transition.ts"
import { settings } from "../lib/sessionLayers.ts"

const next = (state: SessionState, event: Event) => transition(state, event, settings())
const after = (state: SessionState, ...events: readonly Event[]): SessionState => events.reduce((now, event) => next(now, event)[0], state)

const fresh = newState(undefined)
const { epoch } = fresh.workspace
const wanted: Event = { _tag: "Wanted", now: 0 }
/** A child with this process id. */
const launchedAs = (pid: number) => ({ engine: { kind: "embedded" }, child: { pid } }) as Launched
const ready = (attempt: number, launched: Launched): Event & { readonly _tag: "Launched" } => ({
  _tag: "Launched",
  attempt,
  launched,
  epoch,
  restoration: undefined,
  fresh: false,
  now: 0,
})
const [old, other] = [launchedAs(1), launchedAs(2)]
const running = after(fresh, wanted, ready(1, old))
const live = liveOf(running)!
const died: Event = {
  _tag: "Ended",
  live,
  how: { reason: "exit", exit: { code: 1, signal: null }, stderr: "" } as Extract<Event, { readonly _tag: "Ended" }>["how"],
  at: { now: 0, random: 0.5 },
}
const killed: Event = { _tag: "Killed", live, why: "a deadline" }
const tagsOf = (commands: readonly { readonly _tag: string }[]) => commands.map(({ _tag }) => _tag)

describe("a launch", () => {
  it("S19 a child with variables of an earlier epoch is closed, and another one is launched for the waiting callers", () => {
    const [state, commands] = next(after(fresh, wanted, { _tag: "Forgotten" }), ready(1, old))
    expect(state.child).toEqual({ _tag: "Launching", attempt: 2 })
    expect(commands).toEqual([
      { _tag: "Close", launched: old },
      { _tag: "Launch", attempt: 2, delay: 0 },
      { _tag: "Answer", attempt: 1, with: "superseded" },
    ])
  })

  for (const [name, state, attempt] of [
    ["of an earlier attempt, while another one is awaited", after(running, killed), 1],
    ["of an earlier attempt, while another one is launched", after(running, killed, { _tag: "LaunchBegun", attempt: 2 }), 1],
    ["of an earlier attempt, beside the session's child", running, 1],
    ["that no state asked for", fresh, 1],
    ["of a replacement that was given up", after(running, { _tag: "ReplaceBegun" }, { _tag: "ReplaceFailed", attempt: 2 }), 2],
    ["after the session was closed", after(fresh, wanted, { _tag: "Closed" }), 1],
    ["of a replacement after the session was closed", after(running, { _tag: "ReplaceBegun" }, { _tag: "Closed" }), 2],
    ["of a launch that a replacement superseded", after(fresh, wanted, { _tag: "ReplaceBegun" }), 1],
  ] as const)
    it(`S19 a child ${name} is closed and not adopted`, () => {
      expect(next(state, ready(attempt, other))).toEqual([state, [{ _tag: "Close", launched: other }]])
    })

  it("S19 a child is adopted only while it is launched, not while the killed child before it may still end", () => {
    const killing = after(running, killed)
    expect(killing.child).toEqual({ _tag: "Killing", attempt: 2 })
    expect(next(killing, ready(2, other))).toEqual([killing, [{ _tag: "Close", launched: other }]])
    expect(liveOf(after(killing, { _tag: "LaunchBegun", attempt: 2 }, ready(2, other)))?.child.pid).toBe(2)
  })
})

describe("a replacement", () => {
  const replacing = after(running, { _tag: "ReplaceBegun" })

  for (const [name, end] of [
    ["ends by itself", died],
    ["is killed", killed],
  ] as const)
    it(`S20 no other child is launched when the old one ${name}: the replacement is adopted`, () => {
      const [state, commands] = next(replacing, end)
      expect(state).toMatchObject({ child: { _tag: "Down" }, attempt: 2, replacing: 2 })
      expect(tagsOf(commands)).toContain("Close")
      expect(tagsOf(commands)).not.toContain("Launch")
      expect(after(state, ready(2, other))).toMatchObject({ child: { _tag: "Ready" }, generation: 2, replacing: undefined })
    })

  it("S19 the old child is closed when the new one is adopted", () => {
    const [state, commands] = next(replacing, ready(2, other))
    expect(liveOf(state)?.child.pid).toBe(2)
    expect(commands).toContainEqual({ _tag: "Close", launched: live })
  })

  for (const [name, state, attempt] of [
    ["is pending", after(fresh, wanted), 1],
    ["waits for a killed child", after(running, killed), 2],
  ] as const)
    it(`S20 it stops a launch that ${name}, and answers those who wait for it`, () => {
      const [begun, commands] = next(state, { _tag: "ReplaceBegun" })
      expect(begun).toMatchObject({ child: { _tag: "Down" }, attempt: attempt + 1, replacing: attempt + 1 })
      expect(commands).toEqual([
        { _tag: "StopLaunch", attempt },
        { _tag: "Answer", attempt, with: "superseded" },
      ])
    })

  it("S20 it stops a launch that began after it", () => {
    const wantedAgain = after(replacing, died, wanted)
    expect(wantedAgain.child).toEqual({ _tag: "Launching", attempt: 3 })
    const [state, commands] = next(wantedAgain, ready(2, other))
    expect(liveOf(state)?.child.pid).toBe(2)
    expect(commands).toContainEqual({ _tag: "StopLaunch", attempt: 3 })
    expect(commands).toContainEqual({ _tag: "Answer", attempt: 3, with: "superseded" })
    expect(next(state, ready(3, old))).toEqual([state, [{ _tag: "Close", launched: old }]])
  })

  it("S20 a later replacement makes the earlier one obsolete", () => {
    const twice = after(replacing, { _tag: "ReplaceBegun" })
    expect(next(twice, ready(2, other))).toEqual([twice, [{ _tag: "Close", launched: other }]])
    expect(after(twice, { _tag: "ReplaceFailed", attempt: 2 })).toBe(twice)
  })

  it("S19 a replacement with variables of an earlier epoch is closed", () => {
    const forgotten = after(replacing, { _tag: "Forgotten" })
    expect(next(forgotten, ready(2, other))).toEqual([forgotten, [{ _tag: "Close", launched: other }]])
  })
})

describe("events of a child that is not the session's", () => {
  const renewed = after(running, killed, { _tag: "LaunchBegun", attempt: 2 }, ready(2, other))
  const working = { live, statement: "x", nth: [1, 1] as const, since: 0 }

  for (const event of [died, killed, { _tag: "Settled", live }, { _tag: "Begun", working }] as const satisfies readonly Event[])
    it(`S19 ${event._tag} changes nothing`, () => {
      expect(next(renewed, event)).toEqual([renewed, []])
    })
})

describe("the stored variables", () => {
  const held: Variable = { path: ".k.x", type: 4, shape: "", bytes: 1, text: "5", image: "5" }
  const contents = { variables: new Map([[".k.x", held]]), settings: { precision: 7, seed: 1, directory: ".k", folder: "/" } }
  const read = (of: number): Event => ({
    _tag: "Read",
    epoch: of,
    engine: "embedded",
    returned: { held: contents, savedAt: 1, lost: [] },
    why: undefined,
    msAgo: 1000,
  })

  it("S14 come back when they are read", () => {
    const state = after(fresh, read(epoch))
    expect([...state.workspace.held.variables.keys()]).toEqual([".k.x"])
    expect(state.kept).toMatchObject({ isRead: true, savedAt: 1 })
    expect(state.notices.log).toHaveLength(1)
  })

  it("S14 do not come back after a reset during the reading", () => {
    const forgotten = after(fresh, { _tag: "Forgotten" })
    expect(forgotten.workspace.epoch).not.toBe(epoch)
    expect(after(forgotten, read(epoch))).toBe(forgotten)
  })

  it("S14 do not come back in a later epoch, although nothing was read", () => {
    // A reset that was not written would leave them unread.
    const later: SessionState = { ...fresh, workspace: { ...fresh.workspace, epoch: epoch + 1 } }
    expect(after(later, read(epoch))).toBe(later)
  })

  it("S14 are not read when a reset made them obsolete, in whatever epoch", () => {
    const forgotten = after(fresh, { _tag: "Forgotten" })
    expect(after(forgotten, read(forgotten.workspace.epoch))).toBe(forgotten)
  })

  it("S14 are read once, so that they do not replace later values, and the notice is not repeated", () => {
    const once = after(fresh, read(epoch))
    expect(after(once, read(epoch))).toBe(once)
  })
})
