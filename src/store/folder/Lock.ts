/**
 * The port to a lock on a file. The system frees the lock when the process ends, in every way of ending.
 *
 * Guarantees: the lock excludes every process that can open the file, of any version, user or network namespace. Does not: exclude other
 * machines, unless the file system does.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/** The result of taking a lock. `isOurs`: whether the path still leads to the locked file. Otherwise the reason of the failure, and what to do. */
export type Taken =
  | { readonly isOurs: Effect.Effect<boolean> }
  /** Another process has the lock. */
  | "held"
  | { readonly why: string; readonly remedy: string }

export class Lock extends Context.Service<
  Lock,
  {
    /** Makes a file and locks it until the scope closes. Never waits for another process. */
    readonly take: (file: string) => Effect.Effect<Taken, never, Scope.Scope>
  }
>()("k3-mcp/store/Lock") {}
