/**
 * The port that says under which epoch this process may write a session, in the space of one principal.
 *
 * An epoch is a number in the database that each new owner of a session raises by one; a write under an older one changes nothing. Guarantees:
 * nothing; it is what the owner of the sessions knows at the moment, and the database has the last word. The store in a folder, of which a
 * lock makes one process the owner, does not ask it.
 */
import * as Context from "effect/Context"

export class Ownership extends Context.Service<
  Ownership,
  {
    /** Undefined when this process does not own the session: nothing of it is written. */
    readonly epochOf: (session: string) => number | undefined
  }
>()("k3-mcp/store/Ownership") {}
