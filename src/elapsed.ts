/**
 * Monotonic time, for waits, ages and schedules. The wall clock, which may be set back and forth while a server runs for weeks, is only for times
 * that are stored or shown.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** Asks for the whole milliseconds since an arbitrary moment. */
export const monotonic: Effect.Effect<() => number> = Effect.map(
  Clock.Clock,
  (clock) => () => Math.trunc(Number(clock.monotonicTimeNanosUnsafe()) / 1e6),
)

/** Whole milliseconds since the same moment. */
export const elapsed: Effect.Effect<number> = Effect.map(monotonic, (now) => now())

/** Begins to measure: asks for the milliseconds, with fraction, since now. */
export const stopwatch: Effect.Effect<() => number> = Effect.map(Clock.Clock, (clock) => {
  const began = clock.monotonicTimeNanosUnsafe()
  return () => Number(clock.monotonicTimeNanosUnsafe() - began) / 1e6
})

/** Gives code that measures waits by the wall clock one that nobody sets: its time at the start, and the monotonic time since then. */
export const unsetClock = Layer.effect(
  Clock.Clock,
  Effect.map(Clock.Clock, (clock): Clock.Clock => {
    const began = BigInt(clock.currentTimeMillisUnsafe()) * 1_000_000n - clock.monotonicTimeNanosUnsafe()
    const currentTimeNanosUnsafe = (): bigint => began + clock.monotonicTimeNanosUnsafe()
    const currentTimeMillisUnsafe = (): number => Math.trunc(Number(currentTimeNanosUnsafe()) / 1e6)
    return {
      currentTimeNanosUnsafe,
      currentTimeNanos: Effect.sync(currentTimeNanosUnsafe),
      currentTimeMillisUnsafe,
      currentTimeMillis: Effect.sync(currentTimeMillisUnsafe),
      monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
      monotonicTimeNanos: clock.monotonicTimeNanos,
      sleep: (duration) => clock.sleep(duration),
    }
  }),
)

/** Milliseconds from a stored time `at` to `now`, both in ms since 1970; 0 if the wall clock was set back. */
export const since = (at: number, now: number): number => Math.max(0, now - at)
