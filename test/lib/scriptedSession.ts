/** Tests of a session over a scripted child, under a virtual clock, for events that only a script can cause. */
import { it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { TestClock } from "effect/testing"
import type { Session } from "../../src/session/Session.ts"
import { Sessions } from "../../src/session/Sessions.ts"
import type { SettingValues } from "../../src/Settings.ts"
import { Script } from "./scriptedChild.ts"
import { FakeBuild, scripted } from "./sessionLayers.ts"

export const test = (
  name: string,
  settings: Partial<SettingValues>,
  body: (script: Script, session: Session, build: FakeBuild, sessions: Sessions["Service"]) => Effect.Effect<void, unknown>,
): void => {
  it.effect(name, () => {
    const script = new Script()
    const build = new FakeBuild()
    return Effect.gen(function* () {
      const sessions = yield* Sessions
      yield* body(script, yield* sessions.get("main"), build, sessions)
    }).pipe(Effect.provide(scripted(script, { engine: "k3csharp", evalTimeout: 1000, ...settings }, build)))
  })
}

/** Lets all pending fibers run. A scripted child answers at once, so nothing else has to be waited for. */
export const settled = Effect.forEach(Array.from({ length: 200 }), () => Effect.yieldNow, { discard: true })

/** Waits until the maintenance after an evaluation is done. */
export const idle = Effect.andThen(settled, Effect.andThen(TestClock.adjust(250), settled))

export const fails = (session: Session, line: string) => Effect.flip(session.evaluate({ code: line }))
