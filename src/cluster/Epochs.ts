/**
 * The port to the numbers that say who has a session: each new owner raises its epoch by one, and nobody writes under an older one.
 * Guarantees, of every implementation: an epoch is given once. Does not: keep a stalled machine from running; `Lease.ts` ends its children.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

/** A session that some machine has, as the database says. */
export interface Owned {
  readonly space: string
  readonly session: string
  readonly machine: string
  readonly epoch: number
}

export class Epochs extends Context.Service<
  Epochs,
  {
    /** This machine, as the others name it. */
    readonly machine: string
    /** Was it ephemeral, and not closed since? False when the database does not answer. */
    readonly isEphemeral: (space: string, session: string) => Effect.Effect<boolean>
    readonly setEphemeral: (space: string, session: string, is: boolean) => Effect.Effect<void>
    /**
     * This machine has the session from now on. Waits for a database that is away. `lost`: the machine that had it and did not release it.
     * `contained`: the number of the latest history entry whose changes the stored variables have; undefined when that is not known.
     */
    readonly raise: (
      space: string,
      session: string,
    ) => Effect.Effect<{ readonly epoch: number; readonly lost: string | undefined; readonly contained: number | undefined }>
    /**
     * It has it no longer; nothing happens when another one has taken it. `lost`: the machine that had it before and was lost, when nobody was
     * told of that yet.
     */
    readonly release: (space: string, session: string, epoch: number, lost: string | undefined) => Effect.Effect<void>
    /** Those of a space that a machine has; empty when the database does not answer. */
    readonly of: (space: string) => Effect.Effect<readonly Owned[]>
    /** Those that this machine has; undefined when the database does not answer. */
    readonly mine: Effect.Effect<readonly Owned[] | undefined>
  }
>()("k3-mcp/cluster/Epochs") {}
