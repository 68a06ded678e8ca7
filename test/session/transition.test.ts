/** Single transitions of a session's state. `sequences.test.ts` tests them in any order. */
import { expect, it } from "vitest"
import type { Launched } from "../../src/child/Launcher.ts"
import { type Event, newState } from "../../src/session/state.ts"
import { transition } from "../../src/session/transition.ts"
import { newWorkspace } from "../../src/session/variables/Workspace.ts"
import { settings } from "../lib/sessionLayers.ts"

it("S19 a child with variables of an earlier epoch is closed, and another one is launched for the waiting callers", () => {
  const [wanted] = transition(newState(newWorkspace(), { madeWith: undefined }), { _tag: "Wanted", now: 0 }, settings())
  const { epoch } = wanted.workspace
  const [forgotten] = transition(wanted, { _tag: "Forgotten" }, settings())
  const launched = {} as Launched
  const late: Event = { _tag: "Launched", attempt: 1, launched, epoch, restoration: undefined, fresh: false, now: 0 }
  const [after, commands] = transition(forgotten, late, settings())
  expect(after.child).toEqual({ _tag: "Launching", attempt: 2 })
  expect(commands).toEqual([
    { _tag: "Close", launched },
    { _tag: "Launch", attempt: 2, delay: 0 },
    { _tag: "Answer", attempt: 1, with: "superseded" },
  ])
})
