/**
 * A lock on a folder that the system holds for this process and frees when the process ends, however it ends.
 *
 * Does not: reach other machines, or containers with a network of their own, that share the folder.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

export class Lock extends Context.Service<
  Lock,
  {
    /** Takes the lock of an absolute, resolved folder for as long as the scope; false when another process has it. Never waits. */
    readonly take: (folder: string) => Effect.Effect<boolean, never, Scope.Scope>
  }
>()("k3-mcp/session/Lock") {}
