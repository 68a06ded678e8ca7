/** The place for long outputs that are to outlive the process that recorded them. The default keeps none. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Source } from "./pages.ts"

export interface Archive {
  /** A recording begins; it is read when it is archived. */
  readonly began: (handle: string, recording: Source) => void
  /** An archived output; undefined when there is none. */
  readonly find: (handle: string) => Effect.Effect<Source | undefined>
}

export const Archive = Context.Reference<Archive>("k3-mcp/session/Archive", {
  defaultValue: () => ({ began: () => {}, find: () => Effect.undefined }),
})
