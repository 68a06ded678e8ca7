/**
 * The port for private temporary files. A file has no name, and is gone when it is closed or the server ends.
 *
 * Writing is synchronous, since a child prints meanwhile: asynchronous writes would pile up in memory.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

export interface SpoolFile {
  /** False when the bytes could not be written, for example on a full disk. */
  readonly write: (bytes: Uint8Array, at: number) => boolean
  /** Gives fewer bytes at the end of the file, and none when it cannot be read. */
  readonly read: (at: number, length: number) => Effect.Effect<Uint8Array>
  readonly close: () => void
}

export class Spool extends Context.Service<
  Spool,
  {
    /** Undefined when the file cannot be made. */
    readonly open: () => SpoolFile | undefined
  }
>()("k3-mcp/session/Spool") {}
