/** What a child was last seen to use: looked at while it works, and when it comes to rest. Costs an evaluation nothing but a question. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { makeResidentBytes } from "./residentBytes.ts"

/** ms between two looks. */
const period = 500

export const makeMemoryWatch = Effect.fnUntraced(function* (scope: Scope.Scope, pid: () => number | undefined, busy: () => boolean) {
  const residentBytes = yield* makeResidentBytes
  let watching = false
  let last: number | null = null

  const look = Effect.suspend(() => {
    const now = pid()
    return now === undefined ? Effect.void : Effect.map(residentBytes(now), (bytes) => void (last = bytes ?? last))
  })

  const watch = Effect.gen(function* () {
    yield* look
    do yield* Effect.andThen(Effect.sleep(period), look)
    while (busy())
    watching = false
  })

  return {
    watching: (): boolean => watching,
    /** Something is evaluated. */
    soon: Effect.suspend(() => {
      if (watching) return Effect.void
      watching = true
      return Effect.asVoid(Effect.forkIn(watch, scope))
    }),
    /** Bytes; null when it was never seen. */
    last: (): number | null => last,
    residentBytes,
  }
})
