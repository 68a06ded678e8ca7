/** Names the session that the services of its layer belong to. */
import * as Context from "effect/Context"
import type { WorkspaceStore } from "../store/Store.ts"
import type { Origin } from "./ManagedSession.ts"

export class SessionIdentity extends Context.Service<
  SessionIdentity,
  {
    readonly name: string
    readonly origin: Origin
    /** Why an earlier session of this name ended in this server, if it held variables or snapshots. */
    readonly ended: string | undefined
    readonly stored: WorkspaceStore
    /** When the session was made, ms of the monotonic clock. */
    readonly made: number
  }
>()("k3-mcp/session/SessionIdentity") {}
