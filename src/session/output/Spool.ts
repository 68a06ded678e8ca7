/**
 * The port for bytes that are too many to hold: a private file without a name, gone when it is closed or the server ends.
 *
 * Writing is synchronous, since it happens while a child prints: what nobody waits for would pile up in memory instead.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

export interface SpoolFile {
  /** False when it could not be written, for a full disk. */
  readonly write: (bytes: Uint8Array, at: number) => boolean
  /** Fewer bytes where the file ends, none when it cannot be read. */
  readonly read: (at: number, length: number) => Effect.Effect<Uint8Array>
  readonly close: () => void
}

export class Spool extends Context.Service<
  Spool,
  {
    /** Undefined when there is no place for one. */
    readonly open: () => SpoolFile | undefined
  }
>()("k3-mcp/session/Spool") {}
