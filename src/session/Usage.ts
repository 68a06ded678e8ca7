/**
 * Counts the callers that use a session now, and records the time of the last use. In a closed session, every failed call fails with `SessionClosed`.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { atEnd } from "../atEnd.ts"
import { monotonic } from "../elapsed.ts"
import { SessionIdentity } from "./SessionIdentity.ts"
import { SessionClosed } from "./SessionError.ts"
import { isClosed } from "./state.ts"
import { Supervisor } from "./Supervisor.ts"

export class Usage extends Context.Service<
  Usage,
  {
    readonly busy: () => boolean
    /** Milliseconds since the last use; 0 while the session is in use. */
    readonly idleMs: () => number
    readonly touch: () => void
    /** Runs an effect that counts as use of the session. Its failure becomes `SessionClosed` when the session is closed. */
    readonly during: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E | SessionClosed, R>
  }
>()("k3-mcp/session/Usage") {
  static readonly layer = Layer.effect(
    Usage,
    Effect.gen(function* () {
      const { name } = yield* SessionIdentity
      const { state } = yield* Supervisor
      const now = yield* monotonic
      let active = 0
      let last = now()

      const touch = (): void => {
        last = now()
      }
      const end = (): void => {
        active--
        touch()
      }
      const asClosed = <E>(error: E): E | SessionClosed => (isClosed(state()) ? new SessionClosed({ session: name }) : error)

      return Usage.of({
        busy: () => active > 0,
        idleMs: () => (active > 0 ? 0 : now() - last),
        touch,
        during: (effect) =>
          Effect.suspend(() => {
            active++
            return atEnd(Effect.mapError(effect, asClosed), end)
          }),
      })
    }),
  )
}
