/** Waits for facts about sessions, as long as they take: only the test's own deadline limits them. A virtual clock does not advance meanwhile. */
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import type { Session } from "../../src/session/Session.ts"

/** Lets pending work in memory, on the disk and in processes go on. */
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

const isRunning = (session: Session, statement?: string): Effect.Effect<boolean> =>
  Effect.map(
    session.status,
    ({ phase, running }) => phase === "evaluating" && (statement === undefined || running?.statement === statement),
  )

/** Waits until a statement runs; until `statement` runs, if it is given. */
export const running = (session: Session, statement?: string): Effect.Effect<void> => until(isRunning(session, statement))

/** Waits until a statement runs, or until `call` has ended: on a busy machine a short deadline may pass between two looks at the session. */
export const begun = (session: Session, call: Fiber.Fiber<unknown, unknown>): Effect.Effect<void> =>
  until(Effect.map(isRunning(session), (runs) => runs || call.pollUnsafe() !== undefined))

/** Waits for the capture after an evaluation. */
export const captured = (session: Session): Effect.Effect<void> => until(Effect.map(session.status, ({ held }) => held.missed === 0))
