/** The port to an archive of long outputs, which outlive the process that recorded them. The default archives none. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { OutputBytes } from "./pages.ts"

/** An output that may still be arriving. */
export interface ArchivedOutput {
  readonly bytes: number
  /** Reads the output as it is now: `work` may run several times, until none of the bytes that it read was overwritten meanwhile. */
  readonly reading: <A>(work: (source: OutputBytes) => Effect.Effect<A>) => Effect.Effect<A>
}

export interface Archive {
  /** Adds a recording that begins. The archive reads the recording later, when it saves. */
  readonly began: (handle: string, recording: ArchivedOutput) => void
  /** An archived output; undefined when there is none. */
  readonly find: (handle: string) => Effect.Effect<OutputBytes | undefined>
}

export const Archive = Context.Reference<Archive>("k3-mcp/session/Archive", {
  defaultValue: () => ({ began: () => {}, find: () => Effect.undefined }),
})
