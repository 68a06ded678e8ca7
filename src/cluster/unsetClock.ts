/**
 * A clock that is never set, for code that measures waits by the wall clock: it shows the wall clock's time at its start plus the monotonic time
 * since then. Does not: follow a correction of the wall clock, so its time is not for records.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

export const layer = Layer.effect(
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
