/** The end of idle sessions, and the memory of them. `Sessions.test.ts` tests the rest over whole sessions. */
import { assert, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Queue from "effect/Queue"
import { TestClock } from "effect/testing"
import type { ManagedSession } from "../../src/session/ManagedSession.ts"
import { make, mostEnded } from "../../src/session/SessionPool.ts"
import { Settings } from "../../src/Settings.ts"
import { MemoryStore } from "../lib/memoryStore.ts"
import { settings } from "../lib/sessionLayers.ts"

/** A session with variables that is never used. */
const idle = (name: string): ManagedSession => {
  const parts: Partial<ManagedSession> = {
    name,
    idleMs: () => 60_000,
    persist: Effect.succeed(true),
    persistWithin: () => Effect.succeed(true),
    holds: () => true,
    busy: () => false,
    close: Effect.void,
  }
  return parts as ManagedSession
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

it.effect("S15 whoever asks for a session at the moment of its expiry gets one that stays open", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const closed = new Set<ManagedSession>()
      const written = yield* Queue.unbounded<void>()
      const open = yield* make((name) =>
        Effect.map(Clock.Clock, (clock) => {
          let last = clock.currentTimeMillisUnsafe()
          const session: ManagedSession = {
            ...idle(name),
            idleMs: () => clock.currentTimeMillisUnsafe() - last,
            touch: () => void (last = clock.currentTimeMillisUnsafe()),
            persist: Effect.as(Queue.offer(written, undefined), true),
            close: Effect.sync(() => void closed.add(session)),
          }
          return session
        }),
      )
      for (let steps = 0; steps < 20; steps++) {
        yield* open.get("main")
        const later = Effect.forEach(Array.from({ length: steps }), () => Effect.yieldNow, { discard: true })
        const call = yield* Effect.forkChild(Queue.take(written).pipe(Effect.andThen(later), Effect.andThen(open.get("main"))))
        yield* TestClock.adjust(60_000)
        assert.isFalse(closed.has(yield* Fiber.join(call)), `closed after it was given, ${steps} steps after the write`)
        yield* TestClock.adjust(120_000)
        yield* Queue.clear(written)
      }
    }),
  ).pipe(Effect.provideService(Settings, settings({ sessionTtl: 60_000 })), Effect.provide(new MemoryStore().layer)),
)
