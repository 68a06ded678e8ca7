/** The facts of a connection: those that `k_status` reports, such as versions and the address, and whether its client is the page. */
import * as Context from "effect/Context"

export interface ConnectionFacts {
  /** The version of this server. */
  readonly server: string
  /** The version of the protocol; absent until it is negotiated. */
  protocol?: string | undefined
  /** The HTTP address of the server, or a sentence that says why it has none; absent when HTTP is off. */
  listening?: string
  /** In a cluster, the machine that answers the client. */
  readonly machine?: string
  /** The client's token is read-only. */
  readonly isReadOnly?: boolean
  /** The client is the page: its replies cost no model's tokens, so an export is whole. */
  readonly isPage?: boolean
}

export const ConnectionFacts = Context.Reference<ConnectionFacts>("k3-mcp/mcp/ConnectionFacts", { defaultValue: () => ({ server: "" }) })
