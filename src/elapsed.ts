/**
 * Time that only passes: for waits, ages and schedules. The wall clock is set back and forth under a server that runs for weeks; it is
 * for what is written down.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

/** Whole milliseconds since some moment of no meaning. */
export const elapsedMs = (clock: Clock.Clock): number => Math.trunc(Number(clock.monotonicTimeNanosUnsafe()) / 1e6)

/** Milliseconds, with their fraction, since the same clock showed `began`, ns. */
export const tookMs = (clock: Clock.Clock, began: bigint): number => Number(clock.monotonicTimeNanosUnsafe() - began) / 1e6

/** Milliseconds from a time that was written down, ms since 1970, to now; 0 where the wall clock was set back. */
export const since = (at: number, now: number): number => Math.max(0, now - at)

export const elapsed: Effect.Effect<number> = Effect.map(Clock.Clock, elapsedMs)
