/**
 * The port to the record of the machine that owns each session. Each new owner raises the epoch of the session by one; a write under an older
 * epoch changes nothing. Guarantees, for every implementation: an epoch of a session is given once. Does not: stop a stalled machine; its lease
 * ends its interpreters (`Lease.ts`).
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

/** A session and the machine that has it, as recorded in the database. */
export interface OwnedSession {
  readonly space: string
  readonly session: string
  readonly machine: string
  readonly epoch: number
}

/** The database's facts for a new owner of a session. */
export interface Raised {
  readonly epoch: number
  /** The machine that had the session and did not release it, or the `lost` of the last release. */
  readonly lost: string | undefined
  /** The number of the latest history entry whose changes the stored variables have; undefined when that is not known. */
  readonly contained: number | undefined
  /** The session is marked as ephemeral. */
  readonly isMarked: boolean
}

export class SessionOwners extends Context.Service<
  SessionOwners,
  {
    /** The name of this machine on all machines. */
    readonly machine: string
    /** Marks the session as ephemeral, or removes the mark; changes nothing when the session has another epoch by now. False when it failed. */
    readonly setEphemeral: (space: string, session: string, epoch: number, is: boolean) => Effect.Effect<boolean>
    /** Makes this machine the owner of the session. Waits while the database is away. */
    readonly raise: (space: string, session: string) => Effect.Effect<Raised>
    /**
     * This machine no longer has the session; changes nothing when the session has another epoch by now. `lost`: a machine that was lost with
     * the session, if no client was told yet; the next owner gets this name.
     */
    readonly release: (space: string, session: string, epoch: number, lost: string | undefined) => Effect.Effect<void>
    /** The sessions of a space that a machine has; empty when the database does not answer. */
    readonly of: (space: string) => Effect.Effect<readonly OwnedSession[]>
    /** The sessions that this machine has; undefined when the database does not answer. */
    readonly mine: Effect.Effect<readonly OwnedSession[] | undefined>
  }
>()("k3-mcp/cluster/SessionOwners") {}
