/** Sessions that are not in this process, for those that take something from them: there are some where several machines share a space. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { OpenSession } from "./OpenSession.ts"
import type { SessionError } from "./SessionError.ts"

/** What is asked of a session on any machine. */
export type DistantSession = Pick<OpenSession, "evaluate" | "state">

export interface Elsewhere {
  /** Undefined: all sessions are here. */
  readonly find: ((name: string) => Effect.Effect<DistantSession, SessionError>) | undefined
}

export const Elsewhere = Context.Reference<Elsewhere>("k3-mcp/session/Elsewhere", { defaultValue: () => ({ find: undefined }) })
