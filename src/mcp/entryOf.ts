/** The help's entry on the verb that failed. The help is loaded at the first error. */
import * as Effect from "effect/Effect"
import type { KFailure } from "../child/engines/Engine.ts"

export const entryOf = (error: KFailure): Effect.Effect<string | undefined> =>
  Effect.map(
    Effect.promise(async () => (await import("../help/load.ts")).failures()),
    ({ failedEntry }) => {
      const entry = failedEntry(error)
      // The error of the embedded engine may already have the entry's text.
      return entry === undefined || error.text.includes(entry.replace(/\.$/, "")) ? undefined : entry
    },
  )
