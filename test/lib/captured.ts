/** The capture that follows an evaluation, waited for in real time; the test's own deadline is the limit. */
import * as Effect from "effect/Effect"
import type { Session } from "../../src/session/Session.ts"

export const captured = (session: Session): Effect.Effect<void> =>
  Effect.flatMap(session.status, ({ held }) =>
    held.missed === 0
      ? Effect.void
      : Effect.andThen(
          Effect.sleep(5),
          Effect.suspend(() => captured(session)),
        ),
  )
