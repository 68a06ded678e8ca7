/**
 * Wraps `Sessions` for a principal with a limit of simultaneous evaluations.
 *
 * Guarantees: evaluations, background evaluations, comparisons and reloads count from their request until their end, the time of waiting
 * included. A call beyond the limit fails with an error that names the limit. Does not: limit sessions or memory, which are settings.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Scope from "effect/Scope"
import { atEnd } from "../atEnd.ts"
import type { Session } from "./Session.ts"
import { TooManyEvaluations } from "./SessionError.ts"
import type { Sessions } from "./Sessions.ts"

/** `scope`: that of the principal's space. */
export const limited = (sessions: Sessions["Service"], limit: number, scope: Scope.Scope): Sessions["Service"] => {
  let running = 0
  /** Begins an evaluation, which calls `end` at its end; refuses one beyond the limit. */
  const begun = <A, E>(evaluation: Effect.Effect<A, E>): Effect.Effect<A, E | TooManyEvaluations> =>
    Effect.suspend((): Effect.Effect<A, E | TooManyEvaluations> => {
      if (running >= limit) return new TooManyEvaluations({ limit })
      running++
      return evaluation
    })
  const end = (): void => void running--
  const counted = <A, E>(work: Effect.Effect<A, E>) => begun(atEnd(work, end))
  const countedIn = (session: Session): Session => ({
    ...session,
    evaluate: (request) => counted(session.evaluate(request)),
    reload: (request) => counted(session.reload(request)),
  })
  const { get, find, compare, drift, backgrounds } = sessions
  return {
    ...sessions,
    get: (name, timeoutMs) => Effect.map(get(name, timeoutMs), countedIn),
    find: (name) => Effect.map(find(name), (session) => session && countedIn(session)),
    backgrounds: {
      ...backgrounds,
      // A background evaluation counts until its end, long after `begin` returns.
      begin: (session, request) =>
        begun(
          Effect.onExit(backgrounds.begin(session, request), (exit) =>
            Effect.forkIn(atEnd(Exit.isSuccess(exit) ? backgrounds.ended(exit.value.handle) : Effect.void, end), scope),
          ),
        ),
    },
    compare: (request) => counted(compare(request)),
    drift: (request) => counted(drift(request)),
  }
}
