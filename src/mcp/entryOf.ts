/** What the help says of the verb that failed; it is loaded with the first error. */
import * as Effect from "effect/Effect"
import type { KFailure } from "../child/engines/Engine.ts"

export const entryOf = (error: KFailure): Effect.Effect<string | undefined> =>
  Effect.map(
    Effect.promise(async () => (await import("../help/load.ts")).failures()),
    ({ failedEntry }) => {
      const entry = failedEntry(error)
      // The embedded engine says some of it itself.
      return entry === undefined || error.text.includes(entry.replace(/\.$/, "")) ? undefined : entry
    },
  )
