/**
 * Loads the help and the language late, for all that answers a client with them. Guarantees: when a file of the server is gone by then, since an
 * upgrade or a build replaced all of them, the error is `FileGone`, whose message says what to do.
 */
import * as Data from "effect/Data"

export class FileGone extends Data.TaggedError("FileGone")<{}> {
  override readonly message =
    "A file of k3-mcp that this needs was replaced or removed while the server ran. Ask the user to restart the server (reconnect it in the host)."
}

/** Node's codes for a module that it does not find, or finds and then cannot open. */
const codes: ReadonlySet<unknown> = new Set(["MODULE_NOT_FOUND", "ERR_MODULE_NOT_FOUND", "ENOENT"])

const load = () => import("../help/load.ts")

export const loadHelp = async <A>(part: (all: Awaited<ReturnType<typeof load>>) => Promise<A>): Promise<A> => {
  try {
    return await part(await load())
  } catch (error) {
    throw codes.has((error as NodeJS.ErrnoException).code) ? new FileGone() : error
  }
}
