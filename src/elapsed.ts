/**
 * Monotonic time, for waits, ages and schedules. The wall clock, which may be set back and forth while a server runs for weeks, is only for times
 * that are stored or shown.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

/** Whole milliseconds since an arbitrary moment. */
export const elapsedMs = (clock: Clock.Clock): number => Math.trunc(Number(clock.monotonicTimeNanosUnsafe()) / 1e6)

/** Milliseconds, with fraction, since the time `began` of the same clock, ns. */
export const tookMs = (clock: Clock.Clock, began: bigint): number => Number(clock.monotonicTimeNanosUnsafe() - began) / 1e6

/** Milliseconds from a stored time `at` to `now`, both in ms since 1970; 0 if the wall clock was set back. */
export const since = (at: number, now: number): number => Math.max(0, now - at)

export const elapsed: Effect.Effect<number> = Effect.map(Clock.Clock, elapsedMs)
