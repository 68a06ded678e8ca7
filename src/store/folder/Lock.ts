/**
 * A lock on a file that the system holds for this process and frees when the process ends, however it ends.
 *
 * Guarantees: it holds against every process that can open the file, of whatever version, user or network namespace. Does not: reach other
 * machines, where the file system does not.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/** `isOurs`: it is ours as long as its path still leads to the file that was locked. Else why there is none, and what to do about it. */
export type Taken =
  | { readonly isOurs: Effect.Effect<boolean> }
  /** By another process. */
  | "held"
  | { readonly why: string; readonly remedy: string }

export class Lock extends Context.Service<
  Lock,
  {
    /** Takes the lock of a file, which it makes, for as long as the scope. Never waits for another process. */
    readonly take: (file: string) => Effect.Effect<Taken, never, Scope.Scope>
  }
>()("k3-mcp/session/Lock") {}
