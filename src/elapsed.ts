/**
 * Monotonic time, for waits, ages and schedules. The wall clock, which may be set back and forth while a server runs for weeks, is only for times
 * that are stored or shown.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

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

/** Runs an effect and gives the milliseconds that it took, with fraction, beside its value. */
export const timed = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(stopwatch, (tookMs) => Effect.map(effect, (value) => [tookMs(), value] as const))

/** Milliseconds from a stored time `at` to `now`, both in ms since 1970; 0 if the wall clock was set back. */
export const since = (at: number, now: number): number => Math.max(0, now - at)
