/** Named sessions: made on first use, limited in number, ended when idle. (The layer is being written; this is its interface.) */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Session, SessionStatus } from "./Session.ts"
import type { SessionError, TooManySessions } from "./SessionError.ts"

export class Sessions extends Context.Service<
  Sessions,
  {
    /** The session of that name, made when there is none; making one launches nothing. */
    readonly get: (name: string) => Effect.Effect<Session, TooManySessions>
    /** Status of every open session, by name. */
    readonly list: Effect.Effect<readonly SessionStatus[]>
    /** Status of one; a session that was never used is described as it would start, and is not made. */
    readonly status: (name: string) => Effect.Effect<SessionStatus>
    readonly resetAll: Effect.Effect<
      readonly { readonly name: string; readonly how: "cleared" | "relaunched"; readonly generation: number }[],
      SessionError
    >
  }
>()("k3-mcp/session/Sessions") {}
