/** Access to sessions on any machine of a cluster, for a fork, a merge or a comparison. On a server alone all sessions are in this process. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { ManagedSession } from "./ManagedSession.ts"
import type { SessionError } from "./SessionError.ts"

/** The operations that a session on any machine offers to other sessions. */
export type DistantSession = Pick<ManagedSession, "evaluate" | "contents">

/** Finds a session by its name. Undefined when all sessions are in this process. */
export type Elsewhere = ((name: string) => Effect.Effect<DistantSession, SessionError>) | undefined

export const Elsewhere = Context.Reference<Elsewhere>("k3-mcp/session/Elsewhere", { defaultValue: () => undefined })
