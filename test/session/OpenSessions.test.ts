/** The memory of sessions that ended idle. `Sessions.test.ts` tests the rest over whole sessions. */
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { TestClock } from "effect/testing"
import type { OpenSession } from "../../src/session/OpenSession.ts"
import { make, mostEnded } from "../../src/session/OpenSessions.ts"
import { Settings } from "../../src/Settings.ts"
import { MemoryStore } from "../lib/memoryStore.ts"
import { settings } from "../lib/sessionLayers.ts"

/** A session with variables that is never used. */
const idle = (name: string): OpenSession => {
  const parts: Partial<OpenSession> = {
    name,
    idleMs: () => 60_000,
    persist: Effect.succeed(true),
    persistWithin: () => Effect.succeed(true),
    holds: () => true,
    busy: () => false,
    close: Effect.void,
  }
  return parts as OpenSession
}

it.effect(`S15 the next session of a name is told why the earlier one ended, for the latest ${mostEnded} of them`, () =>
  Effect.scoped(
    Effect.gen(function* () {
      const why = new Map<string, string | undefined>()
      const open = yield* make((name, _, __, ended) => Effect.sync(() => (why.set(name, ended), idle(name))))
      for (let i = 0; i <= mostEnded; i++) {
        yield* open.get(`s${i}`)
        yield* TestClock.adjust(0)
      }
      assert.deepStrictEqual(open.all(), [])
      for (const name of ["s0", "s1", `s${mostEnded}`, "another"]) yield* open.get(name)
      assert.deepStrictEqual(
        ["s0", "s1", `s${mostEnded}`, "another"].map((name) => why.get(name)),
        [undefined, "it had been idle for 1 min", "it had been idle for 1 min", undefined],
      )
    }),
  ).pipe(Effect.provideService(Settings, settings({ sessionTtl: 60_000 })), Effect.provide(new MemoryStore().layer)),
)
