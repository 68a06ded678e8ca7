/**
 * Time that only passes: for waits, ages and schedules. The wall clock is set back and forth under a server that runs for weeks; it is
 * for what is written down.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

/** Whole milliseconds since some moment of no meaning. */
export const elapsedMs = (clock: Clock.Clock): number => Math.trunc(Number(clock.monotonicTimeNanosUnsafe()) / 1e6)

export const elapsed: Effect.Effect<number> = Effect.map(Clock.Clock, elapsedMs)
