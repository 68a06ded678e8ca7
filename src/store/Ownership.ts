/**
 * The port that gives the epoch under which this process may write a session, in the space of one principal. An epoch is a number in the
 * database, which each new owner of a session raises by one. A write under an older epoch changes nothing.
 *
 * Guarantees: nothing. The answer may be out of date, so the database checks each write. Does not: serve the store in a folder, where a lock
 * makes one process the owner.
 */
import * as Context from "effect/Context"

export class Ownership extends Context.Service<
  Ownership,
  {
    /** Undefined when this process does not own the session, so nothing of it is written. */
    readonly epochOf: (session: string) => number | undefined
  }
>()("k3-mcp/store/Ownership") {}
