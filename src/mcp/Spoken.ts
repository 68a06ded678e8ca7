/** The facts of a connection that `k_status` reports: version of the server, version of the protocol, address. */
import * as Context from "effect/Context"

export interface Versions {
  readonly server: string
  protocol?: string | undefined
  /** The HTTP address of the server, or a sentence that says why it has none; absent when HTTP is off. */
  readonly listening?: () => string
  /** In a cluster, the machine that answers the client. */
  readonly machine?: string
  /** The client's token is read-only. */
  readonly isReadOnly?: boolean
}

export const Spoken = Context.Reference<Versions>("k3-mcp/mcp/Spoken", { defaultValue: () => ({ server: "" }) })
