/** The versions of a connection: the server's, and the protocol's once it is settled. */
import * as Context from "effect/Context"

export interface Versions {
  readonly server: string
  protocol?: string | undefined
}

export const Spoken = Context.Reference<Versions>("k3-mcp/mcp/Spoken", { defaultValue: () => ({ server: "" }) })
