/** A clock for code that measures waits by the wall clock: nobody sets it. Its time is that of its start, and the monotonic time since then. */
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
