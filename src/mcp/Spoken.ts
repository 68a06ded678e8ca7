/** The facts of a connection: those that `k_status` reports, such as versions and address, and whether a person reads the replies. */
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
  /** The client is the page: its replies cost no model's tokens, so an export is whole. */
  readonly isPage?: boolean
}

export const Spoken = Context.Reference<Versions>("k3-mcp/mcp/Spoken", { defaultValue: () => ({ server: "" }) })
