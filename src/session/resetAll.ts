/** Resets all sessions of a principal, on one machine or through a front end. */
import * as Effect from "effect/Effect"
import type { Reset } from "./Session.ts"
import type { SessionError } from "./SessionError.ts"

interface Named {
  readonly name: string
}

/** `stored`: the sessions that are only stored. `opened` is asked after those are reset. */
export const makeResetAll = (
  reset: (name: string) => Effect.Effect<Reset, SessionError>,
  stored: Effect.Effect<readonly Named[]>,
  opened: Effect.Effect<readonly Named[]>,
): Effect.Effect<readonly (Reset & Named)[], SessionError> => {
  const resetNamed = ({ name }: Named) => Effect.map(reset(name), (done) => ({ name, ...done }))
  return Effect.gen(function* () {
    const cleared = yield* Effect.forEach(yield* stored, resetNamed)
    return [...(yield* Effect.forEach(yield* opened, resetNamed, { concurrency: "unbounded" })), ...cleared]
  })
}
