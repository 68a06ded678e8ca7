/**
 * Chooses the engine of a session's children: the engine it was made with, else the one recorded in the store, else that of the settings.
 * Reads the session's stored variables for that engine, once.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { EngineKind } from "../engineKinds.ts"
import { Engines } from "../child/engines/Engines.ts"
import { programOf } from "../child/Launcher.ts"
import { since } from "../elapsed.ts"
import { Settings } from "../Settings.ts"
import { SessionIdentity } from "./SessionIdentity.ts"
import type { Event, SessionState } from "./state.ts"

export const makeEngineChoice = Effect.fnUntraced(function* (state: () => SessionState, send: (event: Event) => void) {
  const engines = yield* Engines
  const { cluster } = yield* Settings
  const { origin, ended, stored } = yield* SessionIdentity
  const clock = yield* Clock.Clock

  const named = (kind: EngineKind | undefined) =>
    kind === undefined ? engines.pick : Effect.sync(() => engines.named(kind, origin.why ?? "asked for"))

  const pick = Effect.suspend(() => {
    const { madeWith, isRead } = state().kept
    if (madeWith !== undefined || isRead) return named(madeWith)
    return Effect.flatMap(stored.chosen, (engine) => {
      send({ _tag: "MadeWith", engine })
      return named(state().kept.madeWith)
    })
  })

  const readStored = Effect.fnUntraced(function* (engine: EngineKind) {
    if (state().kept.isRead) return
    const { epoch } = state().workspace
    const returned = yield* stored.load(engine)
    const msAgo = returned === undefined ? 0 : since(returned.savedAt, clock.currentTimeMillisUnsafe())
    const came = cluster === null ? "the server was restarted" : "a machine of the cluster opened the session again"
    send({ _tag: "Read", epoch, engine, returned, why: ended ?? (returned && came), msAgo })
  })

  const likely = Effect.suspend(() => named(state().kept.madeWith))

  return { pick, likely, pickProgram: Effect.flatMap(pick, programOf), readStored }
})
