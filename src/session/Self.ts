/** The session that the services beside this one belong to. */
import * as Context from "effect/Context"
import type { WorkspaceStore } from "../store/Store.ts"
import type { Origin } from "./Origin.ts"

export class Self extends Context.Service<
  Self,
  {
    readonly name: string
    readonly origin: Origin
    /** Why an earlier life of it in this server is over, when that held something. */
    readonly ended: string | undefined
    readonly stored: WorkspaceStore
    /** When it was made, ms of the monotonic clock. */
    readonly made: number
  }
>()("k3-mcp/session/Self") {}
