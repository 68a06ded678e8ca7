/** The memory of a child at the last reading: read while it works, and when it becomes idle. An evaluation pays for one check. */
import * as Effect from "effect/Effect"
import * as FiberHandle from "effect/FiberHandle"
import { makeResidentBytes } from "./residentBytes.ts"

/** ms between two looks. */
const period = 500

export const makeMemoryWatch = Effect.fnUntraced(function* (pid: () => number | undefined) {
  const residentBytes = yield* makeResidentBytes
  const run = yield* FiberHandle.makeRuntime<never>()
  let last: number | null = null

  const look = Effect.suspend(() => {
    const now = pid()
    return now === undefined ? Effect.void : Effect.map(residentBytes(now), (bytes) => void (last = bytes ?? last))
  })

  const watch = (busy: () => boolean) =>
    Effect.gen(function* () {
      yield* look
      do yield* Effect.andThen(Effect.sleep(period), look)
      while (busy())
    })

  return {
    /** Until nothing is `busy` any more; nothing when that is done already. */
    watch: (busy: () => boolean): void => void run(watch(busy), { onlyIfMissing: true }),
    /** Bytes; null when it was never seen. */
    last: (): number | null => last,
    residentBytes,
  }
})
