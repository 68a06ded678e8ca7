/** How many callers use a session now, and when it was last used. A call that fails because its session was closed fails with an error that says so. */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { atEnd } from "../atEnd.ts"
import { elapsedMs } from "../elapsed.ts"
import { Self } from "./Self.ts"
import { SessionClosed } from "./SessionError.ts"
import { isClosed } from "./state.ts"
import { Supervisor } from "./Supervisor.ts"

export class Usage extends Context.Service<
  Usage,
  {
    readonly busy: () => boolean
    /** Milliseconds since it was last used; 0 while it is. */
    readonly idleMs: () => number
    readonly touch: () => void
    /** It is in use while this runs. What fails because the session was closed fails as that. */
    readonly during: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E | SessionClosed, R>
  }
>()("k3-mcp/session/Usage") {
  static readonly layer = Layer.effect(
    Usage,
    Effect.gen(function* () {
      const { name } = yield* Self
      const { state } = yield* Supervisor
      const clock = yield* Clock.Clock
      let active = 0
      let last = elapsedMs(clock)

      const touch = (): void => {
        last = elapsedMs(clock)
      }
      const end = (): void => {
        active--
        touch()
      }
      const asClosed = <E>(error: E): E | SessionClosed => (isClosed(state()) ? new SessionClosed({ session: name }) : error)

      return Usage.of({
        busy: () => active > 0,
        idleMs: () => (active > 0 ? 0 : elapsedMs(clock) - last),
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
