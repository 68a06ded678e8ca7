/** Measures the resident memory of a child: while it works, and when it becomes idle. An evaluation waits for none of these measurements. */
import * as Effect from "effect/Effect"
import * as FiberHandle from "effect/FiberHandle"
import { makeResidentBytes } from "./residentBytes.ts"

/** ms between two measurements. */
const period = 500

export const makeMemoryWatch = Effect.fnUntraced(function* (pid: () => number | undefined) {
  const residentBytes = yield* makeResidentBytes
  const run = yield* FiberHandle.makeRuntime<never>()
  let last: number | null = null

  const measure = Effect.suspend(() => {
    const now = pid()
    return now === undefined ? Effect.void : Effect.map(residentBytes(now), (bytes) => void (last = bytes ?? last))
  })

  const watch = (busy: () => boolean) => Effect.andThen(measure, Effect.repeat(Effect.delay(measure, period), { while: busy }))

  return {
    /** Measures in the background until `busy` is false. Does nothing when that is under way. */
    watch: (busy: () => boolean): void => void run(watch(busy), { onlyIfMissing: true }),
    /** The last measurement in bytes; null before the first one. */
    last: (): number | null => last,
    residentBytes,
  }
})
