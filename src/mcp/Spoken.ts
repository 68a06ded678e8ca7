/** What a connection knows of the server: its version, the protocol's once it is settled, and where it listens. */
import * as Context from "effect/Context"

export interface Versions {
  readonly server: string
  protocol?: string | undefined
  /** Where it listens, or why it does not, in words; absent when it is not to. */
  readonly listening?: () => string
  /** The client may look, and do nothing else. */
  readonly isReadOnly?: boolean
}

export const Spoken = Context.Reference<Versions>("k3-mcp/mcp/Spoken", { defaultValue: () => ({ server: "" }) })
