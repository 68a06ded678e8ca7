/** Facts about sessions, waited for however long they take: the test's own deadline is the limit, and a virtual clock stands still. */
import * as Effect from "effect/Effect"
import type { Session } from "../../src/session/Session.ts"

/** What is under way in memory, on the disk or in a process goes on. */
const pause = Effect.promise(() => new Promise<void>((resolve) => setTimeout(resolve, 1)))

export const until = (fact: Effect.Effect<boolean>): Effect.Effect<void> =>
  Effect.flatMap(fact, (isSo) =>
    isSo
      ? Effect.void
      : Effect.andThen(
          pause,
          Effect.suspend(() => until(fact)),
        ),
  )

/** A statement is at its work, this one if it is named. */
export const running = (session: Session, statement?: string): Effect.Effect<void> =>
  until(
    Effect.map(
      session.status,
      ({ phase, running }) => phase === "evaluating" && (statement === undefined || running?.statement === statement),
    ),
  )

/** The capture that follows an evaluation. */
export const captured = (session: Session): Effect.Effect<void> => until(Effect.map(session.status, ({ held }) => held.missed === 0))
